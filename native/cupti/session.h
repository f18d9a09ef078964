// What the tool asked for, and the buffers it gave.
#pragma once

#include <cstddef>
#include <cstdint>

#include "constants.h"

namespace maya::cupti {

using BufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                 size_t valid_bytes);

void register_buffer_callbacks(BufferRequested requested, BufferCompleted completed);

bool enabled(int kind);
void enable(int kind, bool on);
void disable_all();

// Appends a record to the current buffer; asks for another when it is full, drops the record when there is
// none.
void write_record(const void* record, size_t bytes);
// Hands the current buffer back.
void flush();
size_t take_dropped();

// External ids that the calling thread has pushed, the latest per kind.
bool push_external(int kind, uint64_t id);
bool pop_external(int kind, uint64_t* id);
bool top_external(int kind, uint64_t* id);

}  // namespace maya::cupti
