#include "maya/memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "address_space.h"
#include "blocks.h"
#include "known_values.h"
#include "maya/context.h"
#include "maya/device.h"
#include "maya/stream.h"
#include "virtual/clock_link.h"
#include "virtual/timeline.h"

namespace maya {
namespace {

// The driver hands out memory in pages of 2 MiB; small allocations share pages.
constexpr size_t kPage = size_t{2} << 20;
constexpr size_t kSmallAllocation = size_t{1} << 20;
constexpr size_t kAlignment = 512;

struct Physical {
  size_t bytes;
  int device;
  int references;  // the handle itself and each mapping
};

struct Memory {
  std::mutex lock;
  std::map<uintptr_t, Allocation> allocations;
  std::map<int, uint64_t> page_bytes;   // whole pages in use, per device
  std::map<int, uint64_t> small_bytes;  // bytes of small allocations, per device
  std::map<uint64_t, Physical> physical;
  std::map<uintptr_t, uint64_t> mappings;
  uint64_t next_id = 1;
};

Memory& memory() {
  static Memory* instance = new Memory;
  return *instance;
}

size_t round_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

uint64_t used_bytes(Memory& m, int device) {
  return m.page_bytes[device] + round_up(m.small_bytes[device], kPage);
}

uint64_t capacity() {
  const DeviceModel& model = device_model();
  return model.total_memory > model.context_bytes ? model.total_memory - model.context_bytes : 0;
}

bool fits(Memory& m, int device, size_t bytes) {
  bool small = bytes < kSmallAllocation;
  uint64_t after = small ? m.page_bytes[device] + round_up(m.small_bytes[device] + bytes, kPage)
                         : used_bytes(m, device) + round_up(bytes, kPage);
  return after <= capacity();
}

void account(Memory& m, int device, size_t bytes, bool add) {
  bool small = bytes < kSmallAllocation;
  uint64_t& total = small ? m.small_bytes[device] : m.page_bytes[device];
  uint64_t amount = small ? bytes : round_up(bytes, kPage);
  total = add ? total + amount : total - amount;
}

const char* kind_name(MemoryKind kind) {
  static const char* const names[] = {"device", "async", "pinned", "managed", "vmm", "registered"};
  return names[static_cast<int>(kind)];
}

void note_memory(bool alloc, const Allocation& allocation, Stream* stream) {
  static const char* const fields[] = {"what:s", "device"};
  static Schema allocated{"alloc", Kind::alloc, fields, 2};
  static Schema freed{"free", Kind::free, fields, 2};
  note(alloc ? allocated : freed, {intern(kind_name(allocation.kind)), allocation.device},
       stream ? stream->number : 0, allocation.address, allocation.bytes);
  bool waits = !alloc && allocation.kind == MemoryKind::device;  // cudaFree waits for the device
  if (virtual_clock && waits) await_device(allocation.device);
}

// Recorded each time, unlike other information: whether the program went on after it tells how it ended.
void* note_failure(size_t bytes, uint64_t free, int device) {
  static const char* const fields[] = {"text:s"};
  static Schema schema{"out_of_memory", Kind::info, fields, 1};
  char text[128];
  std::snprintf(text, sizeof text, "out of memory: %zu bytes asked for, %llu free on device %d", bytes,
                static_cast<unsigned long long>(free), device);
  note(schema, {intern(text)}, 0, bytes, free);
  return nullptr;
}

bool take(uintptr_t address, Allocation* taken) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  auto found = m.allocations.find(address);
  if (found == m.allocations.end()) return false;
  *taken = found->second;
  m.allocations.erase(found);
  return true;
}

}  // namespace

void* allocate(int device, size_t bytes, MemoryKind kind, Stream* stream) {
  ensure_context(device);
  watch_torch_allocator();
  size_t size = round_up(bytes ? bytes : 1, kAlignment);
  Allocation allocation{0, size, device, kind, 0, 0, owning_context(device)};
  Memory& m = memory();
  {
    std::unique_lock<std::mutex> guard(m.lock);
    if (!fits(m, device, size)) {
      uint64_t free = capacity() - used_bytes(m, device);
      guard.unlock();
      return note_failure(size, free, device);
    }
    allocation.address = address_space().reserve(size, size < kSmallAllocation ? kAlignment : kPage);
    if (!allocation.address) return nullptr;
    allocation.id = m.next_id++;
    account(m, device, size, true);
    m.allocations[allocation.address] = allocation;
  }
  note_memory(true, allocation, stream);
  return reinterpret_cast<void*>(allocation.address);
}

