// What the driver's test programs share.
#pragma once

#include <cstring>

#include "../../cuda/constants.h"
#include "../../cuda/structs.h"
#include "../expect.h"
#include "cuda.h"

using namespace maya::driver;

inline void* start_on_device(int device) {
  void* context = nullptr;
  EXPECT(kSuccess, cuInit(0));
  EXPECT(kSuccess, cuDevicePrimaryCtxRetain(&context, device));
  EXPECT(kSuccess, cuCtxSetCurrent(context));
  return context;
}

inline DevicePtr allocate(size_t bytes) {
  DevicePtr address = 0;
  EXPECT(kSuccess, cuMemAlloc_v2(&address, bytes));
  return address;
}
