#include <cctype>
#include <cstdlib>
#include <map>

#include "source.h"

namespace maya::nvrtc {
namespace {

struct Size {
  size_t bytes, alignment;
};

const std::map<std::string, Size>& sizes() {
  static const auto* table = new std::map<std::string, Size>{
      {"bool", {1, 1}},
      {"char", {1, 1}},
      {"signed char", {1, 1}},
      {"unsigned char", {1, 1}},
      {"int8_t", {1, 1}},
      {"uint8_t", {1, 1}},
      {"short", {2, 2}},
      {"unsigned short", {2, 2}},
      {"int16_t", {2, 2}},
      {"uint16_t", {2, 2}},
      {"half", {2, 2}},
      {"__half", {2, 2}},
      {"at::Half", {2, 2}},
      {"at::BFloat16", {2, 2}},
      {"__nv_bfloat16", {2, 2}},
      {"nv_bfloat16", {2, 2}},
      {"int", {4, 4}},
      {"unsigned", {4, 4}},
      {"unsigned int", {4, 4}},
      {"int32_t", {4, 4}},
      {"uint32_t", {4, 4}},
      {"float", {4, 4}},
      {"long", {8, 8}},
      {"unsigned long", {8, 8}},
      {"long int", {8, 8}},
      {"long long", {8, 8}},
      {"long long int", {8, 8}},
      {"unsigned long long", {8, 8}},
      {"int64_t", {8, 8}},
      {"uint64_t", {8, 8}},
      {"size_t", {8, 8}},
      {"ptrdiff_t", {8, 8}},
      {"double", {8, 8}},
      {"float2", {8, 8}},
      {"int2", {8, 8}},
      {"uint2", {8, 8}},
      {"half2", {4, 4}},
      {"float4", {16, 16}},
      {"int4", {16, 16}},
      {"uint4", {16, 16}},
      {"double2", {16, 16}},
      {"dim3", {12, 4}},
      {"CUtensorMap", {128, 64}},
      {"std::complex<float>", {8, 8}},
      {"std::complex<double>", {16, 16}},
      {"c10::complex<float>", {8, 8}},
      {"c10::complex<double>", {16, 16}},
      {"std::complex<at::Half>", {4, 4}},
      // PyTorch's, for reductions: an identity of four bytes or more, the configuration, two offset
      // calculators of 25 dimensions, and the tensors' addresses.
      {"ReduceJitOp", {1040, 8}},
  };
  return *table;
}

// Qualifiers dropped, blanks single: "const  int" -> "int".
std::string plain(const std::string& type) {
  std::string result, word;
  auto flush = [&] {
    const bool qualifier = word == "const" || word == "volatile" || word == "__restrict__" ||
                           word == "__restrict" || word == "__grid_constant__" || word == "typename";
    if (!word.empty() && !qualifier) result += (result.empty() ? "" : " ") + word;
    word.clear();
  };
  for (char c : type) {
    if (std::isspace(static_cast<unsigned char>(c))) {
      flush();
    } else {
      word += c;
    }
  }
  flush();
  return result;
}

// What a `typedef T name;` or `using name = T;` stands for.
std::string alias(const std::string& source, const std::string& name) {
  const std::string by_using = "using " + name + " = ";
  if (size_t at = source.find(by_using); at != std::string::npos) {
    at += by_using.size();
    return source.substr(at, source.find(';', at) - at);
  }
  for (size_t at = source.find(" " + name + ";"); at != std::string::npos;
       at = source.find(" " + name + ";", at + 1)) {
    const size_t line = source.rfind('\n', at) + 1;  // npos + 1 is the beginning
    const size_t start = source.find("typedef ", line);
    if (start != std::string::npos && start < at) return source.substr(start + 8, at - start - 8);
  }
  return "";
}

// "1+2", as the templates of a framework leave it.
size_t sum_of(const std::string& text) {
  size_t total = 0;
  for (const char* at = text.c_str(); *at;) {
    char* end = nullptr;
    total += std::strtoul(at, &end, 10);
    if (end == at) return 0;
    at = end;
    while (*at == ' ' || *at == '+') ++at;
  }
  return total;
}

// PyTorch's run-time kernels take their tensors in an Array<char*, count>.
bool size_of_array(const std::string& source, const std::string& type, size_t* bytes, size_t* alignment) {
  const size_t comma = type.rfind(',');
  if (type.rfind("Array<", 0) != 0 || comma == std::string::npos || type.back() != '>') return false;
  const size_t count = sum_of(type.substr(comma + 1, type.size() - comma - 2));
  if (!size_of_type(source, type.substr(6, comma - 6), bytes, alignment)) return false;
  *bytes *= count;
  return count > 0;
}

}  // namespace

bool size_of_type(const std::string& source, const std::string& type, size_t* bytes, size_t* alignment) {
  const std::string name = plain(type);
  if (name.empty()) return false;
  if (name.back() == '*' || name.back() == '&' || name.back() == ']') return *bytes = *alignment = 8, true;
  if (auto found = sizes().find(name); found != sizes().end()) {
    *bytes = found->second.bytes;
    *alignment = found->second.alignment;
    return true;
  }
  if (size_of_array(source, name, bytes, alignment)) return true;
  const std::string other = alias(source, name);
  return !other.empty() && plain(other) != name && size_of_type(source, other, bytes, alignment);
}

}  // namespace maya::nvrtc
