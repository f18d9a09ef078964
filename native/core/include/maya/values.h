// Which bytes of device memory hold values the host really put there.
//
// Small transfers are performed, kernels are not; a read of anything a kernel would have written gives zeros
// and is counted with the Python line that asked for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maya/record.h"

namespace maya {

// Transfers up to this size are performed.
constexpr size_t kSmallTransfer = 256 * 1024;

enum class CopyDirection : int { host_to_host = 0, host_to_device, device_to_host, device_to_device, peer };

// cudaMemcpy*: moves the bytes where they are known, accounts for what was read, submits the copy.
// `blocking`: the host waits for it (then it is recorded as a synchronising copy).
MAYA_EXPORT void copy(void* dst, const void* src, size_t bytes, Stream& stream, bool blocking);
// Strided variant; `pitch`es in bytes.
MAYA_EXPORT void copy_2d(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width,
                         size_t height, Stream& stream, bool blocking);
// cudaMemset*: `element` is 1, 2 or 4 bytes wide.
MAYA_EXPORT void fill(void* dst, uint32_t value, size_t element, size_t count, Stream& stream);

// For libraries that exchange values (NCCL): true when all bytes of a device or host range are host-made.
MAYA_EXPORT bool values_known(const void* address, size_t bytes);
// How many bytes from the start are host-made.
MAYA_EXPORT size_t known_prefix(const void* address, size_t bytes);
// Reads bytes, with zeros where unknown; never counts.
MAYA_EXPORT void peek(void* to_host, const void* device_or_host, size_t bytes);
// Stores bytes that are known from now on.
MAYA_EXPORT void poke(void* device_or_host, const void* from_host, size_t bytes);
// A kernel or library call wrote here: from now on unknown. The extent is not known to the emulator.
MAYA_EXPORT void forget(const void* device_address);
// Something was given in the place of an unknown value.
void count_unknown_answer();
// The library or kernel result at a *host* pointer: zeros are stored and the read is counted.
MAYA_EXPORT void host_reads_result(void* host_pointer, size_t bytes);

}  // namespace maya

// Called from inside the program.
extern "C" {
// Sets a byte of `mask` to 1 where the device byte is known, else to 0; how many are.
MAYA_EXPORT size_t maya_known_bytes(const void* address, size_t bytes, uint8_t* mask);
MAYA_EXPORT void maya_peek(void* to_host, const void* from, size_t bytes);
MAYA_EXPORT void maya_poke(void* to, const void* from_host, size_t bytes);
// Unknown integers that this thread reads are a count of so many elements; 0: nothing is known of them.
MAYA_EXPORT void maya_expect_count(int64_t count);
// The floating-point number of `width` bytes is unknown, but a loss: finite and positive.
MAYA_EXPORT void maya_assume_one(const void* address, size_t width);
// Unknown bytes are results of `all` that hold, or of `any` that do not.
MAYA_EXPORT void maya_assume_condition(const void* address, size_t count, int holds);
// How often the host was given something in the place of an unknown value.
MAYA_EXPORT uint64_t maya_unknown_reads();
}
