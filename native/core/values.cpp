#include "maya/values.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "assumptions.h"
#include "kernels/norms.h"
#include "known_values.h"
#include "maya/exchange.h"
#include "maya/memory.h"
#include "maya/runtime.h"
#include "maya/stream.h"
#include "saving.h"
#include "steps/backward.h"

namespace maya {
namespace {

// Above this a host buffer is left as it is: zeroing a checkpoint's worth of pages would commit them all.
constexpr size_t kLargestZeroFill = size_t{64} << 20;

std::atomic<uint64_t> unknown_reads{0};
thread_local int64_t expected_count = 0;

uintptr_t number(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

CopyDirection direction_of(const void* dst, const void* src) {
  bool to_device = is_device_address(number(dst));
  bool from_device = is_device_address(number(src));
  if (!to_device && !from_device) return CopyDirection::host_to_host;
  if (!from_device) return CopyDirection::host_to_device;
  if (!to_device) return CopyDirection::device_to_host;
  Allocation a, b;
  bool peers = find_allocation(dst, &a) && find_allocation(src, &b) && a.device != b.device;
  return peers ? CopyDirection::peer : CopyDirection::device_to_device;
}

void count_value_read(size_t bytes, const std::string& answer = "zeros") {
  if (is_saving()) return;  // a checkpoint decides nothing in this run
  static const char* const fields[] = {"site:s", "bytes", "answer:s", "branches"};
  static Schema schema{"value_read", Kind::value_read, fields, 4};
  std::string site = python_site();
  count_unknown_answer();
  note(schema,
       {intern(site.c_str()), static_cast<int64_t>(bytes), intern(answer.c_str()), python_branches()});
}

// What is assumed of unknown bytes, given to the host; how it is called.
std::string give_assumed(void* dst, const void* src, size_t bytes) {
  std::string answer = "zeros";
  for (const auto& [address, assumption] : assumptions().within(number(src), bytes)) {
    size_t offset = address - number(src);
    if (offset + assumption.width > bytes) continue;
    std::memcpy(static_cast<char*>(dst) + offset, assumption.bytes, assumption.width);
    answer = describe(assumption);
  }
  return answer;
}

// Device to host: what a kernel would have made is given as is assumed of it, or as zeros. What was given in
// the place of unknown bytes; empty when all were known.
std::string give_to_host(void* dst, const void* src, size_t bytes) {
  if (bytes > kSmallTransfer) {
    if (bytes <= kLargestZeroFill) std::memset(dst, 0, bytes);
    return "zeros";
  }
  settle(src, bytes, Reader::host);
  if (known_values().read(dst, number(src), bytes)) return "";
  if (expected_count && bytes <= sizeof expected_count) {
    std::memcpy(dst, &expected_count, bytes);
    return "count: " + std::to_string(expected_count);
  }
  return give_assumed(dst, src, bytes);
}

// What is known from the start of the source is known at the target.
void move_on_device(void* dst, const void* src, size_t bytes) {
  constexpr size_t kMostAssumed = 1024;  // bytes
  size_t known = bytes > kSmallTransfer ? 0 : known_values().known_prefix(number(src), bytes);
  auto assumed = assumptions().within(number(src), std::min(bytes, kMostAssumed));
  std::memmove(dst, src, known);
  known_values().forget_range(number(dst), bytes);
  known_values().learn(number(dst), known);
  for (const auto& [address, assumption] : assumed) {
    assumptions().set(number(dst) + (address - number(src)), assumption);
  }
  follow_norm(dst, follows_norm(src));
}

void take_from_host(void* dst, const void* src, size_t bytes) {
  if (bytes > kSmallTransfer) {
    known_values().forget_range(number(dst), bytes);
    return;
  }
  std::memcpy(dst, src, bytes);
  known_values().learn(number(dst), bytes);
  follow_norm(dst, false);
}

// Moves what can be moved; what the host got in the place of bytes that no host ever made, empty where it
// got none.
std::string move(CopyDirection direction, void* dst, const void* src, size_t bytes) {
  switch (direction) {
    case CopyDirection::host_to_host:
      std::memmove(dst, src, bytes);
      return "";
    case CopyDirection::host_to_device:
      take_from_host(dst, src, bytes);
      return "";
    case CopyDirection::device_to_host:
      return give_to_host(dst, src, bytes);
    default:
      move_on_device(dst, src, bytes);
      return "";
  }
}

bool pageable(const void* host) {
  Allocation found;
  return !find_allocation(host, &found);
}

void submit_copy(CopyDirection direction, void* dst, const void* src, size_t bytes, size_t rows,
                 Stream& stream, bool blocking) {
  static const char* const fields[] = {"bytes", "direction", "async", "pageable", "rows"};
  static Schema schema{"memcpy", Kind::copy, fields, 5};
  const void* host = direction == CopyDirection::host_to_device   ? src
                     : direction == CopyDirection::device_to_host ? dst
                                                                  : nullptr;
  submit(schema,
         {static_cast<int64_t>(bytes), static_cast<int64_t>(direction), !blocking, host && pageable(host),
          static_cast<int64_t>(rows)},
         stream, number(dst), number(src));
  // From a device, pageable memory is only ever filled before the call returns.
  bool waits = blocking || (direction == CopyDirection::device_to_host && pageable(host));
  if (waits && !stream.capture) complete_stream(stream.progress);
}

}  // namespace

void copy(void* dst, const void* src, size_t bytes, Stream& stream, bool blocking) {
  CopyDirection direction = direction_of(dst, src);
  device_written(number(dst));
  std::string given = stream.capture ? "" : move(direction, dst, src, bytes);
  submit_copy(direction, dst, src, bytes, 1, stream, blocking);
  if (!given.empty()) {
    count_value_read(bytes, given);
  } else if (direction == CopyDirection::device_to_host) {
    note_norm_read(src);
  }
}

void copy_2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
             Stream& stream, bool blocking) {
  CopyDirection direction = direction_of(dst, src);
  device_written(number(dst));
  bool unknown = false;
  bool small = width * height <= kSmallTransfer;
  for (size_t row = 0; row < height && !stream.capture && small; ++row) {
    unknown |= !move(direction, static_cast<char*>(dst) + row * dst_pitch,
                     static_cast<const char*>(src) + row * src_pitch, width)
                    .empty();
  }
  submit_copy(direction, dst, src, width * height, height, stream, blocking);
  if (unknown || (!small && direction == CopyDirection::device_to_host)) count_value_read(width * height);
}

void fill(void* dst, uint32_t value, size_t element, size_t count, Stream& stream) {
  static const char* const fields[] = {"bytes", "value", "element"};
  static Schema schema{"memset", Kind::memset, fields, 3};
  size_t bytes = element * count;
  device_written(number(dst));
  if (is_device_address(number(dst)) && !stream.capture) {
    if (bytes <= kSmallTransfer) {
      for (size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(dst) + i * element, &value, element);
      known_values().learn(number(dst), bytes);
    } else {
      known_values().forget_range(number(dst), bytes);
    }
  }
  submit(schema, {static_cast<int64_t>(bytes), value, static_cast<int64_t>(element)}, stream, number(dst));
}

bool values_known(const void* address, size_t bytes) {
  return !is_device_address(number(address)) || known_values().knows(number(address), bytes);
}

size_t known_prefix(const void* address, size_t bytes) {
  return is_device_address(number(address)) ? known_values().known_prefix(number(address), bytes) : bytes;
}

void peek(void* to_host, const void* from, size_t bytes) {
  if (is_device_address(number(from))) {
    known_values().read(to_host, number(from), bytes);
  } else {
    std::memcpy(to_host, from, bytes);
  }
}

void poke(void* to, const void* from_host, size_t bytes) {
  std::memcpy(to, from_host, bytes);
  if (is_device_address(number(to))) known_values().learn(number(to), bytes);
}

void forget(const void* device_address) {
  if (!is_device_address(number(device_address))) return;
  device_written(number(device_address));
  known_values().forget_reachable(number(device_address));
}

void count_unknown_answer() {
  unknown_reads.fetch_add(1, std::memory_order_relaxed);
}

void host_reads_result(void* host_pointer, size_t bytes) {
  if (!host_pointer) return;
  if (is_device_address(number(host_pointer))) {
    forget(host_pointer);
    return;
  }
  std::memset(host_pointer, 0, bytes);
  count_value_read(bytes);
}

}  // namespace maya

