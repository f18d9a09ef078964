#include "cubin.h"

#include <algorithm>
#include <vector>

#include "code.h"
#include "elf.h"
#include "kernel_info.h"

namespace maya::fatbin {
namespace {

constexpr uint32_t kSectionInfo = 0x70000000;  // .nv.info; its Mercury twin has another type
constexpr uint8_t kOtherEntry = 0x10;          // st_other: a kernel, not a device function
constexpr uint8_t kOtherManaged = 0x04;
constexpr uint16_t kSectionIsElsewhere = 0xffff;

// From sm_90 on a shared section begins with what the driver reserves per block. `ptxas -v` does not
// count it (400 bytes where the section has 1,424), nor is it the program's.
constexpr uint64_t kReservedShared = 1024;
constexpr int kFirstReservedSm = 90;

// Names of one table may share their ends.
constexpr size_t kNameShare = 4;

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

int clamp_bytes(uint64_t bytes) {
  return static_cast<int>(std::min<uint64_t>(bytes, 1u << 30));
}

// The e_flags of ABI 8 (CUDA 13) moved the architecture up by a byte.
int architecture(const ElfHeader& header) {
  constexpr size_t kAbiVersion = 8;
  return static_cast<int>(header.ident[kAbiVersion] >= 8 ? header.flags >> 8 & 0xff : header.flags & 0xff);
}

class CubinReader {
 public:
  CubinReader(const Elf& elf, ModuleFacts* module)
      : elf_(elf),
        module_(module),
        sm_(architecture(elf.header())),
        unread_(elf.size()),
        unread_names_(kNameShare * elf.size()) {}

  bool run(std::string* error) {
    if (!find_tables()) return fail(error, "cubin has no symbol table");
    read_symbols();
    for (size_t i = 0; i < elf_.section_count(); ++i) read_section(elf_.section(i));
    if (exhausted_) return fail(error, "cubin's sections or names lie over each other");
    for (KernelFacts& kernel : module_->kernels) kernel.constant = clamp_bytes(constant_bytes_);
    return true;
  }

 private:
  bool find_tables() {
    bool found = false;
    for (size_t i = 0; i < elf_.section_count(); ++i) {
      const ElfSection section = elf_.section(i);
      if (section.type == kSectionSymbolIndices) section_of_symbol_ = elf_.contents(section);
      if (section.type != kSectionSymbols || section.link >= elf_.section_count()) continue;
      symbols_ = elf_.contents(section);
      strings_ = elf_.contents(elf_.section(section.link));
      found = true;
    }
    return found;
  }

  void read_symbols() {
    const size_t count = symbols_.size / sizeof(ElfSymbol);
    kernel_of_symbol_.assign(count, -1);
    kernel_of_text_.assign(elf_.section_count(), -1);
    for (size_t i = 0; i < count; ++i) {
      const auto symbol = load<ElfSymbol>(symbols_.data + i * sizeof(ElfSymbol));
      const size_t section = section_of(symbol, i);
      if (section == 0 || section >= elf_.section_count()) continue;
      if (symbol.type() == kSymbolFunction && (symbol.other & kOtherEntry)) {
        add_kernel(symbol, i, section);
      } else if (symbol.type() == kSymbolObject) {
        add_global(symbol, elf_.section(section));
      }
    }
  }

  size_t section_of(const ElfSymbol& symbol, size_t index) const {
    uint32_t section = symbol.section;
    if (symbol.section == kSectionIsElsewhere) section_of_symbol_.read(4 * index, &section);
    return section;
  }

  void add_kernel(const ElfSymbol& symbol, size_t index, size_t text) {
    const auto number = static_cast<int32_t>(module_->kernels.size());
    kernel_of_symbol_[index] = number;
    kernel_of_text_[text] = number;
    KernelFacts& kernel = module_->kernels.emplace_back();
    kernel.name = name_of(symbol);
    kernel.sm = sm_;
    // Where .nv.info says nothing: cubins up to ABI 7 repeat the count in the section header.
    const uint32_t registers = elf_.section(text).info >> 24;
    if (registers > 0) kernel.registers = static_cast<int>(registers);
  }

  void add_global(const ElfSymbol& symbol, const ElfSection& section) {
    const std::string_view where = elf_.name(section);
    const bool constant = starts_with(where, ".nv.constant");
    if (!constant && !starts_with(where, ".nv.global")) return;
    GlobalFacts& global = module_->globals.emplace_back();
    global.name = name_of(symbol);
    global.size = symbol.size;
    global.constant = constant;
    global.managed = symbol.other & kOtherManaged;
  }

  // What is read more than once in all is no file that an assembler wrote, and could be read for ever.
  Bytes once(Bytes part) {
    exhausted_ = exhausted_ || part.size > unread_;
    if (exhausted_) return {};
    unread_ -= part.size;
    return part;
  }

  std::string_view name_of(const ElfSymbol& symbol) {
    const std::string_view name = Elf::string(strings_, symbol.name);
    exhausted_ = exhausted_ || name.size() > unread_names_;
    if (exhausted_) return {};
    unread_names_ -= name.size();
    return name;
  }

  void read_section(const ElfSection& section) {
    if (section.type == kSectionInfo && section.info == 0) {
      return read_module_info(once(elf_.contents(section)), kernel_of_symbol_, &module_->kernels);
    }
    const std::string_view name = elf_.name(section);
    if (name == ".nv.constant3") constant_bytes_ = section.size;
    if (name == kPtxSection) module_->code = ptx_code(once(elf_.contents(section)).text());
    if (section.info >= kernel_of_text_.size() || kernel_of_text_[section.info] < 0) return;
    KernelFacts& kernel = module_->kernels[static_cast<size_t>(kernel_of_text_[section.info])];
    if (section.type == kSectionInfo) read_kernel_info(once(elf_.contents(section)), &kernel);
    if (section.type == kSectionNoBits && starts_with(name, ".nv.shared.")) {
      const uint64_t reserved = sm_ >= kFirstReservedSm ? kReservedShared : 0;
      kernel.static_shared = clamp_bytes(section.size - std::min(section.size, reserved));
    }
  }

  const Elf& elf_;
  ModuleFacts* module_;
  const int sm_;
  Bytes symbols_, strings_, section_of_symbol_;
  uint64_t constant_bytes_ = 0;
  size_t unread_, unread_names_;
  bool exhausted_ = false;
  std::vector<int32_t> kernel_of_symbol_, kernel_of_text_;  // -1: no kernel
};

}  // namespace

bool parse_cubin(Bytes image, ModuleFacts* module, std::string* error) {
  Elf elf;
  return elf.open(image, error) && CubinReader(elf, module).run(error);
}

}  // namespace maya::fatbin
