// Lists of tensors in every version's layout; what is read by a wrong one is refused, not believed.
#include "../../core/kernels/layouts/tensor_list.h"

#include <cstring>
#include <string>
#include <vector>

#include "../expect.h"

using namespace maya::layouts;

namespace {

constexpr uint64_t kChunk = 65536;
constexpr uint64_t kLarge =
    2 * kChunk + 5;  // elements of the first of two tensors: three blocks; the second has 7

// The mangled name of a kernel that takes a list of this type.
std::string mangled(const TensorListLayout& layout, size_t depth) {
  std::string name(layout.type);
  name = name.substr(0, name.find('<')).substr(name.rfind(':', name.find('<')) + 1);
  std::string element = name == "TensorListScalarListMetadata" ? "f" : "";
  return "25multi_tensor_apply_kernelINS1_" + std::to_string(name.size()) + name + "I" + element + "Li" +
         std::to_string(depth) + "EEE";
}

struct List {
  explicit List(const TensorListLayout& layout) : layout(layout), bytes(layout.bytes, char(0xA5)) {
    put(layout.numel_for_tensor, 0, kLarge);
    put(layout.numel_for_tensor, 1, 7);
    for (unsigned block = 0; block < 3; ++block) name_block(block, 0, block);
    name_block(3, 1, 0);
  }
  void put(const Field& field, size_t index, uint64_t value) {
    std::memcpy(&bytes[field.at + index * field.element_bytes], &value, field.element_bytes);
  }
  void name_block(unsigned block, uint64_t tensor, uint64_t chunk) {
    put(layout.block_to_tensor, block, tensor);
    put(layout.block_to_chunk, block, chunk);
  }
  bool read(unsigned blocks = 4) { return read_as(layout, blocks); }
  bool read_as(const TensorListLayout& other, unsigned blocks = 4) {
    return digest_tensor_list(other, bytes.data(), blocks, kChunk, &digest);
  }

  const TensorListLayout& layout;
  std::vector<char> bytes;
  TensorListDigest digest{};
};

void a_list_is_read_in_every_layout() {
  for (const TensorListLayout& layout : kTensorListLayouts) {
    List list(layout);
    CHECK(list.read());
    CHECK(list.digest.tensors == 2 && list.digest.elements == kLarge + 7);
  }
}

void a_layout_is_found_by_its_type_depth_and_size() {
  for (const TensorListLayout& layout : kTensorListLayouts) {
    size_t depth = depth_of(layout);
    const TensorListLayout* found = find_tensor_list(mangled(layout, depth).c_str(), layout.bytes);
    CHECK(found && found->bytes == layout.bytes && depth_of(*found) == depth);
    CHECK(!find_tensor_list(mangled(layout, depth).c_str(), layout.bytes + 4));
    const TensorListLayout* deeper = find_tensor_list(mangled(layout, depth + 1).c_str(), layout.bytes);
    CHECK(!deeper || depth_of(*deeper) == depth + 1);  // lists of two and of three are of one size
  }
}

void another_versions_layout_never_gives_more_than_is_there() {
  for (const TensorListLayout& written : kTensorListLayouts) {
    for (const TensorListLayout& read : kTensorListLayouts) {
      List list(written);
      if (read.bytes > written.bytes || !list.read_as(read)) continue;
      CHECK(list.digest.elements <= kLarge + 7);
    }
  }
}

void what_makes_no_sense_is_refused() {
  for (const TensorListLayout& layout : kTensorListLayouts) {
    List half_an_address(layout), no_such_tensor(layout), behind_its_end(layout), too_many(layout);
    half_an_address.put(layout.numel_for_tensor, 1, 0x7f3a00000000u);
    CHECK(half_an_address.read() && half_an_address.digest.elements == kLarge + kChunk);  // of one block
    half_an_address.put(layout.numel_for_tensor, 1, uint64_t{0x7f3a0000} << 32);
    CHECK(!half_an_address.read());
    no_such_tensor.name_block(2, most_tensors(layout), 0);
    CHECK(!no_such_tensor.read() || most_tensors(layout) > 0xff);
    behind_its_end.name_block(3, 1, 1);
    CHECK(!behind_its_end.read());
    CHECK(!too_many.read(layout.block_to_tensor.count + 1));
  }
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"a_list_is_read_in_every_layout", a_list_is_read_in_every_layout},
          {"a_layout_is_found_by_its_type_depth_and_size", a_layout_is_found_by_its_type_depth_and_size},
          {"another_versions_layout_never_gives_more_than_is_there",
           another_versions_layout_never_gives_more_than_is_there},
          {"what_makes_no_sense_is_refused", what_makes_no_sense_is_refused},
      },
      count, arguments);
}
