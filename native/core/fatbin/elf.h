// Just enough of 64-bit little-endian ELF to read cubins.
#pragma once

#include "bytes.h"

namespace maya::fatbin {

struct ElfHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, program_headers, section_headers;
  uint32_t flags;
  uint16_t header_bytes, program_header_bytes, program_header_count;
  uint16_t section_header_bytes, section_count, section_names;
};
static_assert(sizeof(ElfHeader) == 64);

struct ElfSection {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entry_bytes;
};
static_assert(sizeof(ElfSection) == 64);

struct ElfSymbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;

  unsigned type() const { return info & 15; }
};
static_assert(sizeof(ElfSymbol) == 24);

constexpr uint32_t kSectionSymbols = 2;
constexpr uint32_t kSectionNoBits = 8;
constexpr uint32_t kSectionSymbolIndices = 18;  // section numbers that do not fit 16 bits
constexpr unsigned kSymbolObject = 1;
constexpr unsigned kSymbolFunction = 2;

class Elf {
 public:
  static bool is_elf(Bytes image);

  // Extent by the headers, for images that come without a size.
  static size_t extent(const uint8_t* image);

  bool open(Bytes image, std::string* error);

  size_t size() const { return image_.size; }
  const ElfHeader& header() const { return header_; }
  size_t section_count() const { return section_count_; }
  ElfSection section(size_t index) const { return load<ElfSection>(table_ + index * sizeof(ElfSection)); }
  Bytes contents(const ElfSection& section) const;
  std::string_view name(const ElfSection& section) const { return string(names_, section.name); }

  // Up to its terminator; empty where it is not inside the table, or longer than any name.
  static std::string_view string(Bytes table, size_t offset);

 private:
  Bytes image_;
  ElfHeader header_{};
  const uint8_t* table_ = nullptr;
  size_t section_count_ = 0;
  Bytes names_;
};

}  // namespace maya::fatbin
