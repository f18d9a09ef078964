#include "maya/memory.h"

namespace maya {

void* open_shared(int device, size_t bytes) {
  constexpr size_t kPage = size_t{2} << 20;
  const size_t size = (bytes + kPage - 1) / kPage * kPage;
  uint64_t physical = create_physical(device, size);
  if (!physical) return nullptr;
  void* address = reserve_addresses(size, kPage);
  if (address) map_physical(address, size, physical);
  release_physical(physical);  // the mapping keeps it
  return address;
}

bool close_shared(void* address) {
  Allocation found;
  if (!find_allocation(address, &found) || found.kind != MemoryKind::vmm) return false;
  if (found.address != reinterpret_cast<uintptr_t>(address)) return false;
  return unmap_physical(address, found.bytes) && release_addresses(address, found.bytes);
}

}  // namespace maya
