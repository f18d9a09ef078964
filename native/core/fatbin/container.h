// Unpacking of fat binary entries.
#pragma once

#include <memory>

#include "bytes.h"
#include "maya/fatbin.h"

namespace maya::fatbin {

constexpr uint32_t kWrapperMagic = 0x466243b1;
constexpr uint32_t kFatbinMagic = 0xba55ed50;

// Whether code for `image_sm` runs on `device_sm`: same major, no later minor.
bool cubin_runs_on(int image_sm, ImageScope scope, int device_sm);

// The entry's contents, in `storage` where they had to be unpacked.
bool unpack(const FatbinEntry& entry, std::unique_ptr<uint8_t[]>* storage, Bytes* contents,
            std::string* error);

}  // namespace maya::fatbin
