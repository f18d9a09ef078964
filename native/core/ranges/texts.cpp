#include <cstring>
#include <string>

#include "maya/ranges.h"

namespace maya {
namespace {

// The leading part of nvtxEventAttributes_t, the same since NVTX 1.
struct EventAttributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};
static_assert(sizeof(EventAttributes) == 48);

enum MessageType : int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };

void append_utf8(std::string& to, uint32_t c) {
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    to += static_cast<char>(0xe0 | c >> 12);
    to += static_cast<char>(0x80 | (c >> 6 & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | (c >> 18 & 7));
    to += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    to += static_cast<char>(0x80 | (c >> 6 & 0x3f));
  }
  if (c >= 0x80) to += static_cast<char>(0x80 | (c & 0x3f));
}

}  // namespace

const char* narrow_text(const wchar_t* text) {
  thread_local std::string narrow;
  narrow.clear();
  for (; text && *text; ++text) append_utf8(narrow, static_cast<uint32_t>(*text));
  return narrow.c_str();
}

// Handles live as long as the process, as NVTX promises.
void* register_text(const char* text) {
  return strdup(text ? text : "");
}

const char* attributes_text(const void* attributes) {
  const auto* given = static_cast<const EventAttributes*>(attributes);
  if (!given || given->size < sizeof(EventAttributes) || !given->message) return "";
  switch (given->message_type) {
    case kAscii:
    case kRegistered:
      return static_cast<const char*>(given->message);
    case kUnicode:
      return narrow_text(static_cast<const wchar_t*>(given->message));
    default:
      return "";
  }
}

}  // namespace maya
