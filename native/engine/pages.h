// Memory for the engine's state in huge pages: the state of thousands of ranks is visited at random, and with
// pages of 4 KiB most of the time goes into finding them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maya::engine {

// What is given back is used again; with the last of it all goes back to the system.
class Pages {
 public:
  void* take(size_t bytes);
  void give_back(void* at, size_t bytes);

 private:
  static constexpr size_t kClasses = 20;  // powers of two; what is larger has pages of its own
  struct Free {
    Free* next;
  };
  struct Chunk {
    void* at;
    size_t bytes;
  };

  void* carve(size_t bytes);

  Free* free_[kClasses] = {};
  std::vector<Chunk> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t live_ = 0;  // pieces that are in use
};

// Of this thread: a simulation lives within one call.
Pages& this_threads_pages();

template <typename T>
struct PageAllocator {
  using value_type = T;
  PageAllocator() = default;
  template <typename U>
  PageAllocator(const PageAllocator<U>&) {}

  T* allocate(size_t count) { return static_cast<T*>(this_threads_pages().take(count * sizeof(T))); }
  void deallocate(T* at, size_t count) { this_threads_pages().give_back(at, count * sizeof(T)); }
  bool operator==(const PageAllocator&) const { return true; }
  bool operator!=(const PageAllocator&) const { return false; }
};

template <typename T>
using Vector = std::vector<T, PageAllocator<T>>;

}  // namespace maya::engine
