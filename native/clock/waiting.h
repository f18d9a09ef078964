// What waits with an end have in common.
#pragma once

#include "page.h"
#include "sleepers.h"
#include "thread_time.h"

namespace maya::clock {

// A wait that lasted as long as with the real clock is over.
inline void timed_out(Page& page, int64_t until_ns) {
  if (now_ns(page) < until_ns && nobody_runs(page)) wait_until(page, until_ns);
}

template <typename Look>
class NapOf final : public Nap {
 public:
  explicit NapOf(Look look) : look_(look) {}
  bool over(uint64_t ns) override { return look_(ns); }

 private:
  Look look_;
};

template <typename Look>
bool ends_by_itself(Page& page, int64_t until_ns, Look look) {
  NapOf<Look> nap(look);
  return wait_patiently(page, until_ns, nap);
}

}  // namespace maya::clock
