// The decoders behind fat binaries: a byte chooses one, two more the size that is said to come out.
#include <memory>

#include "fatbin/lz4.h"
#include "fatbin/zstd/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace maya::fatbin;
  const Bytes input{data, size};
  uint16_t plain = 0;
  if (!input.read(1, &plain)) return 0;
  // Exactly as large as promised, so that the sanitizer sees every byte written too far.
  const std::unique_ptr<uint8_t[]> out(new uint8_t[plain + kCopySlack]);
  const auto decode = data[0] & 1 ? zstd_decode : lz4_decode;
  decode(input.from(3), out.get(), plain);
  return 0;
}
