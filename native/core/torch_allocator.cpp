// PyTorch's caching allocator tells nobody which pieces it hands out, and hands out the same addresses again
// and again. Its one object is reached through an exported pointer; its table of virtual functions is
// replaced by a copy whose `allocate` also tells us.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>

#include "blocks.h"
#include "known_values.h"
#include "maya/exchange.h"
#include "maya/memory.h"

namespace maya {
namespace {

constexpr const char* kLibrary = "libc10_cuda.so";
constexpr const char* kAllocator = "_ZN3c104cuda20CUDACachingAllocator9allocatorE";
constexpr size_t kRounding = 512;  // of the sizes that the allocator works with

// c10::Allocator declares its destructor, which fills two slots, and then `DataPtr allocate(size_t)`.
constexpr size_t kAllocateSlot = 2;
// In front of the first slot stand the offset to the whole object and its type. The class has about fifty
// functions; what is copied beyond them is never called.
constexpr size_t kHead = 2;
constexpr size_t kSlots = 128;

// As c10::DataPtr is returned: its destructor, empty here, makes the caller provide the room.
struct DataPtr {
  void* data;
  void* context;
  void (*deleter)(void*);
  uint16_t device;
  ~DataPtr() {}
};
using Allocate = DataPtr (*)(void* allocator, size_t bytes);

Allocate torch_allocate = nullptr;

DataPtr allocate_and_tell(void* allocator, size_t bytes) {
  DataPtr result = torch_allocate(allocator, bytes);
  auto address = reinterpret_cast<uintptr_t>(result.data);
  if (bytes && is_device_address(address)) {
    size_t rounded = (bytes + kRounding - 1) / kRounding * kRounding;
    bool may_hold_values = blocks().add(address, rounded);
    if (may_hold_values || exchanges_under_way.load(std::memory_order_relaxed)) {
      known_values().forget_block({address, address + rounded});
    }
  }
  return result;
}

// std::type_info: its own table, then the name.
bool is_allocator(void** table) {
  auto** type = static_cast<const char**>(table[-1]);
  return type && type[1] && std::strstr(type[1], "Alloc");
}

void replace_table(void* allocator) {
  void** table = *static_cast<void***>(allocator);
  if (!is_allocator(table)) return;
  static void* copy[kHead + kSlots];
  std::copy(table - kHead, table + kSlots, std::begin(copy));
  torch_allocate = reinterpret_cast<Allocate>(copy[kHead + kAllocateSlot]);
  copy[kHead + kAllocateSlot] = reinterpret_cast<void*>(allocate_and_tell);
  *static_cast<void***>(allocator) = copy + kHead;
}

}  // namespace

void watch_torch_allocator() {
  static std::atomic<bool> done{false};
  if (done) return;
  void* library = dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD);
  if (!library || done.exchange(true)) return;
  auto* allocator = static_cast<std::atomic<void*>*>(dlsym(library, kAllocator));
  if (allocator && *allocator) replace_table(*allocator);
}

}  // namespace maya
