// What the driver's test programs share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "../../cuda/constants.h"
#include "../../cuda/structs.h"
#include "cuda.h"

using namespace maya::driver;

#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

// Status first, so that a failure shows what came instead.
#define EXPECT(status, call)                                                                            \
  do {                                                                                                  \
    const int got = (call);                                                                             \
    if (got != (status)) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s gave %d, not %d\n", __FILE__, __LINE__, #call, got, int{status}); \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (0)

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

// main() of every program: runs the case that its argument names.
inline int run_case(const std::map<std::string, void (*)()>& cases, int count, char** arguments) {
  auto found = count == 2 ? cases.find(arguments[1]) : cases.end();
  if (found == cases.end()) return std::fprintf(stderr, "no such case\n"), 2;
  found->second();
  return 0;
}
