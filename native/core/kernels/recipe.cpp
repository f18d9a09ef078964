#include "kernels/recipe.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "steps/detector.h"

namespace maya {
namespace {

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
  return Access::writes;
}

Access access_of(const std::string& type, Access of_structs) {
  // "float const*", also with __restrict__.
  if (type.find(" const*") != std::string::npos && type.find('<') == std::string::npos) return Access::reads;
  if (ends_with(type, "*")) return type.find(" const*") != std::string::npos ? Access::reads : Access::writes;
  return of_structs;
}

}  // namespace

const Recipe* make_recipe(const char* mangled, const KernelFacts& facts) {
  auto* recipe = new Recipe;
  recipe->multi_tensor = std::strstr(mangled, "multi_tensor_apply_kernel") != nullptr;
  recipe->update = update_by_name(mangled);
  recipe->trivial = trivial_kind(mangled);
  recipe->remains = remains_of(mangled);
  recipe->product = product_of(mangled);
  std::vector<std::string> types = split_parameters(parameter_list(demangle(mangled)));
  bool known = types.size() == facts.params.size();
  for (size_t i = 0; i < facts.params.size(); ++i) {
    recipe->parameters.push_back(known ? access_of(types[i], struct_access(mangled)) : Access::writes);
  }
  return recipe;
}

// struct TensorListMetadata<n> { const void* addresses[n][max]; int64_t numel[max]; [scalars] unsigned char
// block_to_tensor[320]; int block_to_chunk[320]; ... }: n is found by where plausible element counts stand.
bool digest_tensor_list(const char* metadata, size_t bytes, unsigned blocks, uint64_t chunk,
                        TensorListDigest* digest) {
  static const size_t max_tensors[] = {110, 64, 48, 36, 30};
  constexpr size_t kMaxBlocks = 320;
  if (blocks > kMaxBlocks) return false;
  for (size_t depth = 1; depth <= 5; ++depth) {
    size_t tensors = max_tensors[depth - 1];
    size_t counts_at = depth * tensors * 8;
    size_t maps_at = counts_at + tensors * 8;
    if (maps_at + kMaxBlocks * 5 > bytes) continue;
    // Scalar lists, where there are any, stand between the counts and the maps.
    for (size_t extra : {size_t{0}, tensors * 4, tensors * 8, tensors * 16}) {
      size_t chunks_at = maps_at + extra + kMaxBlocks;
      if (chunks_at + kMaxBlocks * 4 > bytes) break;
      uint64_t total = 0;
      uint64_t seen = 0;
      bool plausible = true;
      for (unsigned block = 0; block < blocks && plausible; ++block) {
        unsigned tensor = static_cast<unsigned char>(metadata[maps_at + extra + block]);
        int32_t index;
        std::memcpy(&index, metadata + chunks_at + block * 4, 4);
        int64_t count = 0;
        if (tensor < tensors) std::memcpy(&count, metadata + counts_at + tensor * 8, 8);
        int64_t start = static_cast<int64_t>(index) * static_cast<int64_t>(chunk);
        plausible = tensor < tensors && index >= 0 && count > start && count < (int64_t{1} << 48);
        if (!plausible) break;
        uint64_t rest = static_cast<uint64_t>(count - start);
        total += rest < chunk ? rest : chunk;
        if (tensor + 1 > seen) seen = tensor + 1;
      }
      if (!plausible) continue;
      *digest = {total, seen};
      return true;
    }
  }
  return false;
}

}  // namespace maya
