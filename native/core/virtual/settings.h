// What the target's host and device take, as maya tells it: MAYA_CLOCK_COSTS holds "name=ns" after "name=ns".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "maya/record.h"

namespace maya {

struct VirtualSettings {
  std::array<int64_t, 32> call_costs_ns{};  // by Kind
  int64_t launch_latency_ns = 0;
  int64_t gap_ns = 0;
  size_t queue_limit = 1024;
  int64_t check_member_ns = 0;  // of each member of a group whose collectives torch checks, before each
  int64_t comm_share = 0;       // of the device that communication takes from kernels beside it, in 1/1024

  int64_t call_ns(Kind kind) const {
    auto number = static_cast<size_t>(kind);
    return number < call_costs_ns.size() ? call_costs_ns[number] : 0;
  }
};

VirtualSettings read_virtual_settings(const char* text);
const VirtualSettings& virtual_settings();

}  // namespace maya
