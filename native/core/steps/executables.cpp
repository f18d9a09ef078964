#include "steps/executables.h"

#include <cstring>
#include <utility>

#include "hash.h"

namespace maya {
namespace {

constexpr size_t kFewKernels = 4;  // in an executable that only prepares or reads a number
constexpr const char* kLaunch = "XlaModule:#";
constexpr const char* kNumber = "program_id=";  // autotuners launch modules without one

}  // namespace

void Executables::begin(uint64_t executable, uint64_t thread) {
  Executable& one = known_.try_emplace(executable, Executable{thread}).first->second;
  if (one.thread != thread) return;
  if (!most_ || one.work > most_->work) most_ = &one;
  if (&one == most_) cut_ = std::exchange(launched_, 0);
  if (counts(one)) launched_ = mix(launched_, executable);
  ++one.launches;
  running_ = &one;
}

void Executables::add_work(size_t amount) {
  if (running_) running_->work += amount;
}

// Before it has run nobody knows what it does.
bool Executables::counts(const Executable& executable) const {
  return &executable == most_ || executable.work >= kFewKernels * executable.launches;
}

std::optional<uint64_t> Executables::cut() {
  return std::exchange(cut_, std::nullopt);
}

std::optional<uint64_t> launched_executable(const char* range) {
  if (std::strncmp(range, kLaunch, std::strlen(kLaunch)) != 0 || !std::strstr(range, kNumber)) return {};
  return hash_bytes(range, std::strlen(range));
}

}  // namespace maya
