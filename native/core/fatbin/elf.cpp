#include "elf.h"

#include <algorithm>

namespace maya::fatbin {
namespace {

constexpr uint16_t kIndexInFirstSection = 0xffff;
constexpr size_t kLongestName = size_t{1} << 16;

// ELF keeps counts that do not fit 16 bits in the otherwise unused first section.
size_t count_sections(const ElfHeader& header, const uint8_t* table) {
  if (header.section_count != 0) return header.section_count;
  return static_cast<size_t>(load<ElfSection>(table).size);
}

}  // namespace

bool Elf::is_elf(Bytes image) {
  constexpr uint8_t kMagic[] = {0x7f, 'E', 'L', 'F', 2, 1};
  return image.size >= sizeof kMagic && std::memcmp(image.data, kMagic, sizeof kMagic) == 0;
}

size_t Elf::extent(const uint8_t* image) {
  const auto header = load<ElfHeader>(image);
  if (header.section_headers == 0) return sizeof(ElfHeader);
  const uint8_t* table = image + header.section_headers;
  const size_t count = count_sections(header, table);
  uint64_t end = header.section_headers + count * sizeof(ElfSection);
  end = std::max<uint64_t>(
      end, header.program_headers + uint64_t{header.program_header_count} * header.program_header_bytes);
  for (size_t i = 0; i < count; ++i) {
    const auto section = load<ElfSection>(table + i * sizeof(ElfSection));
    if (section.type != kSectionNoBits) end = std::max(end, section.offset + section.size);
  }
  return static_cast<size_t>(end);
}

bool Elf::open(Bytes image, std::string* error) {
  image_ = image;
  if (!is_elf(image) || !image.read(0, &header_)) return fail(error, "not a 64-bit ELF image");
  if (header_.section_header_bytes != sizeof(ElfSection) ||
      !image.contains(header_.section_headers, sizeof(ElfSection))) {
    return fail(error, "cubin has no section headers");
  }
  table_ = image.data + header_.section_headers;
  section_count_ = count_sections(header_, table_);
  if (section_count_ > image.size / sizeof(ElfSection) ||
      !image.contains(header_.section_headers, section_count_ * sizeof(ElfSection))) {
    return fail(error, "cubin's section headers lie outside it");
  }
  size_t names = header_.section_names;
  if (names == kIndexInFirstSection) names = section(0).link;
  if (names >= section_count_) return fail(error, "cubin has no section names");
  names_ = contents(section(names));
  return true;
}

Bytes Elf::contents(const ElfSection& section) const {
  if (section.type == kSectionNoBits) return {};
  return image_.sub(section.offset, section.size);
}

std::string_view Elf::string(Bytes table, size_t offset) {
  if (offset >= table.size) return {};
  const std::string_view rest = table.text().substr(offset, kLongestName);
  const size_t length = rest.find('\0');
  return length == std::string_view::npos ? std::string_view() : rest.substr(0, length);
}

}  // namespace maya::fatbin
