#include "kernel_info.h"

#include <algorithm>

namespace maya::fatbin {
namespace {

// Numbers and layouts as `cuobjdump -elf` shows them for what ptxas 12.8 and 13.0 write.
enum Attribute : uint8_t {
  kMaxThreads = 0x05,
  kParamCbank = 0x0a,
  kReqNtid = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kKparamInfo = 0x17,
  kCbankParamSize = 0x19,
  kRegcount = 0x2f,
  kCtaPerCluster = 0x3d,
  kMaxClusterRank = 0x3f,
  kKparamInfoV2 = 0x45,  // used where a parameter is too large for the 14 bits of the first
};

constexpr uint8_t kSized = 4;             // format: the 16 bits are the length of what follows
constexpr size_t kParamItem = 16;         // bytes that describe a parameter
constexpr uint32_t kMaxBytes = 1u << 30;  // for stacks; recursion is marked by all ones

struct Item {
  uint8_t format = 0;
  uint8_t attribute = 0;
  uint16_t value = 0;
  Bytes payload;

  uint32_t word(size_t index) const {
    uint32_t word = 0;
    payload.read(4 * index, &word);
    return word;
  }
};

// False at the end, or where the rest makes no sense.
bool next_item(Bytes info, size_t* at, Item* item) {
  if (!info.contains(*at, 4)) return false;
  item->format = info.data[*at];
  item->attribute = info.data[*at + 1];
  item->value = load<uint16_t>(info.data + *at + 2);
  *at += 4;
  item->payload = {};
  if (item->format != kSized) return true;
  if (!info.contains(*at, item->value)) return false;
  item->payload = info.sub(*at, item->value);
  *at += item->value;
  return true;
}

// `most`: how many parameters there is room to describe.
void read_param(const Item& item, size_t most, KernelFacts* kernel) {
  if (item.payload.size < 12) return;
  const size_t ordinal = item.word(1) & 0xffff;
  if (ordinal >= most) return;
  if (kernel->params.size() <= ordinal) kernel->params.resize(ordinal + 1);
  const uint32_t size = item.attribute == kKparamInfo ? item.word(2) >> 18 : item.word(2) & 0xffff;
  kernel->params[ordinal] = {item.word(1) >> 16, size};
}

int product(const Item& item) {
  uint64_t threads = 1;
  for (size_t i = 0; i < 3; ++i) threads *= std::clamp<uint32_t>(item.word(i), 1, 1024);
  return static_cast<int>(std::min<uint64_t>(threads, 1024));
}

void read_cluster(const Item& item, KernelFacts* kernel) {
  for (size_t i = 0; i < 3; ++i) {
    kernel->cluster[i] = static_cast<int>(std::min<uint32_t>(item.word(i), 0xffff));
  }
}

}  // namespace

void read_module_info(Bytes info, const std::vector<int32_t>& kernel_of_symbol,
                      std::vector<KernelFacts>* kernels) {
  size_t at = 0;
  for (Item item; next_item(info, &at, &item);) {
    const uint32_t symbol = item.word(0);
    if (item.payload.size < 8 || symbol >= kernel_of_symbol.size()) continue;
    if (kernel_of_symbol[symbol] < 0) continue;
    KernelFacts& kernel = (*kernels)[static_cast<size_t>(kernel_of_symbol[symbol])];
    const uint32_t value = item.word(1);
    if (value > kMaxBytes) continue;
    if (item.attribute == kRegcount) kernel.registers = static_cast<int>(value);
    if (item.attribute == kFrameSize || item.attribute == kMinStackSize) {
      kernel.local = std::max(kernel.local, static_cast<int>(value));
    }
  }
}

void read_kernel_info(Bytes info, KernelFacts* kernel) {
  size_t at = 0;
  for (Item item; next_item(info, &at, &item);) {
    switch (item.attribute) {
      case kKparamInfo:
      case kKparamInfoV2:
        read_param(item, info.size / kParamItem, kernel);
        break;
      case kCbankParamSize:
        kernel->param_bytes = item.value;
        break;
      case kParamCbank:
        kernel->param_bytes = static_cast<int>(item.word(1) >> 16);
        break;
      case kReqNtid:
        kernel->required_threads = true;
        [[fallthrough]];
      case kMaxThreads:
        kernel->max_threads = product(item);
        break;
      case kCtaPerCluster:
        read_cluster(item, kernel);
        break;
      case kMaxClusterRank:
        kernel->max_cluster_rank = static_cast<int>(std::min<uint32_t>(item.word(0), 0xffff));
        break;
      default:
        break;
    }
  }
}

}  // namespace maya::fatbin
