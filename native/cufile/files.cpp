#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "constants.h"
#include "gen/cufile.h"
#include "maya/handles.h"
#include "transfer.h"

using namespace maya::cufile;

namespace {

struct Description {
  int type;
  alignas(8) int descriptor;  // a union with a pointer
};

// The program's descriptor is usually opened for direct I/O, which asks for aligned host buffers: not ours.
int own_descriptor(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return -1;
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return open(path, (flags & O_ACCMODE) | O_CLOEXEC);
}

maya_abi_CUfileError answer(int status) {
  return {status, 0};
}

char* at(const void* base, long offset) {
  return static_cast<char*>(const_cast<void*>(base)) + offset;
}

}  // namespace

extern "C" {

maya_abi_CUfileError cuFileDriverOpen() {
  return answer(kSuccess);
}

maya_abi_CUfileError cuFileDriverClose() {
  return answer(kSuccess);
}

maya_abi_CUfileError cuFileDriverClose_v2() {
  return answer(kSuccess);
}

maya_abi_CUfileError cuFileGetVersion(int* version) {
  if (!version) return answer(kInvalidValue);
  *version = kVersion;
  return answer(kSuccess);
}

maya_abi_CUfileError cuFileHandleRegister(void** fh, void* descr) {
  const auto* description = static_cast<const Description*>(descr);
  if (!fh || !description) return answer(kInvalidValue);
  int descriptor = description->type == kOpaqueFd ? own_descriptor(description->descriptor) : -1;
  if (descriptor < 0) return answer(kInvalidFileType);
  maya::Handle* handle = maya::create_handle(maya::Library::cufile, kFile);
  maya::set(*handle, kDescriptor, descriptor);
  *fh = handle;
  return answer(kSuccess);
}

void cuFileHandleDeregister(void* fh) {
  maya::Handle* handle = maya::find_handle(fh, maya::Library::cufile, kFile);
  if (handle) close(maya::get<int>(*handle, kDescriptor, -1));
  maya::destroy_handle(fh, maya::Library::cufile);
}

// Registered buffers save the real library work that is not done here.
maya_abi_CUfileError cuFileBufRegister(const void* bufPtr_base, size_t length, int) {
  return answer(bufPtr_base && length ? kSuccess : kInvalidValue);
}

maya_abi_CUfileError cuFileBufDeregister(const void* bufPtr_base) {
  return answer(bufPtr_base ? kSuccess : kInvalidValue);
}

maya_abi_CUfileError cuFileStreamRegister(void*, unsigned int) {
  return answer(kSuccess);
}

maya_abi_CUfileError cuFileStreamDeregister(void*) {
  return answer(kSuccess);
}

long cuFileRead(void* fh, void* bufPtr_base, size_t size, long file_offset, long bufPtr_offset) {
  maya::Call entered;
  return read_file(fh, at(bufPtr_base, bufPtr_offset), size, file_offset, nullptr);
}

long cuFileWrite(void* fh, const void* bufPtr_base, size_t size, long file_offset, long bufPtr_offset) {
  maya::Call entered;
  return write_file(fh, at(bufPtr_base, bufPtr_offset), size, file_offset, nullptr);
}

maya_abi_CUfileError cuFileReadAsync(void* fh, void* bufPtr_base, size_t* size_p, long* file_offset_p,
                                     long* bufPtr_offset_p, long* bytes_read_p, void* stream) {
  maya::Call entered;
  if (!size_p || !file_offset_p || !bufPtr_offset_p || !bytes_read_p) return answer(kInvalidValue);
  *bytes_read_p = read_file(fh, at(bufPtr_base, *bufPtr_offset_p), *size_p, *file_offset_p, stream);
  return answer(kSuccess);
}

maya_abi_CUfileError cuFileWriteAsync(void* fh, void* bufPtr_base, size_t* size_p, long* file_offset_p,
                                      long* bufPtr_offset_p, long* bytes_written_p, void* stream) {
  maya::Call entered;
  if (!size_p || !file_offset_p || !bufPtr_offset_p || !bytes_written_p) return answer(kInvalidValue);
  *bytes_written_p = write_file(fh, at(bufPtr_base, *bufPtr_offset_p), *size_p, *file_offset_p, stream);
  return answer(kSuccess);
}

}  // extern "C"
