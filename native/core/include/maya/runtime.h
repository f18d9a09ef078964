// The process around the emulator: configuration, Python, stopping.
#pragma once

#include <cstdint>
#include <string>

#include "maya/record.h"

namespace maya {

struct Config {
  std::string run_dir;       // MAYA_RUN_DIR; empty: nothing is written
  std::string device_file;   // MAYA_DEVICE_FILE
  int gpu_count = 1;         // MAYA_GPU_COUNT: GPUs of the node
  int steps = 3;             // MAYA_STEPS: 0 never stops
  bool hold_core = true;     // MAYA_HOLD_CORE: nobody else gets the core meanwhile, if that is allowed
  int settle_ms = 300;       // MAYA_SETTLE_MS: CPU time for which found steps are repeated
  int watch_steps = 20;      // MAYA_WATCH_STEPS: for which a found step is watched; 0: not at all
  int max_seconds = 0;       // MAYA_MAX_SECONDS: 0 for ever
  uint64_t deadline_ns = 0;  // MAYA_DEADLINE_NS, monotonic: when they are over; 0: told by nobody
  int plain_seconds = 30;    // MAYA_PLAIN_SECONDS: how long an optimiser is waited for
  bool strict = false;       // MAYA_STRICT
  bool record = true;        // MAYA_RECORD
  int rank = -1;             // RANK
  int world_size = 1;        // WORLD_SIZE
  std::string representatives_file;  // MAYA_REPRESENTATIVES; empty: every rank is a process
  std::string step_marker;           // MAYA_STEP_MARKER: the ranges of this name are the steps
  std::string routing;               // MAYA_ROUTING: how tokens are spread over experts
  bool unknown_zeros = false;        // MAYA_UNKNOWN: unknown values are given as zeros, whatever they mean
};
MAYA_EXPORT const Config& config();

// "file.py:123 (function)" of the innermost Python frame of this thread that is not inside torch; or "".
// Takes the GIL: never call it with an emulator lock held.
MAYA_EXPORT std::string python_site();
// Whether the Python code that runs in this thread goes on by what the call under way returns: `if x.all():`,
// `while x.item() > 0`. False where that cannot be told.
bool python_branches();

// What kind of waiting a synchronisation is; CUPTI's numbers.
enum class WaitKind : int { event = 1, stream_for_event = 2, stream = 3, context = 4 };

// Activity listener of the faked CUPTI: called for every piece of device work and runtime call while enabled.
struct Activity {
  Kind kind;
  const char* name;  // kernel (mangled) or function name
  uint32_t correlation;
  uint64_t start_ns, end_ns;  // CLOCK_REALTIME-based, as CUPTI timestamps
  bool timed;                 // they are what the device takes, by the virtual clock
  int device;
  uint16_t stream;
  uint64_t bytes;
  int direction;  // CopyDirection for copies
  unsigned grid[3], block[3];
  unsigned shared_static, shared_dynamic, registers;
  unsigned value;       // memset
  uint32_t graph;       // graph launch this came from, or 0
  uint64_t graph_node;  // and its place there, from 1
  int wait;             // WaitKind of a synchronisation
  uint64_t event;       // event that is waited for
};
// Kineto's switch for stamping device work with the processor's cycles; null unless the virtual clock is to
// be shown instead, which cycles do not follow.
MAYA_EXPORT bool* kineto_cycles();
using ActivityListener = void (*)(const Activity&);
MAYA_EXPORT void set_activity_listener(ActivityListener listener);
// Runtime-API callbacks for CUPTI: (domain, cbid, name, enter/exit) are produced by the cudart veneer through
// these.
MAYA_EXPORT bool activity_enabled();
MAYA_EXPORT uint32_t next_correlation();

}  // namespace maya

// Whether this process has asked anything of the device: what it was told then would hold for its forks, too.
extern "C" MAYA_EXPORT int maya_device_is_awake();
