#include "maya/pools.h"

#include "maya/context.h"
#include "maya/device.h"
#include "maya/memory.h"

namespace maya {
namespace {

constexpr int kPoolHandle = 1;
constexpr int kDeviceLocation = 1;

enum PoolAttribute : int {
  kReuseFollow = 1,
  kReuseOpportunistic = 2,
  kReuseInternal = 3,
  kReleaseThreshold = 4,
  kReservedCurrent = 5,
  kUsedHigh = 8,
  kAllocationType = 9,
  kExportTypes = 10,
  kLocationId = 11,
  kLocationType = 12,
  kMaxSize = 13,
};

bool is_flag(int attribute) {
  return attribute >= kReuseFollow && attribute <= kReuseInternal;
}
bool is_usage(int attribute) {
  return attribute >= kReservedCurrent && attribute <= kUsedHigh;
}

uint64_t used_bytes(int device) {
  size_t free_bytes = 0, total_bytes = 0;
  memory_info(device, &free_bytes, &total_bytes);
  const uint64_t own = device_model().context_bytes;
  return total_bytes - free_bytes > own ? total_bytes - free_bytes - own : 0;
}

}  // namespace

Handle* create_pool(const PoolSettings& settings) {
  Handle* pool = create_handle(Library::cuda, kPoolHandle);
  pool->device = settings.device;
  for (int attribute = kReuseFollow; attribute <= kReuseInternal; ++attribute) set<int>(*pool, attribute, 1);
  set<int>(*pool, kAllocationType, settings.allocation_type);
  set<int>(*pool, kExportTypes, settings.handle_types);
  set<uint64_t>(*pool, kMaxSize, settings.max_size);
  return pool;
}

Handle* find_pool(void* pool) {
  return find_handle(pool, Library::cuda, kPoolHandle);
}

bool destroy_pool(void* pool) {
  const Handle* found = find_pool(pool);
  if (!found || found == default_pool(found->device)) return false;
  if (found == current_pool(found->device)) set_current_pool(found->device, default_pool(found->device));
  return destroy_handle(pool, Library::cuda);
}

Handle* default_pool(int device) {
  Context* context = primary_context(device);
  if (!context->default_pool) context->default_pool = context->pool = create_pool({device});
  return static_cast<Handle*>(context->default_pool);
}

Handle* current_pool(int device) {
  default_pool(device);
  return static_cast<Handle*>(primary_context(device)->pool);
}

bool set_current_pool(int device, void* pool) {
  const Handle* found = find_pool(pool);
  if (!found || found->device != device) return false;
  default_pool(device);
  primary_context(device)->pool = pool;
  return true;
}

void forget_pools(int device) {
  Context* context = primary_context(device);
  destroy_handle(context->default_pool, Library::cuda);
  context->default_pool = context->pool = nullptr;
}

bool set_pool_attribute(Handle& pool, int attribute, const void* value) {
  if (is_flag(attribute)) return set<int>(pool, attribute, *static_cast<const int*>(value)), true;
  if (attribute == kReleaseThreshold) {
    return set<uint64_t>(pool, attribute, *static_cast<const uint64_t*>(value)), true;
  }
  // High watermarks may only be reset.
  return is_usage(attribute) && *static_cast<const uint64_t*>(value) == 0;
}

bool get_pool_attribute(const Handle& pool, int attribute, void* value) {
  if (is_usage(attribute)) return *static_cast<uint64_t*>(value) = used_bytes(pool.device), true;
  switch (attribute) {
    case kReuseFollow:
    case kReuseOpportunistic:
    case kReuseInternal:
    case kAllocationType:
    case kExportTypes:
      return *static_cast<int*>(value) = get<int>(pool, attribute), true;
    case kLocationId:
      return *static_cast<int*>(value) = pool.device, true;
    case kLocationType:
      return *static_cast<int*>(value) = kDeviceLocation, true;
    case kReleaseThreshold:
    case kMaxSize:
      return *static_cast<uint64_t*>(value) = get<uint64_t>(pool, attribute), true;
    default:
      return false;
  }
}

}  // namespace maya
