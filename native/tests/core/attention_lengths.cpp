// What attention over a paged cache is told of the lengths of its requests.
#include "../../core/kernels/attention_lengths.h"

#include <cstring>

#include "../../core/known_values.h"
#include "../expect.h"
#include "maya/exchange.h"
#include "maya/memory.h"

using namespace maya;

// The device's memory: where the queries of each request start, and how many keys each has.
namespace {
struct {
  int32_t starts[8];
  int32_t keys[8];
} memory;
}  // namespace

bool maya::find_allocation(const void*, Allocation* found) {
  *found = {};
  found->address = reinterpret_cast<uintptr_t>(&memory);
  found->bytes = sizeof memory;
  return true;
}
bool maya::is_device_address(uintptr_t address) {
  uintptr_t first = reinterpret_cast<uintptr_t>(&memory);
  return address >= first && address < first + sizeof memory;
}
std::atomic<int> maya::exchanges_under_way{0};
void maya::settle_exchanges(const void*, size_t, Reader) {}
void maya::supersede_exchanges(const void*, size_t) {}

namespace {

// The kernel's parameters, as the compiler lays them out.
struct Plan {
  int32_t longest_queries, longest_keys, new_keys;
  const int32_t *starts, *key_starts, *new_starts, *queries, *keys, *padding;
  int32_t requests, rest[16];
};

void plan(int32_t longest_keys, int32_t requests) {
  Plan image{};
  image.longest_keys = longest_keys;
  image.starts = memory.starts;
  image.keys = memory.keys;
  image.requests = requests;
  KernelFacts facts;
  for (uint32_t offset : {0, 4, 8}) facts.params.push_back({offset, 4});
  for (uint32_t offset = 16; offset < 64; offset += 8) facts.params.push_back({offset, 8});
  facts.params.push_back({64, 4});
  note_attention_lengths(facts, reinterpret_cast<const char*>(&image));
}

void lengths_of_all_requests_add_up() {
  // A prompt of 10 tokens, a piece of 4 behind 96 others, two that decode, and one that fills up a graph.
  int32_t starts[] = {0, 10, 14, 15, 16, 16}, keys[] = {10, 100, 50, 70, 0};
  std::memcpy(memory.starts, starts, sizeof starts);
  std::memcpy(memory.keys, keys, sizeof keys);
  known_values().learn(reinterpret_cast<uintptr_t>(&memory), sizeof memory);
  plan(100, 5);
  AttentionLengths found = attention_lengths();
  CHECK(found.requests == 4);
  CHECK(found.keys == 230);
  CHECK(found.pairs == 55 + (97 + 98 + 99 + 100) + 50 + 70);
}

void unknown_lengths_are_the_longest_and_decode() {
  known_values().forget_range(reinterpret_cast<uintptr_t>(&memory), sizeof memory);
  plan(300, 3);
  AttentionLengths found = attention_lengths();
  CHECK(found.requests == 3 && found.keys == 900 && found.pairs == 900);
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"lengths_of_all_requests_add_up", lengths_of_all_requests_add_up},
          {"unknown_lengths_are_the_longest_and_decode", unknown_lengths_are_the_longest_and_decode},
      },
      count, arguments);
}
