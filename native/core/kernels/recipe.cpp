#include "kernels/recipe.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "steps/update_names.h"

namespace maya {
namespace {

// A parameter of this size is the list of tensors that a multi-tensor kernel works on.
constexpr size_t kSmallestList = 1025;

std::string demangle(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = text ? text : "";
  std::free(text);
  return result;
}

// The text between the parentheses that close the signature, template arguments and lambdas skipped.
std::string parameter_list(const std::string& signature) {
  size_t end = signature.rfind(')');
  if (end == std::string::npos) return "";
  int depth = 0;
  for (size_t at = end + 1; at-- > 0;) {
    char c = signature[at];
    if (c == ')' || c == '>') ++depth;
    if (c == '(' || c == '<') --depth;
    if (depth == 0) return signature.substr(at + 1, end - at - 1);
  }
  return "";
}

std::vector<std::string> split_parameters(const std::string& list) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : list) {
    if (c == '(' || c == '<' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '>' || c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

bool ends_with(const std::string& text, const char* suffix) {
  size_t length = std::strlen(suffix);
  return text.size() >= length && text.compare(text.size() - length, length, suffix) == 0;
}

// How a by-value struct of this kernel treats the pointers inside it.
Access struct_access(const char* mangled) {
  if (std::strstr(mangled, "scatter_gather_elementwise_kernel")) return Access::writes;
  // TensorIterator's operands stand with the output first.
  if (std::strstr(mangled, "elementwise_kernel")) return Access::writes_first;
  if (std::strstr(mangled, "13reduce_kernel")) return Access::reduces;
  if (std::strstr(mangled, "CatArrayBatchedCopy")) return Access::reads;
  if (std::strstr(mangled, "NonZeroOp")) return Access::reads;  // the iterator over a mask
  return Access::writes;
}

Access access_of(const std::string& type, Access of_structs) {
  if (type.find("PhiloxCudaState") != std::string::npos) return Access::random;
  // "float const*", also with __restrict__.
  if (type.find(" const*") != std::string::npos && type.find('<') == std::string::npos) return Access::reads;
  if (ends_with(type, "*")) return type.find(" const*") != std::string::npos ? Access::reads : Access::writes;
  return of_structs;
}

void find_list(const char* mangled, const KernelFacts& facts, Recipe* recipe) {
  for (const KernelParam& param : facts.params) {
    if (param.size < kSmallestList) continue;
    recipe->list_parameter = &param;
    recipe->list = layouts::find_tensor_list(mangled, param.size);
  }
}

}  // namespace

const Recipe* make_recipe(const char* mangled, const KernelFacts& facts) {
  auto* recipe = new Recipe;
  recipe->multi_tensor = std::strstr(mangled, "multi_tensor_apply_kernel") != nullptr;
  if (recipe->multi_tensor) find_list(mangled, facts, recipe);
  recipe->update = update_by_name(mangled);
  recipe->trivial = trivial_kind(mangled);
  recipe->floats = float_kernel(mangled);
  recipe->remains = remains_of(mangled);
  recipe->product = product_of(mangled);
  std::vector<std::string> types = split_parameters(parameter_list(demangle(mangled)));
  bool known = types.size() == facts.params.size();
  for (size_t i = 0; i < facts.params.size(); ++i) {
    recipe->parameters.push_back(known ? access_of(types[i], struct_access(mangled)) : Access::writes);
  }
  return recipe;
}

}  // namespace maya
