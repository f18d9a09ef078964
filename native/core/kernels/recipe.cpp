#include "kernels/recipe.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "steps/update_names.h"

namespace maya {
namespace {

constexpr size_t kMaxTensors[] = {110, 64, 48, 36, 30};  // by the number of lists
constexpr size_t kMaxScaledTensors[] = {96, 64, 48, 36, 30};
constexpr size_t kMaxBlocks = 320;

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

// The number behind `name` in "...ILi3EE", and what stands between: the type of its scalars.
size_t list_depth(const char* mangled, const char* name, std::string* scalar) {
  const char* found = std::strstr(mangled, name);
  const char* arguments = found ? found + std::strlen(name) : "";
  const char* number = std::strstr(arguments, "Li");
  if (!number || number[2] < '1' || number[2] > '5' || number[3] != 'E') return 0;
  *scalar = std::string(arguments, number);
  return static_cast<size_t>(number[2] - '0');
}

TensorListForm list_form(const char* mangled) {
  std::string scalar;
  if (size_t depth = list_depth(mangled, "28TensorListScalarListMetadataI", &scalar)) {
    size_t most = kMaxScaledTensors[depth - 1];
    if (scalar == "f" || scalar == "i") return {depth, most, most * 4};
    if (scalar == "d" || scalar == "l") return {depth, most, most * 8};
    return {};
  }
  if (size_t depth = list_depth(mangled, "32FusedOptimizerTensorListMetadataI", &scalar)) {
    return {depth, kMaxTensors[depth - 1], kMaxTensors[depth - 1] * 8};
  }
  if (size_t depth = list_depth(mangled, "18TensorListMetadataI", &scalar)) {
    return {depth, kMaxTensors[depth - 1], 0};
  }
  return {};
}

}  // namespace

const Recipe* make_recipe(const char* mangled, const KernelFacts& facts) {
  auto* recipe = new Recipe;
  recipe->multi_tensor = std::strstr(mangled, "multi_tensor_apply_kernel") != nullptr;
  if (recipe->multi_tensor) recipe->list = list_form(mangled);
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

namespace {

// struct TensorListMetadata<n> { const void* addresses[n][max]; int64_t numel[max]; [scalars] unsigned char
// block_to_tensor[320]; int block_to_chunk[320]; ... }.
bool digest_as(const TensorListForm& form, const char* metadata, size_t bytes, unsigned blocks,
               uint64_t chunk, TensorListDigest* digest) {
  size_t counts_at = form.depth * form.most * 8;
  size_t maps_at = counts_at + form.most * 8 + form.extra_bytes;
  size_t chunks_at = maps_at + kMaxBlocks;
  if (chunks_at + kMaxBlocks * 4 > bytes) return false;
  *digest = {};
  for (unsigned block = 0; block < blocks; ++block) {
    unsigned tensor = static_cast<unsigned char>(metadata[maps_at + block]);
    int32_t index;
    std::memcpy(&index, metadata + chunks_at + block * 4, 4);
    if (tensor >= form.most || index < 0) return false;
    int64_t count;
    std::memcpy(&count, metadata + counts_at + tensor * 8, 8);
    int64_t start = static_cast<int64_t>(index) * static_cast<int64_t>(chunk);
    if (count <= start || count >= (int64_t{1} << 48)) return false;
    digest->elements += std::min(static_cast<uint64_t>(count - start), chunk);
    digest->tensors = std::max<uint64_t>(digest->tensors, tensor + 1);
  }
  return true;
}

}  // namespace

bool digest_tensor_list(const TensorListForm& form, const char* metadata, size_t bytes, unsigned blocks,
                        uint64_t chunk, TensorListDigest* digest) {
  if (blocks > kMaxBlocks) return false;
  if (form.depth) return digest_as(form, metadata, bytes, blocks, chunk, digest);
  for (size_t depth = 1; depth <= std::size(kMaxTensors); ++depth) {
    size_t most = kMaxTensors[depth - 1];
    for (size_t extra : {size_t{0}, most * 4, most * 8, most * 16}) {
      if (digest_as({depth, most, extra}, metadata, bytes, blocks, chunk, digest)) return true;
    }
  }
  return false;
}

}  // namespace maya
