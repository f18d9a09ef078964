// The recorder's inside, for the rest of the core.
#pragma once

#include <cstdint>

#include "maya/record.h"

namespace maya {

enum class EndReason : uint32_t { exit = 1, steps, max_seconds, disk_full, cpu_only };

// Ends the capture; later calls are answered but no longer recorded.
void close_recorder(EndReason reason);
// Answers go on, nothing is written: what a run without recording is like.
void pause_recorder(bool pause);
// In a forked child: the file belongs to the parent.
void abandon_recorder();

// What does not tell definitions apart: worked out when one is written, and stored behind its other values.
class LateValue {
 public:
  virtual int64_t value() const = 0;

 protected:
  ~LateValue() = default;
};

// A step has ended in this process: whoever descends from it can see that.
void mark_steps_seen();
bool steps_seen();

// Interns a definition; `created` (optional) says whether it is new. 0 when nothing is recorded. `content`: a
// hash of values and blob, from whoever has it already: then for every definition of the schema.
uint32_t definition_of(Schema& schema, const int64_t* values, size_t count, Blob blob,
                       bool* created = nullptr, const LateValue* late = nullptr, uint64_t content = 0);
// Appends an event of an already known definition.
void append_event(uint32_t definition, uint16_t stream, uint64_t a, uint64_t b);

}  // namespace maya
