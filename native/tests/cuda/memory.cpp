// Memory of every kind, copies and their values.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "check.h"

namespace {

void memory_runs_out_as_it_does_on_the_device() {
  start_on_device(0);
  size_t free_bytes = 0, total = 0, after = 0;
  DevicePtr address = 0;
  EXPECT(kSuccess, cuMemGetInfo_v2(&free_bytes, &total));
  EXPECT(kInvalidValue, cuMemAlloc_v2(&address, 0));
  EXPECT(kInvalidValue, cuMemAlloc_v2(nullptr, 16));
  const DevicePtr block = allocate(size_t{1} << 30);
  EXPECT(kSuccess, cuMemGetInfo_v2(&after, &total));
  CHECK(after == free_bytes - (size_t{1} << 30));
  EXPECT(kOutOfMemory, cuMemAlloc_v2(&address, free_bytes));
  EXPECT(kSuccess, cuMemFree_v2(block));
  EXPECT(kInvalidValue, cuMemFree_v2(block));
  EXPECT(kSuccess, cuMemAlloc_v2(&address, free_bytes - (2 << 20)));
}

void values_survive_a_round_trip() {
  start_on_device(0);
  const DevicePtr first = allocate(4096), second = allocate(4096);
  int in[4] = {1, 2, 3, 4}, out[4] = {};
  EXPECT(kSuccess, cuMemcpyHtoD_v2(first, in, sizeof in));
  EXPECT(kSuccess, cuMemcpyDtoD_v2(second, first, sizeof in));
  EXPECT(kSuccess, cuMemcpyDtoH_v2(out, second, sizeof out));
  CHECK(std::memcmp(in, out, sizeof in) == 0);
  EXPECT(kSuccess, cuMemsetD32_v2(first, 7, 4));
  EXPECT(kSuccess, cuMemcpyDtoHAsync_v2(out, first, sizeof out, nullptr));
  CHECK(out[0] == 7 && out[3] == 7);
  EXPECT(kInvalidValue, cuMemcpyHtoD_v2(reinterpret_cast<DevicePtr>(out), in, 16));
  EXPECT(kInvalidValue, cuMemcpyDtoH_v2(out, reinterpret_cast<DevicePtr>(in), 16));
  EXPECT(kInvalidValue, cuMemsetD32_v2(first + 1, 7, 4));
}

void rows_are_copied_with_their_pitch() {
  start_on_device(0);
  DevicePtr block = 0;
  size_t pitch = 0;
  EXPECT(kSuccess, cuMemAllocPitch_v2(&block, &pitch, 24, 3, 8));
  CHECK(pitch % 512 == 0);
  char in[72], out[72] = {};
  for (int i = 0; i < 72; ++i) in[i] = static_cast<char>(i);
  Copy2d copy{};
  copy.src_type = kHost, copy.src_host = in, copy.src_pitch = 24;
  copy.dst_type = kDevice, copy.dst_device = block, copy.dst_pitch = pitch;
  copy.width = 24, copy.height = 3;
  EXPECT(kSuccess, cuMemcpy2D_v2(&copy));
  Copy3d back{};
  back.src_type = kDevice, back.src_device = block, back.src_pitch = pitch, back.src_height = 3;
  back.dst_type = kHost, back.dst_host = out, back.dst_pitch = 24, back.dst_height = 3;
  back.width = 24, back.height = 3, back.depth = 1;
  EXPECT(kSuccess, cuMemcpy3DAsync_v2(&back, nullptr));
  CHECK(std::memcmp(in, out, 72) == 0);
  copy.width = 25;
  EXPECT(kInvalidValue, cuMemcpy2D_v2(&copy));
}

void addresses_are_known() {
  start_on_device(2);
  const DevicePtr block = allocate(1 << 20);
  DevicePtr base = 0;
  size_t bytes = 0;
  EXPECT(kSuccess, cuMemGetAddressRange_v2(&base, &bytes, block + 77));
  CHECK(base == block && bytes == 1 << 20);
  unsigned type = 0;
  int ordinal = -1;
  DevicePtr device_pointer = 0;
  EXPECT(kSuccess, cuPointerGetAttribute(&type, 2, block + 5));
  CHECK(type == kDevice);
  EXPECT(kSuccess, cuPointerGetAttribute(&ordinal, 9, block));
  CHECK(ordinal == 2);
  EXPECT(kSuccess, cuPointerGetAttribute(&device_pointer, 3, block + 5));
  CHECK(device_pointer == block + 5);
  void* host = nullptr;
  EXPECT(kSuccess, cuMemHostAlloc(&host, 4096, 0));
  EXPECT(kSuccess, cuPointerGetAttribute(&type, 2, reinterpret_cast<DevicePtr>(host)));
  CHECK(type == kHost);
  char ordinary[16];
  EXPECT(kInvalidValue, cuPointerGetAttribute(&type, 2, reinterpret_cast<DevicePtr>(ordinary)));
  int wanted[] = {2, 9};
  void* answers[] = {&type, &ordinal};
  EXPECT(kSuccess, cuPointerGetAttributes(2, wanted, answers, reinterpret_cast<DevicePtr>(ordinary)));
  CHECK(type == 0 && ordinal == -2);
  EXPECT(kSuccess, cuMemFreeHost(host));
  EXPECT(kInvalidValue, cuMemFreeHost(host));
}

void host_memory_is_registered_once() {
  start_on_device(0);
  std::vector<char> block(1 << 16);
  DevicePtr address = 0;
  EXPECT(kSuccess, cuMemHostRegister_v2(block.data(), block.size(), 0));
  EXPECT(kHostMemoryAlreadyRegistered, cuMemHostRegister_v2(block.data(), block.size(), 0));
  EXPECT(kSuccess, cuMemHostGetDevicePointer_v2(&address, block.data(), 0));
  EXPECT(kSuccess, cuMemHostUnregister(block.data()));
  EXPECT(kHostMemoryNotRegistered, cuMemHostUnregister(block.data()));
}

void managed_memory_is_both() {
  start_on_device(0);
  DevicePtr block = 0;
  int managed = 0;
  EXPECT(kInvalidValue, cuMemAllocManaged(&block, 4096, 0));
  EXPECT(kSuccess, cuMemAllocManaged(&block, 4096, 1));
  *reinterpret_cast<int*>(block) = 5;
  EXPECT(kSuccess, cuPointerGetAttribute(&managed, 8, block));
  CHECK(managed);
  EXPECT(kSuccess, cuMemPrefetchAsync(block, 4096, 0, nullptr));
  EXPECT(kInvalidDevice, cuMemPrefetchAsync(block, 4096, 55, nullptr));
  EXPECT(kSuccess, cuMemFree_v2(block));
}

void pools_allocate_in_stream_order() {
  start_on_device(0);
  void *pool = nullptr, *same = nullptr, *own = nullptr, *stream = nullptr;
  DevicePtr block = 0;
  EXPECT(kSuccess, cuStreamCreate(&stream, 1));
  EXPECT(kSuccess, cuDeviceGetDefaultMemPool(&pool, 0));
  EXPECT(kSuccess, cuDeviceGetMemPool(&same, 0));
  CHECK(pool == same);
  PoolProperties properties{};
  properties.allocation_type = 1, properties.location = {kLocationDevice, 0};
  EXPECT(kSuccess, cuMemPoolCreate(&own, &properties));
  unsigned long threshold = 12345, back = 0;
  EXPECT(kSuccess, cuMemPoolSetAttribute(own, 4, &threshold));
  EXPECT(kSuccess, cuMemPoolGetAttribute(own, 4, &back));
  CHECK(back == 12345);
  EXPECT(kSuccess, cuMemAllocFromPoolAsync(&block, 1 << 20, own, stream));
  EXPECT(kSuccess, cuMemFreeAsync(block, stream));
  EXPECT(kInvalidValue, cuMemFreeAsync(block, stream));
  EXPECT(kSuccess, cuMemAllocAsync(&block, 1 << 20, stream));
  EXPECT(kSuccess, cuMemFree_v2(block));
  EXPECT(kSuccess, cuMemPoolDestroy(own));
  EXPECT(kInvalidValue, cuMemPoolDestroy(own));
  EXPECT(kInvalidValue, cuMemPoolDestroy(pool));
}

constexpr size_t kPage = size_t{2} << 20;

AllocationProperties on_device(int device) {
  AllocationProperties properties{};
  properties.type = 1, properties.location = {kLocationDevice, device};
  return properties;
}

void addresses_and_bytes_are_mapped() {
  start_on_device(0);
  AllocationProperties properties = on_device(0);
  size_t granularity = 0, free_bytes = 0, total = 0, after = 0;
  EXPECT(kSuccess, cuMemGetAllocationGranularity(&granularity, &properties, 0));
  CHECK(granularity == kPage);
  DevicePtr range = 0;
  unsigned long long handle = 0, again = 0;
  EXPECT(kInvalidValue, cuMemAddressReserve(&range, 12345, 0, 0, 0));
  EXPECT(kSuccess, cuMemAddressReserve(&range, size_t{200} << 30, 0, 0, 0));
  EXPECT(kSuccess, cuMemGetInfo_v2(&free_bytes, &total));
  EXPECT(kInvalidValue, cuMemCreate(&handle, 1000, &properties, 0));
  EXPECT(kOutOfMemory, cuMemCreate(&handle, size_t{100} << 30, &properties, 0));
  EXPECT(kSuccess, cuMemCreate(&handle, kPage, &properties, 0));
  EXPECT(kSuccess, cuMemGetInfo_v2(&after, &total));
  CHECK(free_bytes - after == kPage);
  EXPECT(kSuccess, cuMemMap(range + kPage, kPage, 0, handle, 0));
  EXPECT(kInvalidValue, cuMemMap(range + kPage, kPage, 0, handle, 0));
  const AccessDescription access{{kLocationDevice, 0}, 3};
  EXPECT(kSuccess, cuMemSetAccess(range + kPage, kPage, &access, 1));
  EXPECT(kInvalidValue, cuMemSetAccess(range, kPage, &access, 1));
  EXPECT(kSuccess, cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(range + kPage + 8)));
  CHECK(again == handle);
  EXPECT(kSuccess, cuMemRelease(again));
  EXPECT(kSuccess, cuMemRelease(handle));
  EXPECT(kSuccess, cuMemsetD8_v2(range + kPage, 1, 16));
  EXPECT(kSuccess, cuMemUnmap(range + kPage, kPage));
  EXPECT(kSuccess, cuMemGetInfo_v2(&after, &total));
  CHECK(after == free_bytes);
  EXPECT(kInvalidValue, cuMemUnmap(range + kPage, kPage));
  EXPECT(kInvalidValue, cuMemRelease(handle));
  EXPECT(kSuccess, cuMemAddressFree(range, size_t{200} << 30));
}

