#include <atomic>
#include <cstdlib>
#include <string>

#include "maya/runtime.h"

namespace maya {
namespace {

std::string text(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int number(const char* name, int fallback) {
  const char* value = std::getenv(name);
  return value && *value ? std::atoi(value) : fallback;
}

std::atomic<bool> was_read{false};

Config read_environment() {
  was_read = true;
  Config config;
  config.run_dir = text("MAYA_RUN_DIR");
  config.device_file = text("MAYA_DEVICE_FILE");
  config.gpu_count = number("MAYA_GPU_COUNT", 1);
  config.steps = number("MAYA_STEPS", 3);
  config.settle_ms = number("MAYA_SETTLE_MS", config.settle_ms);
  config.hold_core = number("MAYA_HOLD_CORE", 1) != 0;
  config.watch_steps = number("MAYA_WATCH_STEPS", config.watch_steps);
  config.max_seconds = number("MAYA_MAX_SECONDS", 0);
  config.deadline_ns = std::strtoull(text("MAYA_DEADLINE_NS").c_str(), nullptr, 10);
  config.plain_seconds = number("MAYA_PLAIN_SECONDS", config.plain_seconds);
  config.strict = number("MAYA_STRICT", 0) != 0;
  config.record = number("MAYA_RECORD", 1) != 0;
  config.rank = number("RANK", -1);
  config.world_size = number("WORLD_SIZE", 1);
  config.representatives_file = text("MAYA_REPRESENTATIVES");
  config.routing = text("MAYA_ROUTING");
  if (config.routing.empty()) config.routing = "balanced";
  config.step_marker = text("MAYA_STEP_MARKER");
  config.unknown_zeros = text("MAYA_UNKNOWN") == "zeros";
  return config;
}

}  // namespace

// Read at the first device call, not at load: the libraries are preloaded into every child process.
const Config& config() {
  static const Config* instance = new Config(read_environment());
  return *instance;
}

}  // namespace maya

int maya_device_is_awake() {
  return maya::was_read;
}
