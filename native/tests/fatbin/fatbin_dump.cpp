// Shows what the fat binary parser makes of a file, and exercises it for the tests.
//
//   fatbin_dump facts FILE SM        kernels and variables as JSON
//   fatbin_dump facts-unsized FILE SM   the same, as a program hands it over: a pointer, no size
//   fatbin_dump list FILE            entries of a fat binary as JSON
//   fatbin_dump decode CASES         decodes packed cases and compares; see read_case
//   fatbin_dump corrupt CASES SEED N   decodes N damaged copies of each case
//   fatbin_dump corrupt-module FILE SM SEED N   parses N damaged copies of a module
//   fatbin_dump scan LIBRARY SM      time to parse each fat binary of a shared library

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../../core/fatbin/elf.h"
#include "../../core/fatbin/lz4.h"
#include "../../core/fatbin/zstd/decode.h"
#include "maya/fatbin.h"

namespace {

using maya::fatbin::Bytes;
using Buffer = std::vector<uint8_t>;

bool read_file(const char* path, Buffer* out) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file) return false;
  std::fseek(file, 0, SEEK_END);
  out->resize(static_cast<size_t>(std::ftell(file)));
  std::rewind(file);
  const bool ok = std::fread(out->data(), 1, out->size(), file) == out->size();
  std::fclose(file);
  return ok;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
    out += c < ' ' || c == '"' || c == '\\' || c == 127 ? std::string(escaped) : std::string(1, c);
  }
  return out + "\"";
}

void print_kernel(const maya::KernelFacts& k, bool last) {
  std::printf("  {\"name\": %s, \"registers\": %d, \"static_shared\": %d, \"local\": %d, ",
              quoted(k.name).c_str(), k.registers, k.static_shared, k.local);
  std::printf("\"constant\": %d, \"param_bytes\": %d, \"max_threads\": %d, \"sm\": %d, ", k.constant,
              k.param_bytes, k.max_threads, k.sm);
  std::printf("\"required_threads\": %s, \"from_ptx\": %s, ", k.required_threads ? "true" : "false",
              k.from_ptx ? "true" : "false");
  std::printf("\"cluster\": [%d, %d, %d], \"max_cluster_rank\": %d, \"params\": [", k.cluster[0],
              k.cluster[1], k.cluster[2], k.max_cluster_rank);
  for (size_t i = 0; i < k.params.size(); ++i) {
    std::printf("%s[%u, %u]", i ? ", " : "", k.params[i].offset, k.params[i].size);
  }
  std::printf("]}%s\n", last ? "" : ",");
}

int show_facts(const void* image, size_t size, int sm) {
  std::string error;
  const auto module = maya::parse_module(image, size, sm, &error);
  if (!module) {
    std::printf("{\"error\": %s}\n", quoted(error).c_str());
    return 1;
  }
  std::printf("{\"kernels\": [\n");
  for (const auto& k : module->kernels) print_kernel(k, &k == &module->kernels.back());
  std::printf("], \"globals\": [");
  for (const auto& g : module->globals) {
    std::printf("%s\n  {\"name\": %s, \"size\": %" PRIu64 ", \"constant\": %s, \"managed\": %s}",
                &g == &module->globals.front() ? "" : ",", quoted(g.name).c_str(), g.size,
                g.constant ? "true" : "false", g.managed ? "true" : "false");
  }
  std::printf("]}\n");
  return 0;
}

// Registration passes a wrapper struct; bare modules come as they are, PTX with its terminator.
int show_facts_unsized(Buffer image, int sm) {
  image.push_back(0);
  const struct {
    uint32_t magic, version;
    const void* data;
    const void* more;
  } wrapper = {0x466243b1, 1, image.data(), nullptr};
  const bool fatbin = image.size() > 4 && maya::fatbin::load<uint32_t>(image.data()) == 0xba55ed50;
  return show_facts(fatbin ? static_cast<const void*>(&wrapper) : image.data(), 0, sm);
}

int show_list(const Buffer& image) {
  std::string error;
  std::vector<maya::FatbinEntry> entries;
  if (!maya::list_fatbin(image.data(), image.size(), &entries, &error)) {
    std::printf("{\"error\": %s}\n", quoted(error).c_str());
    return 1;
  }
  constexpr const char* kKinds[] = {"ptx", "cubin", "other"};
  constexpr const char* kPackings[] = {"none", "lz4", "zstd", "unknown"};
  constexpr const char* kScopes[] = {"generic", "family", "exact"};
  std::printf("[");
  for (const auto& e : entries) {
    std::printf("%s{\"kind\": \"%s\", \"packing\": \"%s\", \"scope\": \"%s\", \"sm\": %d, ",
                &e == &entries.front() ? "" : ",\n", kKinds[int(e.kind)], kPackings[int(e.packing)],
                kScopes[int(e.scope)], e.sm);
    std::printf("\"stored_bytes\": %zu, \"unpacked_bytes\": %zu}", e.stored_bytes, e.unpacked_bytes);
  }
  std::printf("]\n");
  return 0;
}

// u32 codec (4 lz4, 5 zstd), u32 packed bytes, u32 plain bytes; packed; plain.
struct Case {
  uint32_t codec = 0;
  Bytes packed, plain;
};

bool read_case(Bytes file, size_t* at, Case* out) {
  uint32_t packed = 0, plain = 0;
  if (!file.read(*at, &out->codec) || !file.read(*at + 4, &packed)) return false;
  if (!file.read(*at + 8, &plain)) return false;
  out->packed = file.sub(*at + 12, packed);
  out->plain = file.sub(*at + 12 + packed, plain);
  *at += size_t{12} + packed + plain;
  return *at <= file.size;
}

