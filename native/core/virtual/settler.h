// A thread that hears when other ranks have come to a collective, and gives the work behind it its time.
//
// It must be another than the program's: a rank may wait for something else while others wait to hear of it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "maya/progress.h"

namespace maya {

class Settler {
 public:
  // `lock`: of the times of all streams.
  explicit Settler(std::mutex& lock) : lock_(lock) {}

  // The step is taken now, or when what it waits for is known. The lock is held.
  void give(const std::shared_ptr<Progress>& stream, PendingStep step);
  // Waits, with the lock, until it is so. Virtual time stands meanwhile.
  void await(std::unique_lock<std::mutex>& held, const std::function<bool()>& is_so);
  bool has_pending(int device) const;

 private:
  void start();
  [[noreturn]] void run();
  bool take_steps();
  std::vector<std::shared_ptr<Meeting>> meetings() const;

  std::mutex& lock_;
  std::vector<std::shared_ptr<Progress>> streams_;  // with pending steps
  bool running_ = false;
};

}  // namespace maya