size_t maya_known_bytes(const void* address, size_t bytes, uint8_t* mask) {
  return maya::known_values().mask(mask, maya::number(address), bytes);
}

void maya_peek(void* to_host, const void* from, size_t bytes) {
  maya::peek(to_host, from, bytes);
}

void maya_poke(void* to, const void* from_host, size_t bytes) {
  maya::poke(to, from_host, bytes);
}

void maya_expect_count(int64_t count) {
  maya::expected_count = maya::config().unknown_zeros ? 0 : count;
}

void maya_assume_one(const void* address, size_t width) {
  if (maya::config().unknown_zeros || !maya::is_device_address(maya::number(address))) return;
  maya::Assumption one{maya::StandsFor::mean, true, static_cast<uint8_t>(width), {}};
  float single = 1;
  double number = 1;
  if (width == sizeof single) std::memcpy(one.bytes, &single, sizeof single);
  if (width == sizeof number) std::memcpy(one.bytes, &number, sizeof number);
  if (width >= sizeof single) maya::assumptions().set(maya::number(address), one);
}

void maya_assume_condition(const void* address, size_t count, int holds) {
  if (maya::config().unknown_zeros) return;
  uint8_t known = 0;
  for (uintptr_t one = maya::number(address); count > 0; --count, ++one) {
    if (!maya::is_device_address(one) || maya::known_values().mask(&known, one, 1)) continue;
    maya::Assumption answer{holds ? maya::StandsFor::all : maya::StandsFor::any, false, 1, {}};
    answer.bytes[0] = static_cast<char>(holds != 0);
    maya::assumptions().set(one, answer);
  }
}

uint64_t maya_unknown_reads() {
  return maya::unknown_reads.load(std::memory_order_relaxed);
}
