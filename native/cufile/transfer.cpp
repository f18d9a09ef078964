#include "transfer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "constants.h"
#include "maya/handles.h"
#include "maya/stream.h"
#include "maya/values.h"

namespace maya::cufile {
namespace {

const char* const kFields[] = {"bytes", "direction", "async", "pageable", "rows"};

int descriptor_of(void* handle) {
  Handle* found = find_handle(handle, Library::cufile, kFile);
  return found ? get<int>(*found, kDescriptor, -1) : -1;
}

void record(Schema& schema, CopyDirection direction, size_t bytes, void* stream, const void* to,
            const void* from) {
  Stream* queue = find_stream(stream);
  if (!queue) return;
  submit(schema, {static_cast<int64_t>(bytes), static_cast<int64_t>(direction), stream != nullptr, 0, 1},
         *queue, reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from));
}

}  // namespace

ssize_t read_file(void* handle, void* device, size_t bytes, off_t file_offset, void* stream) {
  static Schema schema{"cuFileRead", Kind::copy, kFields, 5};
  int file = descriptor_of(handle);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return -kHandleNotRegistered;
  if (!device || file_offset < 0) return -kInvalidValue;
  size_t left = static_cast<size_t>(std::max<off_t>(status.st_size - file_offset, 0));
  bytes = std::min(bytes, left);
  if (bytes <= kSmallTransfer) {
    std::vector<char> content(bytes);
    ssize_t got = pread(file, content.data(), bytes, file_offset);
    if (got < 0) return -1;
    bytes = static_cast<size_t>(got);
    poke(device, content.data(), bytes);
  } else {
    forget(device);
  }
  record(schema, CopyDirection::host_to_device, bytes, stream, device, nullptr);
  return static_cast<ssize_t>(bytes);
}

ssize_t write_file(void* handle, const void* device, size_t bytes, off_t file_offset, void* stream) {
  static Schema schema{"cuFileWrite", Kind::copy, kFields, 5};
  int file = descriptor_of(handle);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return -kHandleNotRegistered;
  if (!device || file_offset < 0) return -kInvalidValue;
  if (bytes <= kSmallTransfer) {
    std::vector<char> content(bytes);
    peek(content.data(), device, bytes);
    if (pwrite(file, content.data(), bytes, file_offset) != static_cast<ssize_t>(bytes)) return -1;
  } else {
    // A hole reads as zeros, which is what the device would be read as.
    off_t end = file_offset + static_cast<off_t>(bytes);
    if (status.st_size < end && ftruncate(file, end) != 0) return -1;
  }
  record(schema, CopyDirection::device_to_host, bytes, stream, nullptr, device);
  return static_cast<ssize_t>(bytes);
}

}  // namespace maya::cufile
