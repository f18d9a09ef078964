#include "kernels/recipe.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/names.h"

namespace maya {
namespace {

// A parameter of this size is the list of tensors that a multi-tensor kernel works on.
constexpr size_t kSmallestList = 1025;

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
  const Family& family = recipe->family = family_of(mangled);
  recipe->multi_tensor = family.reader == ArgumentReader::tensor_list;
  if (recipe->multi_tensor) find_list(mangled, facts, recipe);
  recipe->update = names_optimizer(mangled) ? Update::optimizer : family.update;
  recipe->unused = unused_bytes_of(family.reader, mangled);
  const std::string name = demangle(mangled);
  recipe->elementwise = elementwise_kernel(family.values, name);
  if (family.values == ValueRule::reduction) recipe->reduction = reduction_kernel(name);
  recipe->makes_values = recipe->elementwise.form != OperandForm::none ||
                         recipe->reduction.what != Reduces::nothing || has_answer(family.values);
  std::vector<std::string> types = split_parameters(parameter_list(name));
  bool known = types.size() == facts.params.size();
  for (size_t i = 0; i < facts.params.size(); ++i) {
    recipe->parameters.push_back(known ? access_of(types[i], family.access) : Access::writes);
    // Such a kernel's source and indices are not const in all versions.
    if (family.access == Access::first_parameter)
      recipe->parameters.back() = i ? Access::reads : Access::writes;
  }
  return recipe;
}

}  // namespace maya
