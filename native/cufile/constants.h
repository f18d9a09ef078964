// cuFile's numbers.
#pragma once

namespace maya::cufile {

enum Status : int {
  kSuccess = 0,
  kInvalidFileType = 5018,
  kInvalidValue = 5022,
  kMemoryAlreadyRegistered = 5023,
  kMemoryNotRegistered = 5024,
  kHandleNotRegistered = 5027,
};

constexpr int kVersion = 1170;  // 1.17.0
constexpr int kOpaqueFd = 1;    // CU_FILE_HANDLE_TYPE_OPAQUE_FD

enum HandleType : int { kFile = 1 };
enum FileAttribute : int { kDescriptor = 1 };

}  // namespace maya::cufile