void handles_are_exported_and_imported() {
  start_on_device(1);
  AllocationProperties properties = on_device(1);
  properties.requested_handles = kPosixDescriptor;
  unsigned long long handle = 0, again = 0;
  int file = -1;
  EXPECT(kSuccess, cuMemCreate(&handle, 3 * kPage, &properties, 0));
  EXPECT(kNotSupported, cuMemExportToShareableHandle(&file, handle, kFabric, 0));
  EXPECT(kSuccess, cuMemExportToShareableHandle(&file, handle, kPosixDescriptor, 0));
  void* shareable = reinterpret_cast<void*>(static_cast<intptr_t>(file));
  EXPECT(kSuccess, cuMemImportFromShareableHandle(&again, shareable, kPosixDescriptor));
  CHECK(again == handle);
  AllocationProperties read{};
  EXPECT(kSuccess, cuMemGetAllocationPropertiesFromHandle(&read, again));
  CHECK(read.location.id == 1);
  EXPECT(kInvalidValue, cuMemImportFromShareableHandle(&again, nullptr, kPosixDescriptor));
}

// The child is forked before either side uses the driver, as processes of a job are.
void memory_is_shared_between_processes() {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const pid_t child = fork();
  if (child != 0) {
    start_on_device(0);
    maya_abi_CUipcMemHandle handle;
    DevicePtr address = 0;
    EXPECT(kSuccess, cuIpcGetMemHandle(&handle, allocate(1 << 20)));
    EXPECT(kInvalidContext, cuIpcOpenMemHandle_v2(&address, handle, 1));
    CHECK(write(ends[0], &handle, sizeof handle) == sizeof handle);
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    return;
  }
  start_on_device(0);
  maya_abi_CUipcMemHandle handle;
  DevicePtr address = 0;
  CHECK(read(ends[1], &handle, sizeof handle) == sizeof handle);
  EXPECT(kSuccess, cuIpcOpenMemHandle_v2(&address, handle, 1));
  EXPECT(kSuccess, cuMemsetD8_v2(address, 0, 1 << 20));
  EXPECT(kSuccess, cuIpcCloseMemHandle(address));
  EXPECT(kInvalidValue, cuIpcCloseMemHandle(address));
}

