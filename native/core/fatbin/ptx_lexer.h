// Splits PTX text into words and punctuation.
#pragma once

#include <cstdint>
#include <string_view>

namespace maya::fatbin {

class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text) : text_(text) {}

  // The next token: a directive (".param"; ".b8.x" is two), a word, a string with its quotes, or
  // one character. Empty at the end.
  std::string_view next();
  std::string_view peek();

  // Moves to the next of ";{}" outside comments and strings, without taking it. Most of a module is
  // instructions, which need no tokens.
  void skip_statement();

 private:
  void skip_space();
  bool skip_comment();
  void skip_string();

  std::string_view text_;
  size_t at_ = 0;
};

// Decimal, hexadecimal or octal, with an optional U; false for anything else or above 2^40.
bool parse_ptx_number(std::string_view token, uint64_t* value);

}  // namespace maya::fatbin
