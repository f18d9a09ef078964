#include "container.h"

#include <new>

#include "lz4.h"
#include "zstd/decode.h"

namespace maya {
namespace fatbin {
namespace {

struct Wrapper {
  uint32_t magic;
  uint32_t version;
  const uint8_t* data;
  const void* more;
};

struct FatbinHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_bytes;
  uint64_t body_bytes;
};
static_assert(sizeof(FatbinHeader) == 16);

// Seen in what nvcc 12.8 and 13.0 write; later versions append options behind it.
struct EntryHeader {
  uint16_t kind;
  uint16_t version;
  uint32_t header_bytes;
  uint64_t payload_bytes;     // padded to 8
  uint32_t compressed_bytes;  // without the padding; 0 where not compressed
  uint32_t options_offset;
  uint16_t minor, major;
  uint32_t sm;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t unpacked_bytes;
};
static_assert(sizeof(EntryHeader) == 64);

constexpr uint16_t kKindPtx = 1;
constexpr uint16_t kKindCubin = 2;
constexpr uint64_t kFlagLz4 = 0x2000;
constexpr uint64_t kFlagZstd = 0x8000;
constexpr uint64_t kFlagExact = 0x100000;   // sm_90a
constexpr uint64_t kFlagFamily = 0x200000;  // sm_100f

// A module's code is far smaller; a hostile header must not make us allocate everything.
constexpr uint64_t kMaxUnpacked = uint64_t{1} << 28;

FatbinEntry to_entry(const EntryHeader& header, Bytes payload) {
  FatbinEntry entry;
  entry.kind = header.kind == kKindPtx     ? ImageKind::kPtx
               : header.kind == kKindCubin ? ImageKind::kCubin
                                           : ImageKind::kOther;
  entry.scope = header.flags & kFlagExact    ? ImageScope::kExact
                : header.flags & kFlagFamily ? ImageScope::kFamily
                                             : ImageScope::kGeneric;
  entry.sm = static_cast<int>(header.sm & 0xffff);
  entry.data = payload.data;
  entry.stored_bytes = entry.unpacked_bytes = payload.size;
  if (header.compressed_bytes == 0) return entry;
  entry.packing = header.flags & kFlagLz4    ? ImagePacking::kLz4
                  : header.flags & kFlagZstd ? ImagePacking::kZstd
                                             : ImagePacking::kUnknown;
  entry.stored_bytes = header.compressed_bytes;
  entry.unpacked_bytes = header.unpacked_bytes;
  return entry;
}

// Follows a wrapper to its fat binary and cuts that to the size its header gives.
bool find_body(const void* image, size_t size, Bytes* body, std::string* error) {
  const auto* at = static_cast<const uint8_t*>(image);
  if (size != 0 && size < sizeof(FatbinHeader)) return fail(error, "fat binary is truncated");
  if (load<uint32_t>(at) == kWrapperMagic) {
    if (size != 0 && size < sizeof(Wrapper)) return fail(error, "fat binary wrapper is truncated");
    at = load<Wrapper>(at).data;
    size = 0;
    if (!at) return fail(error, "fat binary wrapper points nowhere");
  }
  const auto header = load<FatbinHeader>(at);
  if (header.magic != kFatbinMagic) return fail(error, "not a fat binary");
  if (header.header_bytes < sizeof header) return fail(error, "fat binary header is malformed");
  if (size != 0 && header.body_bytes > size) return fail(error, "fat binary is truncated");
  const size_t whole = header.header_bytes + static_cast<size_t>(header.body_bytes);
  if (size != 0 && whole > size) return fail(error, "fat binary is truncated");
  *body = {at + header.header_bytes, static_cast<size_t>(header.body_bytes)};
  return true;
}

}  // namespace

bool cubin_runs_on(int image_sm, ImageScope scope, int device_sm) {
  if (scope == ImageScope::kExact) return image_sm == device_sm;
  return image_sm / 10 == device_sm / 10 && image_sm <= device_sm;
}

bool unpack(const FatbinEntry& entry, std::unique_ptr<uint8_t[]>* storage, Bytes* contents,
            std::string* error) {
  *contents = {entry.data, entry.stored_bytes};
  if (entry.packing == ImagePacking::kNone) return true;
  if (entry.packing == ImagePacking::kUnknown) return fail(error, "unknown compression");
  if (entry.unpacked_bytes > kMaxUnpacked) return fail(error, "fat binary entry is too large");
  storage->reset(new (std::nothrow) uint8_t[entry.unpacked_bytes + kCopySlack]);
  if (!*storage) return fail(error, "no memory to unpack a fat binary entry");
  const auto decode = entry.packing == ImagePacking::kLz4 ? lz4_decode : zstd_decode;
  if (!decode(*contents, storage->get(), entry.unpacked_bytes)) {
    return fail(error, "fat binary entry does not decompress");
  }
  *contents = {storage->get(), entry.unpacked_bytes};
  return true;
}

}  // namespace fatbin

bool list_fatbin(const void* image, size_t size, std::vector<FatbinEntry>* entries, std::string* error) {
  fatbin::Bytes body;
  entries->clear();
  if (!image) return fatbin::fail(error, "no image");
  if (!fatbin::find_body(image, size, &body, error)) return false;
  for (size_t at = 0; at < body.size;) {
    fatbin::EntryHeader header;
    if (!body.read(at, &header) || header.header_bytes < sizeof header ||
        !body.contains(at, header.header_bytes) ||
        !body.contains(at + header.header_bytes, header.payload_bytes) ||
        header.compressed_bytes > header.payload_bytes) {
      return fatbin::fail(error, "fat binary entry is malformed");
    }
    at += header.header_bytes;
    entries->push_back(fatbin::to_entry(header, body.sub(at, header.payload_bytes)));
    at += static_cast<size_t>(header.payload_bytes);
  }
  return true;
}

}  // namespace maya
