// How long device work takes, by definition: asked of maya while the program runs.
//
// Beside the capture stands a table that both sides map. The core writes how many definitions it wants to
// know; maya reads them from the capture, estimates each once and fills their entries.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/attention_lengths.h"

namespace maya {

struct WorkTime {
  int64_t duration_ns = 0;  // of attention over a cache: without any request
  bool host_waits = false;  // the call returns when the work is done; a message: it waits for its receiver
  float request_ns = 0;  // of attention over a cache: to begin a request, to read a key, and to compute for
                         // a query and a key
  float key_ns = 0;
  float pair_ns = 0;
  float link_ns = 0;  // of a collective: how long it keeps its links busy
  float share = 0;    // of the device that a kernel fills

  int64_t for_lengths(const AttentionLengths& lengths) const;
};

// Makes the table of the capture with this path. False where it cannot.
bool open_durations(const std::string& capture_path);

// Waits for the answer, which takes no virtual time. A job whose maya does not answer fails.
WorkTime work_time(uint32_t definition);

}  // namespace maya