// Exactly sized copies on the heap, so that the sanitizer sees every byte read too far.
bool decode(uint32_t codec, Bytes packed, size_t size, Buffer* out) {
  out->assign(size + maya::fatbin::kCopySlack, 0xaa);
  const auto function = codec == 4 ? maya::fatbin::lz4_decode : maya::fatbin::zstd_decode;
  return function(packed, out->data(), size);
}

int run_cases(const Buffer& file) {
  Case c;
  Buffer out;
  size_t number = 0;
  for (size_t at = 0; read_case({file.data(), file.size()}, &at, &c); ++number) {
    const Buffer packed(c.packed.data, c.packed.data + c.packed.size);
    const bool same = decode(c.codec, {packed.data(), packed.size()}, c.plain.size, &out) &&
                      std::equal(c.plain.data, c.plain.data + c.plain.size, out.begin());
    if (!same) {
      std::printf("case %zu differs\n", number);
      return 1;
    }
  }
  std::printf("%zu cases\n", number);
  return 0;
}

// Flips, overwrites, cuts or extends; headers are hit as often as the rest.
void damage(std::mt19937* random, Buffer* bytes) {
  const auto pick = [&](size_t bound) { return bound ? (*random)() % bound : 0; };
  for (size_t left = 1 + pick(4); left > 0 && !bytes->empty(); --left) {
    const size_t where = pick(pick(2) ? bytes->size() : std::min<size_t>(bytes->size(), 200));
    switch (pick(8)) {
      case 0:
        bytes->resize(where);
        break;
      case 1:
        bytes->insert(bytes->end(), 1 + pick(16), static_cast<uint8_t>(pick(256)));
        break;
      case 2:
        (*bytes)[where] = pick(2) ? 0xff : 0;
        break;
      default:
        (*bytes)[where] ^= static_cast<uint8_t>(1u << pick(8));
    }
  }
}

int corrupt_cases(const Buffer& file, unsigned seed, size_t rounds) {
  std::mt19937 random(seed);
  Case c;
  Buffer out;
  size_t accepted = 0;
  for (size_t at = 0; read_case({file.data(), file.size()}, &at, &c);) {
    for (size_t i = 0; i < rounds; ++i) {
      Buffer packed(c.packed.data, c.packed.data + c.packed.size);
      damage(&random, &packed);
      packed.shrink_to_fit();
      accepted += decode(c.codec, {packed.data(), packed.size()}, c.plain.size, &out);
    }
  }
  std::printf("%zu accepted\n", accepted);
  return 0;
}

int corrupt_module(const Buffer& file, int sm, unsigned seed, size_t rounds) {
  std::mt19937 random(seed);
  size_t accepted = 0;
  for (size_t i = 0; i < rounds; ++i) {
    Buffer image = file;
    damage(&random, &image);
    image.shrink_to_fit();
    // A wrapper's pointer is taken from the program, never from a file.
    if (image.size() >= 4 && maya::fatbin::load<uint32_t>(image.data()) == 0x466243b1) continue;
    if (image.empty()) continue;
    std::string error;
    accepted += maya::parse_module(image.data(), image.size(), sm, &error) != nullptr;
  }
  std::printf("%zu accepted\n", accepted);
  return 0;
}

void print_times(std::vector<double> ms, size_t kernels, size_t failures) {
  std::sort(ms.begin(), ms.end());
  double sum = 0;
  for (const double one : ms) sum += one;
  const auto quantile = [&](double q) { return ms[size_t(q * double(ms.size() - 1))]; };
  std::printf("%zu fat binaries, %zu kernels, %zu failures; ms: mean %.2f", ms.size(), kernels, failures,
              sum / double(ms.size()));
  std::printf(" p10 %.2f p50 %.2f p90 %.2f p99 %.2f max %.2f\n", quantile(.1), quantile(.5), quantile(.9),
              quantile(.99), ms.back());
}

int scan(const Buffer& library, int sm) {
  maya::fatbin::Elf elf;
  std::string error;
  if (!elf.open({library.data(), library.size()}, &error)) return 1;
  std::vector<double> ms;
  size_t kernels = 0, failures = 0;
  for (size_t i = 0; i < elf.section_count(); ++i) {
    if (elf.name(elf.section(i)) != ".nv_fatbin") continue;
    const Bytes section = elf.contents(elf.section(i));
    for (size_t at = 0; at + 16 <= section.size;) {
      if (maya::fatbin::load<uint32_t>(section.data + at) != 0xba55ed50) {
        at += 8;
        continue;
      }
      const auto start = std::chrono::steady_clock::now();
      const auto module = maya::parse_module(section.data + at, section.size - at, sm, &error);
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      ms.push_back(took.count());
      module ? kernels += module->kernels.size() : ++failures;
      at += 16 + maya::fatbin::load<uint64_t>(section.data + at + 8);
    }
  }
  if (ms.empty()) return 1;
  print_times(ms, kernels, failures);
  return 0;
}

int run(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  Buffer file;
  if (argc < 3 || !read_file(argv[2], &file)) return 2;
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  if (mode == "facts") return show_facts(file.data(), file.size(), number(3));
  if (mode == "facts-unsized") return show_facts_unsized(file, number(3));
  if (mode == "list") return show_list(file);
  if (mode == "decode") return run_cases(file);
  if (mode == "corrupt") return corrupt_cases(file, unsigned(number(3)), size_t(number(4)));
  if (mode == "corrupt-module") {
    return corrupt_module(file, number(3), unsigned(number(4)), size_t(number(5)));
  }
  return mode == "scan" ? scan(file, number(3)) : 2;
}

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv);
}
