#include "code.h"

namespace maya::fatbin {
namespace {

constexpr size_t kLongest = size_t{1} << 20;
constexpr std::string_view kLineEnds{"\n\0", 2};
constexpr std::string_view kBlanks = " \t\r";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view trim(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const size_t first = line.find_first_not_of(kBlanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::string ptx_code(std::string_view text) {
  std::string code;
  while (!text.empty() && code.size() <= kLongest) {
    const size_t end = text.find_first_of(kLineEnds);
    const std::string_view line = trim(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (starts_with(line, ".section")) break;
    if (line.empty() || starts_with(line, ".loc") || starts_with(line, ".file")) continue;
    code.append(line).push_back('\n');
  }
  return code.size() <= kLongest ? code : std::string();
}

}  // namespace maya::fatbin
