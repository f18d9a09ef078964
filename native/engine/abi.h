// The engine's plain C interface. Python fills these structures with pointers to its arrays; nothing is
// copied. docs/simulation.md says what the numbers mean.
#pragma once

#include <cstdint>

extern "C" {

// What every rank's host threads issue, in recorded order, rank after rank.
struct MayaProgram {
  int64_t rank_count;
  int64_t stream_count;
  int64_t device_count;
  int64_t slot_count;      // events, one slot a version
  int64_t transfer_count;  // collectives and send/recv pairs, each shared by its ranks
  int64_t resource_count;  // links

  // Calls of a rank, from begin to end. Ranks that do the same share their calls: what is numbered is then
  // that of the first of them, and the rank's own numbers are so much higher. Null: all are their own.
  const int64_t* rank_begin;
  const int64_t* rank_end;
  const int32_t* rank_stream;
  const int32_t* rank_device;
  const int32_t* rank_slot;
  const int32_t* rank_channel;  // [rank_count * channel_count], the first transfer of a channel
  int64_t channel_count;

  // per call
  const uint8_t* op;
  const uint8_t* flags;
  const uint16_t* thread;      // small number within the rank
  const uint16_t* share;       // of the device that a kernel fills, in 1/1024
  const int32_t* stream;       // or the device for sync_device; -1 where none applies
  const int32_t* operand;      // event slot, or first member
  const int32_t* count;        // members of a collective call
  const int32_t* after;        // call of this rank that must have returned, with all before it; -1 for none
  const int64_t* host_ns;      // CPU time before the call takes effect
  const int64_t* duration_ns;  // of work
  const uint8_t* piece;        // the part of the program that its end counts for, or null

  // per stream
  const int32_t* stream_rank;
  const int32_t* stream_device;
  const uint8_t* stream_flags;

  // transfers
  const int32_t* members;             // transfers of each collective call, by operand and count
  const int32_t* member_channel;      // null, or the channel in which `members` counts
  const uint8_t* member_buffered;     // null, or 1 where the call sends what fits the receiver's buffers
  const int32_t* transfer_ranks;      // how many calls must arrive
  const int64_t* transfer_ns;         // alone on its links
  const int64_t* transfer_resources;  // [transfer_count + 1], into the two arrays below
  const int32_t* resource;
  const int32_t* resource_share;  // of the link while it runs alone, in 1/1024
};

struct MayaSettings {
  int64_t launch_latency_ns;  // from the call to the earliest start on an idle device
  int64_t gap_ns;             // between two pieces of work of a stream
  int64_t queue_limit;        // work of a stream that may wait before a launch blocks the host
  int64_t share_links;        // transfers at the same time share their links
  int64_t share_devices;      // kernels at the same time share their device, also with communication
  int64_t comm_share;         // of the device that communication takes, in 1/1024
  int64_t jitter;             // standard deviation of every duration, in 1/65536 of it
  int64_t seed;
  const int64_t* rank_slowness;  // null, or what durations of a rank's work are multiplied by, in 1/65536
};

// -1 marks what never happened: of calls it is written here, all else holds it before. The first six are null
// where only the ends of pieces are wanted.
struct MayaResult {
  int64_t* start_ns;           // per call: start of its work on the device, for a collective its arrival
  int64_t* end_ns;             // per call: end of its work on the device
  int64_t* return_ns;          // per call: when the host went on
  int64_t* issue_ns;           // per call: when it took effect
  int64_t* transfer_start_ns;  // when the last participant arrived
  int64_t* transfer_end_ns;
  int64_t* rank_next;     // per rank: the first call that was not issued
  int64_t* stream_head;   // per stream: the call at which it stands, or -1
  int64_t* piece_end_ns;  // [256], the last end of a call of each piece; used with MayaProgram::piece
};

// 0: everything ran. 1: deadlock; the result tells who waits. 2: the program is malformed.
int maya_engine_run(const MayaProgram* program, const MayaSettings* settings, MayaResult* result);

}  // extern "C"
