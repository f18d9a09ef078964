#include "abi.h"

#include <unordered_set>

#include "simulation.h"

namespace maya::engine {
namespace {

bool within(int64_t value, int64_t count) {
  return value >= 0 && value < count;
}

bool call_is_sound(const MayaProgram& p, int64_t call, int64_t rank) {
  int64_t rank_begin = p.rank_begin[rank];
  auto own = [rank](const int32_t* added) { return added ? int64_t{added[rank]} : 0; };
  Op op = static_cast<Op>(p.op[call]);
  if (op > Op::sync_event || p.host_ns[call] < 0 || p.duration_ns[call] < 0) return false;
  if (p.after[call] >= call || (p.after[call] >= 0 && p.after[call] < rank_begin)) return false;
  if (op == Op::record || op == Op::wait || op == Op::sync_event) {
    if (!within(p.operand[call] + own(p.rank_slot), p.slot_count)) return false;
  }
  if (op == Op::host || op == Op::sync_event) return true;
  if (op == Op::sync_device) return within(p.stream[call] + own(p.rank_device), p.device_count);
  return within(p.stream[call] + own(p.rank_stream), p.stream_count);
}

bool is_sound(const MayaProgram& p, const MayaSettings& s) {
  if (s.queue_limit < 1 || s.launch_latency_ns < 0 || s.gap_ns < 0) return false;
  if (!within(s.comm_share, kWholeShare)) return false;
  std::unordered_set<int64_t> seen;
  for (int64_t rank = 0; rank < p.rank_count; ++rank) {
    if (!seen.insert(p.rank_begin[rank]).second) continue;  // calls of a rank before
    for (int64_t call = p.rank_begin[rank]; call < p.rank_end[rank]; ++call) {
      if (!call_is_sound(p, call, rank)) return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace maya::engine

extern "C" __attribute__((visibility("default"))) int maya_engine_run(const MayaProgram* program,
                                                                      const MayaSettings* settings,
                                                                      MayaResult* result) {
  using namespace maya::engine;
  if (!is_sound(*program, *settings)) return 2;
  return Simulation(*program, *settings, *result).run();
}
