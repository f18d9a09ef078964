// A step that was found is watched a while longer: every tenth may do more than the others (a decomposition,
// an evaluation). How often is for the reader of the record to say; here enough of them are recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "steps/rules.h"
#include "steps/steadiness.h"

namespace maya {

class Watch {
 public:
  // From now on; `elapsed_ns` since the first work.
  void begin(const Pieces& pieces, const Steady& found, uint64_t now_ns, uint64_t elapsed_ns);
  // To be asked after every piece: whether enough was seen.
  bool is_over(const Pieces& pieces, const WatchRules& rules, uint64_t now_ns);

 private:
  uint64_t last_step(const Pieces& pieces) const;

  size_t period_ = 1;
  size_t first_piece_ = 0;
  uint64_t begun_ns_ = 0;
  uint64_t elapsed_ns_ = 0;
  uint64_t plain_ = 0;
  std::unordered_map<uint64_t, size_t> others_;  // how often each kind of step came that is not like that
};

}  // namespace maya
