#include "kernels/family.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/names.h"

namespace maya {
namespace {

struct Row {
  Family family;
  const char* kernel;      // the function's own name; a star at its end: begins with
  const char* present[4];  // each stands in the demangled name; `a|b`: either does
  const char* absent[4];
};

#define WORDS(...) {__VA_ARGS__}
#define OPTIMIZER_WORD(word)
#define FAMILY(name, kernel, present, absent, reader, access, values, update, typed_by)         \
  {{name, ArgumentReader::reader, Access::access, ValueRule::values, Update::update, typed_by}, \
   kernel,                                                                                      \
   present,                                                                                     \
   absent},
constexpr Row kRows[] = {
#include "../../gen/kernel_families.inc"
};
#undef FAMILY
#undef OPTIMIZER_WORD

#define FAMILY(...)
#define OPTIMIZER_WORD(word) word,
constexpr const char* kOptimizerWords[] = {
#include "../../gen/kernel_families.inc"
};
#undef FAMILY
#undef OPTIMIZER_WORD
#undef WORDS

bool is_called(const char* kernel, const std::string& function) {
  size_t length = std::strlen(kernel);
  if (kernel[length - 1] != '*') return function == kernel;
  return function.compare(0, length - 1, kernel, length - 1) == 0;
}

bool has_either(const std::string& name, const std::string& words) {
  for (size_t start = 0; start <= words.size();) {
    size_t end = std::min(words.find('|', start), words.size());
    if (name.find(words.substr(start, end - start)) != std::string::npos) return true;
    start = end + 1;
  }
  return false;
}

bool fits(const Row& row, const std::string& function, const std::string& name) {
  if (!is_called(row.kernel, function)) return false;
  for (const char* word : row.absent) {
    if (word && name.find(word) != std::string::npos) return false;
  }
  for (const char* words : row.present) {
    if (words && !has_either(name, words)) return false;
  }
  return true;
}

}  // namespace

const Family& family_of(const char* mangled) {
  static constexpr Family unknown;
  const std::string name = demangle(mangled), function = function_name(name);
  for (const Row& row : kRows) {
    if (fits(row, function, name)) return row.family;
  }
  return unknown;
}

const char* type_behind(const Family& family, const char* mangled) {
  const char* at = *family.typed_by ? std::strstr(mangled, family.typed_by) : nullptr;
  if (!at) return "";
  at += std::strlen(family.typed_by);
  return *at ? at + 1
             : "";  // behind the I that begins the arguments, or the E that ends an enumeration's name
}

bool names_optimizer(const char* mangled) {
  for (const char* word : kOptimizerWords) {
    if (std::strstr(mangled, word)) return true;
  }
  return false;
}

}  // namespace maya
