// Device memory that a library takes for itself: no address that a program could see, but less for the
// program.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maya/exchange.h"
#include "maya/record.h"

namespace maya {

// A number to release it by; 0 when the device is full.
MAYA_EXPORT uint64_t charge_library(int device, size_t bytes, const char* owner);
MAYA_EXPORT void release_library(uint64_t charge);
void release_library_charges(int device);

// NCCL connects ranks when they first need it, and each connection has buffers (nccl_memory.cpp says which).
// False when the device is full.
MAYA_EXPORT bool charge_connections(const Communicator& comm, Collective what, int peer);
MAYA_EXPORT void release_connections(const void* comm);
MAYA_EXPORT size_t connection_bytes(const void* comm);

}  // namespace maya
