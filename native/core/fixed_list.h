// A list of a few things that asks for no memory: launches are read into such, thousands in each step.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace maya {

template <typename T, size_t kMost>
class FixedList {
 public:
  FixedList() = default;
  FixedList(const FixedList& other) { *this = other; }
  // Only what is there: most of the room is unused.
  FixedList& operator=(const FixedList& other) {
    count_ = other.count_;
    for (size_t i = 0; i < count_; ++i) items_[i] = other.items_[i];
    return *this;
  }

  void push_back(const T& item) {
    if (count_ == kMost) std::abort();  // whoever fills the list bounds what it reads
    items_[count_++] = item;
  }
  void clear() { count_ = 0; }

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + count_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + count_; }

 private:
  T items_[kMost];
  size_t count_ = 0;
};

}  // namespace maya
