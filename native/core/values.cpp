#include "maya/values.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "assumptions.h"
#include "kernels/norms.h"
#include "kernels/values/memory_view.h"
#include "known_values.h"
#include "maya/exchange.h"
#include "maya/graph.h"
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
  if (expected_count && bytes >= sizeof(int32_t) && bytes <= sizeof expected_count) {
    std::memcpy(dst, &expected_count, bytes);
    return "count: " + std::to_string(expected_count);
  }
  return give_assumed(dst, src, bytes);
}

void give_known(void* dst, const MemoryView& source) {
  MemoryUpdate update(number(dst), source.bytes.size());
  for (size_t i = 0; i < source.bytes.size(); ++i) {
    if (source.known[i]) *update.give(i, 1) = source.bytes[i];
  }
  apply_update(update);
}

// What is known of the source is known at the target, byte by byte.
void move_on_device(void* dst, const void* src, size_t bytes) {
  constexpr size_t kMostAssumed = 1024;  // bytes
  auto assumed = assumptions().within(number(src), std::min(bytes, kMostAssumed));
  bool small = bytes <= kSmallTransfer;
  if (small && known_values().knows(number(src), bytes)) {
    std::memmove(dst, src, bytes);
    known_values().learn(number(dst), bytes);
  } else {
    MemoryView source = small ? view_memory(number(src), bytes) : MemoryView{};
    known_values().forget_range(number(dst), bytes);
    if (source.any) give_known(dst, source);
  }
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

// One row too large to be moved, or of a copy that is.
void lose_row(CopyDirection direction, void* dst, size_t bytes) {
  if (direction == CopyDirection::device_to_host) std::memset(dst, 0, bytes);
  if (is_device_address(number(dst))) known_values().forget_range(number(dst), bytes);
}

bool pageable(const void* host) {
  Allocation found;
  return !find_allocation(host, &found);
}

struct Rows {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t width;
  size_t height;
};

// As `move`, of every row.
std::string move_rows(CopyDirection direction, const Rows& rows) {
  if (rows.height == 1) return move(direction, rows.dst, rows.src, rows.width);
  bool small = rows.width * rows.height <= kSmallTransfer || direction == CopyDirection::host_to_host;
  std::string given = !small && direction == CopyDirection::device_to_host ? "zeros" : "";
  for (size_t row = 0; row < rows.height; ++row) {
    char* dst = static_cast<char*>(rows.dst) + row * rows.dst_pitch;
    const char* src = static_cast<const char*>(rows.src) + row * rows.src_pitch;
    std::string answer = small ? move(direction, dst, src, rows.width) : "";
    if (!small) lose_row(direction, dst, rows.width);
    if (!answer.empty()) given = answer;
  }
  return given;
}

void note_read(CopyDirection direction, const Rows& rows, const std::string& given) {
  if (!given.empty()) return count_value_read(rows.width * rows.height, given);
  if (direction == CopyDirection::device_to_host) note_norm_read(rows.src);
}

// A copy of a graph that is launched. Pageable memory that it was captured from may be gone by now.
void move_again(CopyDirection direction, const Rows& rows) {
  if (direction == CopyDirection::host_to_device && pageable(rows.src)) {
    for (size_t row = 0; row < rows.height; ++row) {
      lose_row(direction, static_cast<char*>(rows.dst) + row * rows.dst_pitch, rows.width);
    }
    return;
  }
  note_read(direction, rows, move_rows(direction, rows));
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
  Rows rows{dst, bytes, src, bytes, bytes, 1};
  if (stream.capture) postpone(stream, [direction, rows] { move_again(direction, rows); });
  std::string given = stream.capture ? "" : move_rows(direction, rows);
  submit_copy(direction, dst, src, bytes, 1, stream, blocking);
  if (!stream.capture) note_read(direction, rows, given);
}

void copy_2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
             Stream& stream, bool blocking) {
  CopyDirection direction = direction_of(dst, src);
  device_written(number(dst));
  Rows rows{dst, dst_pitch, src, src_pitch, width, height};
  if (stream.capture) postpone(stream, [direction, rows] { move_again(direction, rows); });
  std::string given = stream.capture ? "" : move_rows(direction, rows);
  submit_copy(direction, dst, src, width * height, height, stream, blocking);
  if (!stream.capture) note_read(direction, rows, given);
}

namespace {
void fill_values(void* dst, uint32_t value, size_t element, size_t count) {
  size_t bytes = element * count;
  bool on_device = is_device_address(number(dst));
  if (on_device && bytes > kSmallTransfer) return known_values().forget_range(number(dst), bytes);
  for (size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(dst) + i * element, &value, element);
  if (on_device) known_values().learn(number(dst), bytes);
}
}  // namespace

void fill(void* dst, uint32_t value, size_t element, size_t count, Stream& stream) {
  static const char* const fields[] = {"bytes", "value", "element"};
  static Schema schema{"memset", Kind::memset, fields, 3};
  size_t bytes = element * count;
  device_written(number(dst));
  if (stream.capture) {
    postpone(stream, [=] { fill_values(dst, value, element, count); });
  } else {
    fill_values(dst, value, element, count);
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
  if (is_capturing()) {
    Block reach = reachable_from(number(device_address));
    postpone([reach] { known_values().forget_range(reach.start, reach.end - reach.start); });
  }
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
  maya::follow_norm(to, false);
}

void maya_expect_count(int64_t count) {
  maya::expected_count = maya::config().unknown_zeros ? 0 : count;
}

void maya_assume_one(const void* address, size_t width) {
  if (maya::config().unknown_zeros || maya::values_known(address, width)) return;
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

void maya_assume(const void* address, const void* number, size_t width, int real, int stands_for) {
  auto at = reinterpret_cast<uintptr_t>(address);
  if (maya::config().unknown_zeros || !maya::is_device_address(at)) return;
  maya::Assumption assumption{
      static_cast<maya::StandsFor>(stands_for), real != 0, static_cast<uint8_t>(width), {}};
  if (width > sizeof assumption.bytes) return;
  std::memcpy(assumption.bytes, number, width);
  maya::known_values().forget_range(at, width);
  maya::assumptions().set(at, assumption);
}

int maya_likely(void* to, const void* address, size_t width) {
  auto at = reinterpret_cast<uintptr_t>(address);
  maya::Assumption found;
  if (maya::known_values().knows(at, width)) {
    maya::known_values().read(to, at, width);
    return 1;
  }
  if (!maya::assumptions().find(at, &found) || found.width != width) return 0;
  std::memcpy(to, found.bytes, width);
  return 1;
}
