// Parts of parameter structs that hold whatever was on the stack are cleared, and nothing else.
#include "../../core/kernels/unused_bytes.h"

#include <cstring>
#include <vector>

#include "../expect.h"

using namespace maya;

namespace {

using Bytes = std::vector<char>;

void put(Bytes& image, size_t at, uint32_t value) {
  std::memcpy(image.data() + at, &value, 4);
}

uint32_t word(const Bytes& image, size_t at) {
  uint32_t value;
  std::memcpy(&value, image.data() + at, 4);
  return value;
}

KernelFacts with_parameters(std::initializer_list<KernelParam> params) {
  KernelFacts facts;
  facts.params.assign(params);
  return facts;
}

const unsigned kGrid[3] = {264, 2, 1};

// int elements; {OffsetCalculator<3>, three addresses, functor}
Bytes strided(char garbage, uint32_t dims) {
  Bytes image(656, garbage);
  put(image, 0, 1000);
  put(image, 8, dims);
  for (uint32_t i = 0; i < dims * 3; ++i) put(image, 12 + i * 4, 7 + i);
  for (uint32_t i = 0; i < dims * 3; ++i) put(image, 312 + i * 4, 70 + i);
  std::memset(image.data() + 612, 1, 656 - 612);
  image[4] = image[5] = image[6] = image[7] = 0;
  KernelFacts facts = with_parameters({{0, 4}, {8, 648}});
  CHECK(!clear_unused_bytes(UnusedBytes::offsets, facts, kGrid, image.data(), image.size()));
  return image;
}

void strided_operands_are_told_by_their_dimensions() {
  Bytes image = strided('x', 2);
  CHECK(image == strided('y', 2));
  CHECK(image != strided('x', 3));
  CHECK(word(image, 12) == 7 && word(image, 312 + 5 * 4) == 75);
  CHECK(word(image, 312 + 6 * 4) == 0 && image[612] == 1);
}

// functor, config, OffsetCalculator<1>, OffsetCalculator<2>, addresses
Bytes reduction(char garbage, uint32_t elements) {
  Bytes image(1048, garbage);
  std::memset(image.data(), 0, 65);
  put(image, 8, elements);
  put(image, 68, 4);
  for (size_t at : {72, 476}) {
    put(image, at, 1);
    std::memset(image.data() + at + 4, 2, 12);
    std::memset(image.data() + at + 304, 3, at == 72 ? 4 : 8);
  }
  std::memset(image.data() + 984, 5, 58);
  put(image, 1044, 1);
  KernelFacts facts = with_parameters({{0, 1048}});
  CHECK(clear_unused_bytes(UnusedBytes::reduction, facts, kGrid, image.data(), image.size()));
  return image;
}

void reductions_are_told_by_their_problem() {
  CHECK(reduction('x', 10) == reduction('y', 10));
  CHECK(reduction('x', 10) != reduction('x', 11));
  CHECK(word(reduction('x', 10), 72) == 1 && word(reduction('x', 10), 984) == 0x05050505);
}

// out; 64 inputs, two of them used: one contiguous, one not; then four more parameters' worth
Bytes concatenation(char garbage, uint32_t size) {
  Bytes image(3440, garbage);
  std::memset(image.data(), 0, 8);
  std::memset(image.data() + 8, 1, 16);
  for (size_t list : {0, 1, 2}) {
    put(image, 8 + 512 + list * 256, size);
    put(image, 8 + 512 + list * 256 + 4, size);
  }
  image[8 + 1280] = 1;
  image[8 + 1281] = 0;
  std::memset(image.data() + 8 + 1344 + 32, 9, 32);
  std::memset(image.data() + 3400, 0, 40);
  KernelFacts facts = with_parameters({{0, 8}, {8, 3392}, {3400, 32}, {3432, 4}, {3436, 4}});
  CHECK(clear_unused_bytes(UnusedBytes::concatenation, facts, kGrid, image.data(), image.size()));
  return image;
}

void concatenations_are_told_by_their_inputs() {
  Bytes image = concatenation('x', 5);
  CHECK(image == concatenation('y', 5));
  CHECK(image != concatenation('x', 6));
  CHECK(word(image, 8 + 512 + 4) == 5 && word(image, 8 + 1344 + 32) == 0x09090909);
}

// Two TensorInfo<half, uint32_t> of one dimension, then the number of elements
Bytes tensors(char garbage, uint32_t elements) {
  Bytes image(2 * 216 + 4, garbage);
  for (size_t at : {0, 216}) {
    std::memset(image.data() + at, 4, 8);
    put(image, at + 8, elements);
    put(image, at + 8 + 100, 1);
    put(image, at + 8 + 200, 1);
  }
  put(image, 432, elements);
  KernelFacts facts = with_parameters({{0, 216}, {216, 216}, {432, 4}});
  CHECK(clear_unused_bytes(UnusedBytes::tensors, facts, kGrid, image.data(), image.size()));
  return image;
}

void tensors_are_told_by_their_dimensions() {
  CHECK(unused_bytes_of(ArgumentReader::none,
                        "_Z24fused_dropout_kernel_vecIN2at4cuda6detail10TensorInfoIKN3c104HalfEjEEE") ==
        UnusedBytes::tensors);
  Bytes image = tensors('x', 10);
  CHECK(image == tensors('y', 10));
  CHECK(image != tensors('x', 11));
  CHECK(word(image, 8) == 10 && word(image, 108) == 1 && word(image, 208) == 1 && word(image, 12) == 0);
}

// Partial results, then room for 16 addresses, of which the grid says two.
Bytes addresses(char garbage) {
  Bytes image(8 + 16 * 8 + 4, garbage);
  std::memset(image.data(), 1, 8 + 2 * 8);
  put(image, 8 + 16 * 8, 3);
  KernelFacts facts = with_parameters({{0, 8}, {8, 16 * 8}, {8 + 16 * 8, 4}});
  const unsigned grid[3] = {2, 1, 1};
  CHECK(clear_unused_bytes(UnusedBytes::addresses, facts, grid, image.data(), image.size()));
  return image;
}

void lists_of_addresses_end_with_the_grid() {
  CHECK(unused_bytes_of(ArgumentReader::none, "_Z14lpnorm_cleanupIfEvPKT_19TensorListAddressesi") ==
        UnusedBytes::addresses);
  Bytes image = addresses('x');
  CHECK(image == addresses('y'));
  CHECK(word(image, 20) == 0x01010101 && word(image, 24) == 0 && word(image, 8 + 16 * 8) == 3);
}

void unknown_structs_are_left_alone() {
  Bytes image(100, 'x');
  KernelFacts facts = with_parameters({{0, 8}, {8, 92}});
  for (UnusedBytes unused : {UnusedBytes::none, UnusedBytes::offsets, UnusedBytes::reduction,
                             UnusedBytes::concatenation, UnusedBytes::tensors, UnusedBytes::addresses}) {
    CHECK(!clear_unused_bytes(unused, facts, kGrid, image.data(), image.size()));
  }
  CHECK(image == Bytes(100, 'x'));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"strided_operands_are_told_by_their_dimensions", strided_operands_are_told_by_their_dimensions},
          {"reductions_are_told_by_their_problem", reductions_are_told_by_their_problem},
          {"concatenations_are_told_by_their_inputs", concatenations_are_told_by_their_inputs},
          {"tensors_are_told_by_their_dimensions", tensors_are_told_by_their_dimensions},
          {"lists_of_addresses_end_with_the_grid", lists_of_addresses_end_with_the_grid},
          {"unknown_structs_are_left_alone", unknown_structs_are_left_alone},
      },
      count, arguments);
}
