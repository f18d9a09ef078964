// Moving bytes between a file and the device's address space.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace maya::cufile {

// Bytes moved, or minus a status. What is small is really moved; of larger transfers only the file's size
// follows.
ssize_t read_file(void* handle, void* device, size_t bytes, off_t file_offset, void* stream);
ssize_t write_file(void* handle, const void* device, size_t bytes, off_t file_offset, void* stream);

}  // namespace maya::cufile
