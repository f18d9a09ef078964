#include "stop.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "clock.h"
#include "maya/exchange.h"
#include "maya/run_files.h"
#include "maya/runtime.h"
#include "python.h"

namespace maya {
namespace {

std::atomic<uint64_t> last_request_ns{0};
// A request can be lost (raised inside a destructor, or caught): while the program still asks the device for
// work, it is repeated at this interval.
constexpr uint64_t kRepeatNs = 500000000;

const char* word_for(EndReason reason) {
  if (reason == EndReason::steps) return "steps\n";
  return reason == EndReason::cpu_only ? "cpu-only\n" : "max-seconds\n";
}

void leave_word(EndReason reason) {
  std::string path = run_files::path(run_files::kStop);
  if (std::FILE* file = std::fopen(path.c_str(), "w")) {
    std::fputs(word_for(reason), file);
    std::fclose(file);
  }
}

}  // namespace

void stop_run(EndReason reason) {
  uint64_t now = monotonic_ns();
  uint64_t previous = last_request_ns.load();
  if (previous && now - previous < kRepeatNs) return;
  if (!last_request_ns.compare_exchange_strong(previous, now)) return;
  if (!previous) {
    leave_word(reason);
    board_leave();
    close_recorder(reason);
  }
  if (!raise_system_exit()) std::exit(0);
}

}  // namespace maya