void values_are_written_in_stream_order() {
  start_on_device(0);
  const DevicePtr block = allocate(64);
  unsigned value = 0;
  EXPECT(kSuccess, cuStreamWriteValue32_v2(nullptr, block, 42, 0));
  EXPECT(kSuccess, cuStreamWaitValue32_v2(nullptr, block, 42, 0));
  EXPECT(kSuccess, cuMemcpyDtoH_v2(&value, block, 4));
  CHECK(value == 42);
  EXPECT(kInvalidValue, cuStreamWriteValue32_v2(nullptr, block + 1, 42, 0));
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"memory_runs_out_as_it_does_on_the_device", memory_runs_out_as_it_does_on_the_device},
          {"values_survive_a_round_trip", values_survive_a_round_trip},
          {"rows_are_copied_with_their_pitch", rows_are_copied_with_their_pitch},
          {"addresses_are_known", addresses_are_known},
          {"host_memory_is_registered_once", host_memory_is_registered_once},
          {"managed_memory_is_both", managed_memory_is_both},
          {"pools_allocate_in_stream_order", pools_allocate_in_stream_order},
          {"addresses_and_bytes_are_mapped", addresses_and_bytes_are_mapped},
          {"handles_are_exported_and_imported", handles_are_exported_and_imported},
          {"memory_is_shared_between_processes", memory_is_shared_between_processes},
          {"values_are_written_in_stream_order", values_are_written_in_stream_order},
      },
      count, arguments);
}
