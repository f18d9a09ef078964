#include "virtual/settings.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace maya {
namespace {

// Calls are named by the number of their kind ("1=3000"), the rest by words.
void set(VirtualSettings& settings, const std::string& name, int64_t value) {
  if (name == "launch") {
    settings.launch_latency_ns = value;
  } else if (name == "gap") {
    settings.gap_ns = value;
  } else if (name == "queue") {
    settings.queue_limit = static_cast<size_t>(std::max<int64_t>(value, 1));
  } else if (name == "check_member") {
    settings.check_member_ns = value;
  } else if (name == "communication") {
    settings.comm_share = std::clamp<int64_t>(value, 0, 1023);
  } else {
    size_t kind = std::strtoul(name.c_str(), nullptr, 10);
    if (kind > 0 && kind < settings.call_costs_ns.size()) settings.call_costs_ns[kind] = value;
  }
}

}  // namespace

VirtualSettings read_virtual_settings(const char* text) {
  VirtualSettings settings;
  while (text && *text) {
    const char* equals = std::strchr(text, '=');
    if (!equals) break;
    char* end = nullptr;
    int64_t value = std::strtoll(equals + 1, &end, 10);
    set(settings, std::string(text, equals), value);
    text = *end == ',' ? end + 1 : end;
  }
  return settings;
}

const VirtualSettings& virtual_settings() {
  static const auto* instance = new VirtualSettings(read_virtual_settings(std::getenv("MAYA_CLOCK_COSTS")));
  return *instance;
}

}  // namespace maya
