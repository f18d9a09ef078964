// Facts about the kernels inside the images that CUDA programs register or load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maya {

struct KernelParam {
  uint32_t offset = 0;
  uint32_t size = 0;
};

struct KernelFacts {
  std::string name;               // mangled
  int registers = -1;             // per thread; -1 where only PTX exists, which has no allocation yet
  int static_shared = 0;          // bytes the program declared, without what the driver reserves
  int local = 0;                  // bytes of stack per thread, callees included
  int constant = 0;               // bytes of __constant__ variables of the module
  int param_bytes = 0;            // size of the parameter space
  int max_threads = 1024;         // launch bound the binary declares, not what registers allow
  int sm = 0;                     // 90 for sm_90; of the PTX's target where from_ptx
  int cluster[3] = {0, 0, 0};     // required cluster; zeros where none is
  int max_cluster_rank = 0;       // .maxclusterrank; 0 where none is
  bool required_threads = false;  // max_threads is exact (.reqntid)
  bool from_ptx = false;
  std::vector<KernelParam> params;  // in order of declaration
};

struct GlobalFacts {
  std::string name;
  uint64_t size = 0;
  bool constant = false;  // __constant__ rather than __device__
  bool managed = false;
};

struct ModuleFacts {
  std::vector<KernelFacts> kernels;  // sorted by name
  std::vector<GlobalFacts> globals;  // sorted by name
  std::string code;                  // PTX of all kernels; empty where the image holds none

  const KernelFacts* kernel(std::string_view name) const;
  const GlobalFacts* global(std::string_view name) const;
};

enum class ImageKind : uint8_t { kPtx, kCubin, kOther };
enum class ImagePacking : uint8_t { kNone, kLz4, kZstd, kUnknown };

// Which devices an image is for: all later ones, the rest of its family (sm_100f), or one (sm_90a).
enum class ImageScope : uint8_t { kGeneric, kFamily, kExact };

struct FatbinEntry {
  ImageKind kind = ImageKind::kOther;
  ImagePacking packing = ImagePacking::kNone;
  ImageScope scope = ImageScope::kGeneric;
  int sm = 0;
  const uint8_t* data = nullptr;  // inside the caller's image
  size_t stored_bytes = 0;
  size_t unpacked_bytes = 0;
};

// `image` is whatever __cudaRegisterFatBinary or cuModuleLoadData may be given: a wrapper struct, a
// fat binary, a cubin or PTX. `size` is 0 where the caller was given none; then the image's own
// headers are trusted for its extent. A wrapper's pointer is followed: only pass one that comes
// from the program itself. Where nothing fits the device the answer is null and `error` says why.
std::shared_ptr<const ModuleFacts> parse_module(const void* image, size_t size, int sm, std::string* error);

// Entries of a wrapper or fat binary, in file order; unpacks nothing.
bool list_fatbin(const void* image, size_t size, std::vector<FatbinEntry>* entries, std::string* error);

// The entry that the driver of a device with this compute capability would load; null if none fits.
const FatbinEntry* choose_entry(const std::vector<FatbinEntry>& entries, int sm);

}  // namespace maya