bool deallocate(void* address, Stream* stream) {
  Allocation allocation;
  if (!is_device_address(reinterpret_cast<uintptr_t>(address))) return false;
  if (!take(reinterpret_cast<uintptr_t>(address), &allocation)) return false;
  if (!stream) complete_device(allocation.device);  // only stream-ordered memory is freed without waiting
  known_values().forget_range(allocation.address, allocation.bytes);
  blocks().remove_range(allocation.address, allocation.bytes);
  {
    Memory& m = memory();
    std::lock_guard<std::mutex> guard(m.lock);
    account(m, allocation.device, allocation.bytes, false);
    address_space().release(allocation.address, allocation.bytes);
  }
  note_memory(false, allocation, stream);
  return true;
}

// Mapped memory (vmm) belongs to the process, registered memory to the program.
void release_context_memory(int device, uint64_t context) {
  std::vector<Allocation> gone;
  {
    Memory& m = memory();
    std::lock_guard<std::mutex> guard(m.lock);
    for (const auto& [address, allocation] : m.allocations) {
      bool kept = allocation.kind == MemoryKind::vmm || allocation.kind == MemoryKind::registered;
      if (!kept && allocation.device == device && allocation.context == context) gone.push_back(allocation);
    }
  }
  for (const Allocation& allocation : gone) {
    void* address = reinterpret_cast<void*>(allocation.address);
    if (!deallocate(address)) deallocate_host(address);
  }
}

// Page-locked memory is ordinary memory that is committed when the program touches it.
void* allocate_host(size_t bytes, MemoryKind kind, unsigned flags) {
  size_t size = round_up(bytes ? bytes : 1, 4096);
  void* address =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  Allocation allocation{reinterpret_cast<uintptr_t>(address), size, current_device(), kind, flags, 0,
                        owning_context(current_device())};
  Memory& m = memory();
  {
    std::lock_guard<std::mutex> guard(m.lock);
    allocation.id = m.next_id++;
    m.allocations[allocation.address] = allocation;
  }
  note_memory(true, allocation, nullptr);
  return address;
}

bool deallocate_host(void* address) {
  Allocation allocation;
  if (is_device_address(reinterpret_cast<uintptr_t>(address))) return false;
  if (!take(reinterpret_cast<uintptr_t>(address), &allocation)) return false;
  munmap(address, allocation.bytes);
  note_memory(false, allocation, nullptr);
  return true;
}

bool register_host(void* address, size_t bytes, unsigned flags) {
  Allocation known;
  if (!address || !bytes || find_allocation(address, &known)) return false;
  Memory& m = memory();
  Allocation allocation{
      reinterpret_cast<uintptr_t>(address), bytes, current_device(), MemoryKind::registered, flags, 0};
  {
    std::lock_guard<std::mutex> guard(m.lock);
    allocation.id = m.next_id++;
    m.allocations[allocation.address] = allocation;
  }
  note_memory(true, allocation, nullptr);
  return true;
}

bool unregister_host(void* address) {
  Allocation allocation;
  if (!take(reinterpret_cast<uintptr_t>(address), &allocation)) return false;
  note_memory(false, allocation, nullptr);
  return true;
}

bool find_allocation(const void* address, Allocation* found) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  uintptr_t wanted = reinterpret_cast<uintptr_t>(address);
  auto after = m.allocations.upper_bound(wanted);
  if (after == m.allocations.begin()) return false;
  const Allocation& candidate = std::prev(after)->second;
  if (wanted - candidate.address >= candidate.bytes) return false;
  *found = candidate;
  return true;
}

