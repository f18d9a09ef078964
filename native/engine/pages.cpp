#include "pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace maya::engine {
namespace {

constexpr size_t kSmallest = 16;
constexpr size_t kHuge = size_t{2} << 20;
constexpr size_t kLargestChunk = 32 * kHuge;

size_t class_of(size_t bytes) {
  size_t number = 0;
  while ((kSmallest << number) < bytes) ++number;
  return number;
}

// Begins at a multiple of a huge page, since only whole ones can be had.
void* map(size_t bytes) {
  void* mapped = mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) std::abort();
  uintptr_t from = reinterpret_cast<uintptr_t>(mapped), at = (from + kHuge - 1) / kHuge * kHuge;
  if (at > from) munmap(mapped, at - from);
  if (from + kHuge > at) munmap(reinterpret_cast<void*>(at + bytes), from + kHuge - at);
  madvise(reinterpret_cast<void*>(at), bytes, MADV_HUGEPAGE);  // where the system has none, small ones do
  return reinterpret_cast<void*>(at);
}

size_t whole_pages(size_t bytes) {
  return (bytes + kHuge - 1) / kHuge * kHuge;
}

}  // namespace

Pages& this_threads_pages() {
  thread_local Pages* pages = new Pages;  // a few words, kept as long as the process
  return *pages;
}

void* Pages::take(size_t bytes) {
  ++live_;
  size_t number = class_of(bytes);
  if (number >= kClasses) return map(whole_pages(bytes));
  if (Free* found = free_[number]) {
    free_[number] = found->next;
    return found;
  }
  return carve(kSmallest << number);
}

void* Pages::carve(size_t bytes) {
  if (left_ < bytes) {
    size_t chunk = chunks_.empty() ? 2 * kHuge : std::min(2 * chunks_.back().bytes, kLargestChunk);
    chunk = std::max(chunk, whole_pages(bytes));
    chunks_.push_back({map(chunk), chunk});
    next_ = static_cast<char*>(chunks_.back().at);
    left_ = chunk;
  }
  char* found = next_;
  next_ += bytes;
  left_ -= bytes;
  return found;
}

void Pages::give_back(void* at, size_t bytes) {
  size_t number = class_of(bytes);
  if (number >= kClasses) {
    munmap(at, whole_pages(bytes));
  } else {
    Free* made = static_cast<Free*>(at);
    made->next = free_[number];
    free_[number] = made;
  }
  if (--live_ > 0) return;
  for (const Chunk& chunk : chunks_) munmap(chunk.at, chunk.bytes);
  *this = Pages();
}

}  // namespace maya::engine
