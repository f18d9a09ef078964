#include "kernels/names.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "kernels/printed_size.h"

namespace maya {
namespace {

// Namespaces whose parentheses or angle brackets would be taken for arguments, and the most common others.
const char* const kNoise[] = {"(anonymous namespace)::", "<unnamed>::", "at::native::", "at::", "c10::"};

std::string without_noise(const std::string& name) {
  std::string rest;
  for (size_t at = 0; at < name.size();) {
    size_t skipped = 0;
    for (const char* noise : kNoise) {
      size_t length = std::strlen(noise);
      if (!skipped && name.compare(at, length, noise) == 0) skipped = length;
    }
    if (!skipped) rest += name[at];
    at += skipped ? skipped : 1;
  }
  return rest;
}

// What may be printed, as far as can be told before. Of 112,776 names in a build of PyTorch 36 seem longer,
// and none is longer than what may be kept.
constexpr double kMostPrinted = 4 << 20;
constexpr size_t kMostKept = 64 << 10;
constexpr const char* kMangled = "_ZN";  // a function in a namespace

// `_ZN1a1bIc...` -> `b`: the demangler gives up on some names of thousands of letters.
std::string mangled_function_name(const std::string& name) {
  std::string own = name;
  for (size_t at = std::strlen(kMangled);
       at < name.size() && std::isdigit(static_cast<unsigned char>(name[at]));) {
    char* text = nullptr;
    size_t length = std::strtoul(name.c_str() + at, &text, 10);
    own = name.substr(static_cast<size_t>(text - name.c_str()), length);
    at = static_cast<size_t>(text - name.c_str()) + own.size();
  }
  return own;
}

// What stands outside of all brackets, up to the arguments.
std::string outside_brackets(const std::string& name) {
  std::string flat;
  int depth = 0;
  for (char c : name) {
    bool begun = flat.find_first_not_of(' ') != std::string::npos;
    if (c == '(' && depth == 0 && begun) break;
    if (c == '<' || c == '(') {
      ++depth;
    } else if (c == '>' || c == ')') {
      depth = depth > 0 ? depth - 1 : 0;
    } else if (depth == 0) {
      flat += c;
    }
  }
  return flat;
}

}  // namespace

std::string demangle(const char* mangled) {
  std::optional<double> size = printed_size(mangled);
  if (!size || *size > kMostPrinted) return mangled;
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = text && std::strlen(text) <= kMostKept ? text : mangled;
  std::free(text);
  return result;
}

std::string function_name(const std::string& demangled) {
  if (demangled.compare(0, std::strlen(kMangled), kMangled) == 0) return mangled_function_name(demangled);
  std::string full = without_noise(demangled);
  std::string flat = outside_brackets(full);
  size_t end = flat.find_last_not_of(' ');
  flat.resize(end == std::string::npos ? 0 : end + 1);
  std::string word = flat.substr(flat.rfind(' ') + 1);
  std::string own = word.substr(word.rfind("::") == std::string::npos ? 0 : word.rfind("::") + 2);
  return own.empty() ? full : own;
}

}  // namespace maya
