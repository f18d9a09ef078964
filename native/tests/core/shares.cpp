// How tokens are spread over experts.
#include "../../core/kernels/shares.h"

#include <numeric>

#include "../expect.h"

using namespace maya;

namespace {

int64_t sum(const std::vector<int64_t>& parts) {
  return std::accumulate(parts.begin(), parts.end(), int64_t{0});
}

void balanced_parts_differ_by_one_at_most() {
  auto parts = apportion(21, routing_weights("balanced", 8), 100);
  CHECK(sum(parts) == 21);
  for (int64_t part : parts) CHECK(part == 2 || part == 3);
}

void zipf_parts_fall_and_add_up() {
  auto parts = apportion(1000, routing_weights("zipf:1", 4), 1000);
  CHECK(sum(parts) == 1000);
  CHECK(parts[0] == 480 && parts[1] == 240 && parts[2] == 160 && parts[3] == 120);
}

void no_expert_gets_more_tokens_than_there_are() {
  auto parts = apportion(200, routing_weights("weights:10,1,1,0", 4), 100);
  CHECK(parts[0] == 100 && parts[1] == 50 && parts[2] == 50 && parts[3] == 0);
}

void given_weights_repeat_where_too_few() {
  auto parts = apportion(8, routing_weights("weights:3,1", 4), 8);
  CHECK(parts[0] == 3 && parts[1] == 1 && parts[2] == 3 && parts[3] == 1);
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"balanced_parts_differ_by_one_at_most", balanced_parts_differ_by_one_at_most},
          {"zipf_parts_fall_and_add_up", zipf_parts_fall_and_add_up},
          {"no_expert_gets_more_tokens_than_there_are", no_expert_gets_more_tokens_than_there_are},
          {"given_weights_repeat_where_too_few", given_weights_repeat_where_too_few},
      },
      count, arguments);
}
