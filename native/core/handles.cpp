#include "maya/handles.h"

#include <mutex>

#include "maya/device.h"
#include "registry.h"

namespace maya {
namespace {

Registry<Handle>& handles() {
  static auto* instance = new Registry<Handle>;
  return *instance;
}

struct Numbered {
  std::mutex lock;
  std::map<std::pair<Library, uintptr_t>, Handle*> handles;
  int next = 1;
};

Numbered& numbered() {
  static auto* instance = new Numbered;
  return *instance;
}

// Numbers are small and never addresses: a key below this is looked up among the numbered handles.
constexpr uintptr_t kLargestNumber = 1 << 20;

}  // namespace

Handle* create_handle(Library library, int type) {
  auto handle = std::make_unique<Handle>();
  handle->library = library;
  handle->type = type;
  handle->device = current_device();
  return handles().add(std::move(handle));
}

Handle* create_numbered_handle(Library library, int type, int* number) {
  Handle* handle = create_handle(library, type);
  Numbered& all = numbered();
  std::lock_guard<std::mutex> guard(all.lock);
  *number = all.next++;
  all.handles[{library, static_cast<uintptr_t>(*number)}] = handle;
  return handle;
}

Handle* find_handle(void* handle, Library library, int type) {
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  Handle* found = nullptr;
  if (value && value <= kLargestNumber) {
    Numbered& all = numbered();
    std::lock_guard<std::mutex> guard(all.lock);
    auto entry = all.handles.find({library, value});
    if (entry != all.handles.end()) found = entry->second;
  } else {
    found = handles().find(handle);
  }
  if (!found || found->library != library) return nullptr;
  return type == -1 || found->type == type ? found : nullptr;
}

std::vector<Handle*> all_handles(Library library, int type) {
  return handles().select([&](const Handle& one) { return one.library == library && one.type == type; });
}

bool destroy_handle(void* handle, Library library) {
  Handle* found = find_handle(handle, library);
  if (!found) return false;
  uintptr_t value = reinterpret_cast<uintptr_t>(handle);
  if (value <= kLargestNumber) {
    Numbered& all = numbered();
    std::lock_guard<std::mutex> guard(all.lock);
    all.handles.erase({library, value});
  }
  return handles().remove(found) != nullptr;
}

Stream& stream_of(Handle& handle) {
  Stream* stream = handle.stream ? find_stream(handle.stream) : nullptr;
  return stream ? *stream : default_stream(handle.device);
}

void set_attribute(Handle& handle, int key, const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  handle.attributes[key].assign(from, from + bytes);
}

const std::vector<char>* get_attribute(const Handle& handle, int key) {
  auto found = handle.attributes.find(key);
  return found == handle.attributes.end() ? nullptr : &found->second;
}

int not_initialized_status(Library library) {
  switch (library) {
    case Library::cudnn:
      return 1001;  // CUDNN_STATUS_NOT_INITIALIZED
    case Library::curand:
      return 101;  // CURAND_STATUS_NOT_INITIALIZED
    case Library::cufft:
      return 1;  // CUFFT_INVALID_PLAN
    default:
      return 1;  // cuBLAS, cuSOLVER, cuSPARSE: NOT_INITIALIZED
  }
}

}  // namespace maya
