// Plans as JSON: programs keep it and hand it back, they do not look inside.
#include "backend.h"

namespace maya::cudnn {
namespace {

constexpr const char kBefore[] = "{\"maya_engine_config\":\"";
constexpr const char kAfter[] = "\"}";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

std::string plan_json(const Value& config) {
  static constexpr char kDigits[] = "0123456789abcdef";
  Bytes bytes = config.child(0).copy();
  std::string json = kBefore;
  for (char byte : bytes) {
    json += kDigits[static_cast<unsigned char>(byte) >> 4];
    json += kDigits[byte & 15];
  }
  return json + kAfter;
}

bool config_from_json(const Value& json, Bytes* config) {
  std::string text(json.data, static_cast<size_t>(json.count));
  size_t start = text.find(kBefore);
  if (json.type != kTypeChar || start == std::string::npos) return false;
  for (size_t i = start + sizeof kBefore - 1; i + 1 < text.size() && text[i] != '"'; i += 2) {
    int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    config->push_back(static_cast<char>(high << 4 | low));
  }
  // The text comes from the program: nothing may be read beyond what it really holds.
  return well_formed(*config) && View(config->data(), config->size()).type() == kEngineConfig;
}

}  // namespace maya::cudnn
