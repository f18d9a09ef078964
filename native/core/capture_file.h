// The capture as a growing memory-mapped file: what is stored survives a crash of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "capture_format.h"

namespace maya {

// What another process may see of a capture while it grows.
enum class CaptureState { none, used, steps };
CaptureState capture_state(const std::string& path);
std::string capture_name(int rank, int pid);

class CaptureFile {
 public:
  // False with errno set when the file cannot be made or the disk is full.
  bool create(const std::string& path, int rank, int world_size, int device_count);
  // Zeroed space for a block's payload; nullptr when the disk is full. Pointers stay valid until close().
  // Readers of the growing file see nothing of the block, nor of what follows, until it is published.
  char* append(BlockType type, size_t payload_bytes);
  void publish();
  // From now on its state is `steps`.
  void mark_steps();
  void close();
  bool is_open() const { return descriptor_ >= 0; }

 private:
  bool ensure(size_t bytes);

  int descriptor_ = -1;
  char* base_ = nullptr;
  size_t mapped_ = 0;
  size_t used_ = 0;
  uint32_t* unpublished_ = nullptr;  // where the type of the block that is being filled will stand
  BlockType unpublished_type_{};
};

}  // namespace maya