uintptr_t end_of_memory(uintptr_t address) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  auto next = m.allocations.upper_bound(address);
  if (next == m.allocations.begin()) return 0;
  const Allocation& holder = std::prev(next)->second;
  uintptr_t end = holder.address + holder.bytes;
  if (address >= end) return 0;
  bool pieces = holder.kind == MemoryKind::vmm;
  for (; pieces && next != m.allocations.end() && next->first == end; ++next) end += next->second.bytes;
  return end;
}

bool is_device_address(uintptr_t address) {
  return device_range.contains(address);
}

void memory_info(int device, size_t* free_bytes, size_t* total_bytes) {
  ensure_context(device);
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  *free_bytes = capacity() - used_bytes(m, device);
  *total_bytes = device_model().total_memory;
}

void* reserve_addresses(size_t bytes, size_t alignment) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  size_t unit = alignment > kPage ? alignment : kPage;
  return reinterpret_cast<void*>(address_space().reserve(round_up(bytes, kPage), unit));
}

bool release_addresses(void* address, size_t bytes) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  uintptr_t start = reinterpret_cast<uintptr_t>(address);
  if (!device_range.contains(start)) return false;
  address_space().release(start, round_up(bytes, kPage));
  return true;
}

uint64_t create_physical(int device, size_t bytes) {
  ensure_context(device);
  watch_torch_allocator();
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  size_t size = round_up(bytes, kPage);
  if (!fits(m, device, size)) return 0;
  account(m, device, size, true);
  uint64_t handle = m.next_id++;
  m.physical[handle] = {size, device, 1};
  return handle;
}

namespace {
void drop_physical(Memory& m, std::map<uint64_t, Physical>::iterator entry) {
  if (--entry->second.references > 0) return;
  account(m, entry->second.device, entry->second.bytes, false);
  m.physical.erase(entry);
}
}  // namespace

bool release_physical(uint64_t handle) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  auto entry = m.physical.find(handle);
  if (entry == m.physical.end()) return false;
  drop_physical(m, entry);
  return true;
}

bool map_physical(void* address, size_t bytes, uint64_t handle) {
  Memory& m = memory();
  Allocation allocation{reinterpret_cast<uintptr_t>(address), bytes, 0, MemoryKind::vmm, 0, 0};
  {
    std::lock_guard<std::mutex> guard(m.lock);
    auto entry = m.physical.find(handle);
    if (entry == m.physical.end() || bytes > entry->second.bytes) return false;
    if (m.allocations.count(allocation.address) || !device_range.contains(allocation.address)) return false;
    entry->second.references++;
    allocation.device = entry->second.device;
    allocation.id = m.next_id++;
    m.mappings[allocation.address] = handle;
    m.allocations[allocation.address] = allocation;
  }
  note_memory(true, allocation, nullptr);
  return true;
}

bool unmap_physical(void* address, size_t bytes) {
  uintptr_t at = reinterpret_cast<uintptr_t>(address);
  uintptr_t end = at + bytes;
  while (at < end) {
    Allocation allocation;
    if (!take(at, &allocation)) return false;
    known_values().forget_range(allocation.address, allocation.bytes);
    blocks().remove_range(allocation.address, allocation.bytes);
    {
      Memory& m = memory();
      std::lock_guard<std::mutex> guard(m.lock);
      auto entry = m.physical.find(m.mappings[at]);
      m.mappings.erase(at);
      if (entry != m.physical.end()) drop_physical(m, entry);
    }
    note_memory(false, allocation, nullptr);
    at += allocation.bytes;
  }
  return true;
}

bool physical_size(uint64_t handle, size_t* bytes, int* device) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  auto entry = m.physical.find(handle);
  if (entry == m.physical.end()) return false;
  *bytes = entry->second.bytes;
  *device = entry->second.device;
  return true;
}

bool retain_physical(uint64_t handle) {
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  auto entry = m.physical.find(handle);
  if (entry == m.physical.end()) return false;
  entry->second.references++;
  return true;
}

uint64_t mapped_physical(const void* address) {
  Allocation found;
  if (!find_allocation(address, &found)) return 0;
  Memory& m = memory();
  std::lock_guard<std::mutex> guard(m.lock);
  auto mapping = m.mappings.find(found.address);
  return mapping == m.mappings.end() ? 0 : mapping->second;
}

}  // namespace maya
