#include "steps/alike.h"

#include <algorithm>
#include <vector>

namespace maya {
namespace {

constexpr size_t kAlikeSteps = 16;  // in a row that do about as much, where no two do the same

std::vector<size_t> last_amounts(const Pieces& pieces, size_t count) {
  std::vector<size_t> amounts;
  for (size_t i = pieces.size() - count; i < pieces.size(); ++i) amounts.push_back(pieces[i].amount);
  return amounts;
}

bool within(size_t least, size_t most) {
  return 2 * most <= 3 * least;
}

// Between epochs of few steps something else makes some pieces larger: then the ordinary ones in a row are
// measured, if there are as many in twice the time.
size_t ordinary_run(const Pieces& pieces, size_t wanted) {
  std::vector<size_t> amounts = last_amounts(pieces, 2 * wanted), sorted = amounts;
  std::sort(sorted.begin(), sorted.end());
  if (!within(sorted[0], sorted[wanted])) return 0;
  size_t longest = 0, run = 0;
  for (size_t amount : amounts) {
    run = within(sorted[0], amount) ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return run == longest ? std::min(run, wanted) : 0;
}

}  // namespace

// Inputs of many sizes lead to other kernels in every step (images of all formats, boxes found in them). Such
// steps never repeat, and no further one would tell more than these.
size_t pieces_alike(const Pieces& pieces, size_t wanted_steps) {
  size_t wanted = std::max(wanted_steps, kAlikeSteps);
  if (pieces.size() < wanted + 2) return 0;
  std::vector<size_t> amounts = last_amounts(pieces, wanted);
  auto [least, most] = std::minmax_element(amounts.begin(), amounts.end());
  if (within(*least, *most)) return wanted;
  return pieces.size() < 2 * wanted + 2 ? 0 : ordinary_run(pieces, wanted);
}

}  // namespace maya
