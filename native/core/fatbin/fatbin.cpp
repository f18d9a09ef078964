#include "maya/fatbin.h"

#include <algorithm>

#include "code.h"
#include "container.h"
#include "cubin.h"
#include "elf.h"
#include "ptx.h"

namespace maya {
namespace {

using fatbin::Bytes;

template <typename Facts>
void sort_by_name(std::vector<Facts>* facts) {
  std::sort(facts->begin(), facts->end(), [](const Facts& a, const Facts& b) { return a.name < b.name; });
}

template <typename Facts>
const Facts* find_by_name(const std::vector<Facts>& facts, std::string_view name) {
  const auto found =
      std::lower_bound(facts.begin(), facts.end(), name,
                       [](const Facts& a, std::string_view wanted) { return a.name < wanted; });
  return found != facts.end() && found->name == name ? &*found : nullptr;
}

// A module of its own, without a fat binary around it.
Bytes measure(const void* image, size_t size) {
  const auto* at = static_cast<const uint8_t*>(image);
  if (size != 0) return {at, size};
  const size_t text = std::strlen(reinterpret_cast<const char*>(at));
  if (text < 6 || !fatbin::Elf::is_elf({at, 6})) return {at, text};
  return {at, fatbin::Elf::extent(at)};
}

bool parse_contents(Bytes contents, int sm, ModuleFacts* module, std::string* error) {
  if (fatbin::Elf::is_elf(contents)) return fatbin::parse_cubin(contents, module, error);
  module->code = fatbin::ptx_code(contents.text());
  return fatbin::parse_ptx(contents.text(), sm, module, error);
}

bool parse_bare(Bytes image, int sm, ModuleFacts* module, std::string* error) {
  if (!parse_contents(image, sm, module, error)) return false;
  if (module->kernels.empty()) return true;
  const KernelFacts& any = module->kernels.front();
  const bool fits = any.from_ptx ? any.sm <= sm : fatbin::cubin_runs_on(any.sm, ImageScope::kGeneric, sm);
  return fits || fatbin::fail(error, "module is for another architecture than the device");
}

bool parse_fatbin(const void* image, size_t size, int sm, ModuleFacts* module, std::string* error) {
  std::vector<FatbinEntry> entries;
  if (!list_fatbin(image, size, &entries, error)) return false;
  const FatbinEntry* entry = choose_entry(entries, sm);
  if (!entry) return fatbin::fail(error, "fat binary has no image for the device");
  std::unique_ptr<uint8_t[]> storage;
  Bytes contents;
  return fatbin::unpack(*entry, &storage, &contents, error) && parse_contents(contents, sm, module, error);
}

bool is_fatbin(const void* image, size_t size) {
  if (size != 0 && size < sizeof(uint32_t)) return false;
  // Byte by byte, since PTX without a size may be shorter than a magic number.
  const auto* at = static_cast<const uint8_t*>(image);
  for (const uint32_t magic : {fatbin::kFatbinMagic, fatbin::kWrapperMagic}) {
    size_t i = 0;
    while (i < 4 && at[i] == (magic >> (8 * i) & 0xff)) ++i;
    if (i == 4) return true;
  }
  return false;
}

}  // namespace

const KernelFacts* ModuleFacts::kernel(std::string_view name) const {
  return find_by_name(kernels, name);
}

const GlobalFacts* ModuleFacts::global(std::string_view name) const {
  return find_by_name(globals, name);
}

std::shared_ptr<const ModuleFacts> parse_module(const void* image, size_t size, int sm, std::string* error) {
  if (!image) {
    fatbin::fail(error, "no image");
    return nullptr;
  }
  auto module = std::make_shared<ModuleFacts>();
  const bool ok = is_fatbin(image, size) ? parse_fatbin(image, size, sm, module.get(), error)
                                         : parse_bare(measure(image, size), sm, module.get(), error);
  if (!ok) return nullptr;
  sort_by_name(&module->kernels);
  sort_by_name(&module->globals);
  return module;
}

}  // namespace maya
