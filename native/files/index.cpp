#include "index.h"

#include <sys/mman.h>

#include "sys.h"

namespace maya::files {
namespace {

constexpr uint64_t kFlags = 7;
constexpr size_t kSlots = size_t{1} << 18;  // 2 MiB
constexpr size_t kHeaderBytes = 4096;
constexpr size_t kBytes = kHeaderBytes + kSlots * sizeof(uint64_t);

char* base = nullptr;

uint64_t* slots() {
  return reinterpret_cast<uint64_t*>(base + kHeaderBytes);
}
uint64_t mixed(uint64_t hash) {
  hash ^= hash >> 31;
  hash *= 0x9e3779b97f4a7c15u;
  hash &= ~kFlags;
  return hash ? hash : 8;
}

}  // namespace

bool index_open(const Text& root) {
  Text path;
  if (!path.set(root.text) || !path.append("/index")) return false;
  int file = sys::open(path.text, O_RDWR | O_CREAT, 0600);
  if (file < 0) return false;
  // Space that was not set aside would be missed by a signal, not an error.
  long room = sys::call(SYS_fallocate, file, 0, 0, kBytes);
  bool sized = room == 0 || (room == -EOPNOTSUPP && sys::call(SYS_ftruncate, file, kBytes) == 0);
  long address = sys::call(SYS_mmap, nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  sys::close(file);
  if (!sized || (address < 0 && address > -4096)) return false;
  base = reinterpret_cast<char*>(address);
  return true;
}

Totals& totals() {
  return *reinterpret_cast<Totals*>(base);
}

uint64_t marks_of(uint64_t hash) {
  const uint64_t key = mixed(hash);
  for (size_t i = key >> 3;; ++i) {
    uint64_t slot = __atomic_load_n(&slots()[i % kSlots], __ATOMIC_ACQUIRE);
    if (!slot) return 0;
    if ((slot & ~kFlags) == key) return slot & kFlags;
  }
}

bool mark(uint64_t hash, uint64_t marks) {
  if (totals().marks > kSlots / 4 * 3) return false;
  const uint64_t key = mixed(hash);
  for (size_t i = key >> 3;; ++i) {
    uint64_t* slot = &slots()[i % kSlots];
    uint64_t seen = 0;
    if (__atomic_compare_exchange_n(slot, &seen, key | marks, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      count(totals().marks, 1);
      return true;
    }
    if ((seen & ~kFlags) != key) continue;
    __atomic_fetch_or(slot, marks, __ATOMIC_ACQ_REL);
    return true;
  }
}

}  // namespace maya::files
