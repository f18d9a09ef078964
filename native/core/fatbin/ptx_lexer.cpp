#include "ptx_lexer.h"

#include <charconv>

namespace maya::fatbin {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%';
}

bool is_space(char c) {
  // NUL as well: fat binaries pad PTX with it.
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

}  // namespace

bool PtxLexer::skip_comment() {
  if (text_.compare(at_, 2, "//") == 0) {
    at_ = text_.find('\n', at_);
  } else if (text_.compare(at_, 2, "/*") == 0) {
    at_ = text_.find("*/", at_ + 2);
    if (at_ != std::string_view::npos) at_ += 2;
  } else {
    return false;
  }
  if (at_ == std::string_view::npos) at_ = text_.size();
  return true;
}

void PtxLexer::skip_string() {
  at_ = text_.find('"', at_ + 1);
  at_ = at_ == std::string_view::npos ? text_.size() : at_ + 1;
}

void PtxLexer::skip_space() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_[at_] != '/' || !skip_comment()) {
      return;
    }
  }
}

std::string_view PtxLexer::next() {
  skip_space();
  const size_t start = at_;
  if (at_ == text_.size()) return {};
  if (text_[at_] == '"') {
    skip_string();
  } else {
    const bool word = is_word(text_[at_]) || text_[at_] == '.';
    ++at_;
    while (word && at_ < text_.size() && is_word(text_[at_])) ++at_;
  }
  return text_.substr(start, at_ - start);
}

std::string_view PtxLexer::peek() {
  const size_t at = at_;
  const std::string_view token = next();
  at_ = at;
  return token;
}

void PtxLexer::skip_statement() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ';' || c == '{' || c == '}') return;
    if (c == '"') {
      skip_string();
    } else if (c != '/' || !skip_comment()) {
      ++at_;
    }
  }
}

bool parse_ptx_number(std::string_view token, uint64_t* value) {
  if (!token.empty() && token.back() == 'U') token.remove_suffix(1);
  int base = 10;
  if (token.size() > 2 && token[0] == '0' && (token[1] == 'x' || token[1] == 'X')) {
    token.remove_prefix(2);
    base = 16;
  } else if (token.size() > 1 && token[0] == '0') {
    base = 8;
  }
  const char* end = token.data() + token.size();
  const auto result = std::from_chars(token.data(), end, *value, base);
  return result.ec == std::errc() && result.ptr == end && *value <= uint64_t{1} << 40;
}

}  // namespace maya::fatbin
