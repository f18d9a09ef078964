#include "capture_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "clock.h"
#include "maya/run_files.h"

namespace maya {
namespace {

// Address space set aside so that the file can grow without moving: a capture larger than this is refused.
constexpr size_t kReserved = size_t{1} << 36;
constexpr size_t kGrowth = size_t{1} << 21;

// Growing past the limit on a file's size is answered with a signal that ends the program; here it is only an
// error, of the capture.
int allocate_on_disk(int descriptor, off_t offset, off_t bytes) {
  sigset_t too_large, before;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large, &before);
  int error = posix_fallocate(descriptor, offset, bytes);
  const timespec at_once{};
  if (error == EFBIG) sigtimedwait(&too_large, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace

std::string capture_name(int rank, int pid) {
  std::string name = std::to_string(pid) + run_files::kCaptureSuffix;
  return rank < 0 ? name : "rank" + std::to_string(rank) + "-" + name;
}

CaptureState capture_state(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return CaptureState::none;
  Header header{};
  bool whole = read(file, &header, sizeof header) == sizeof header && header.version != 0;
  ::close(file);
  if (!whole) return CaptureState::none;
  return header.steps_seen ? CaptureState::steps : CaptureState::used;
}

bool CaptureFile::create(const std::string& path, int rank, int world_size, int device_count) {
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) return false;
  void* space = mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  base_ = space == MAP_FAILED ? nullptr : static_cast<char*>(space);
  if (!base_ || !ensure(sizeof(Header))) {
    ::close(descriptor_);
    descriptor_ = -1;
    return false;
  }
  Header header{};
  std::memcpy(header.magic, "MAYACAP", 8);
  header.version = kVersion;
  header.header_bytes = sizeof header;
  header.start_unix_ns = read_clock(CLOCK_REALTIME);
  header.pid = static_cast<uint32_t>(getpid());
  header.rank = rank;
  header.world_size = static_cast<uint32_t>(world_size);
  header.device_count = static_cast<uint32_t>(device_count);
  std::memcpy(base_, &header, sizeof header);
  used_ = sizeof header;
  return true;
}

// Space is allocated on disk before it is mapped: writing to a mapped hole of a full disk would be a SIGBUS.
bool CaptureFile::ensure(size_t bytes) {
  if (bytes <= mapped_) return true;
  size_t target = (bytes + kGrowth - 1) / kGrowth * kGrowth;
  if (target > kReserved) {
    errno = EFBIG;
    return false;
  }
  if (int error =
          allocate_on_disk(descriptor_, static_cast<off_t>(mapped_), static_cast<off_t>(target - mapped_))) {
    errno = error;
    return false;
  }
  void* mapped = mmap(base_ + mapped_, target - mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                      descriptor_, static_cast<off_t>(mapped_));
  if (mapped == MAP_FAILED) return false;
  mapped_ = target;
  return true;
}

char* CaptureFile::append(BlockType type, size_t payload_bytes) {
  size_t padded = (payload_bytes + 7) / 8 * 8;
  if (!ensure(used_ + sizeof(BlockHeader) + padded)) return nullptr;
  auto* header = reinterpret_cast<BlockHeader*>(base_ + used_);
  header->payload_bytes = static_cast<uint32_t>(payload_bytes);
  unpublished_ = &header->type;
  unpublished_type_ = type;
  used_ += sizeof *header + padded;
  return reinterpret_cast<char*>(header + 1);
}

// The type is stored last: a reader, or a capture that was cut off here, has either the whole block or none.
void CaptureFile::publish() {
  __atomic_store_n(unpublished_, static_cast<uint32_t>(unpublished_type_), __ATOMIC_RELEASE);
}

void CaptureFile::mark_steps() {
  if (is_open()) reinterpret_cast<Header*>(base_)->steps_seen = 1;
}

void CaptureFile::close() {
  if (descriptor_ < 0) return;
  munmap(base_, kReserved);
  // A failure leaves zeros at the end, which readers skip.
  if (ftruncate(descriptor_, static_cast<off_t>(used_)) != 0) errno = 0;
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace maya
