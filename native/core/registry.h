// Objects that programs hold by pointer: alive or not is a look-up, never a guess.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace maya {

template <typename T>
class Registry {
 public:
  T* add(std::unique_ptr<T> object) {
    std::lock_guard<std::mutex> guard(lock_);
    T* raw = object.get();
    objects_[raw] = std::move(object);
    return raw;
  }

  T* find(const void* handle) {
    std::lock_guard<std::mutex> guard(lock_);
    auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.get();
  }

  template <typename Predicate>
  std::vector<T*> select(Predicate wanted) {
    std::lock_guard<std::mutex> guard(lock_);
    std::vector<T*> found;
    for (const auto& entry : objects_) {
      if (wanted(*entry.second)) found.push_back(entry.second.get());
    }
    return found;
  }

  // The object itself, so that its owner can finish with it outside the lock.
  std::unique_ptr<T> remove(const void* handle) {
    std::lock_guard<std::mutex> guard(lock_);
    auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::unique_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  std::mutex lock_;
  std::unordered_map<const void*, std::unique_ptr<T>> objects_;
};

}  // namespace maya
