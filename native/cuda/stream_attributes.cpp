// Attributes of streams and kernel nodes: hints on caches and scheduling that change no work.
#include <cstring>

#include "maya/graph.h"
#include "support.h"

using namespace maya;
using namespace maya::driver;

namespace {

constexpr size_t kValueBytes = 64;
constexpr int kLastAttribute = 18;

bool is_attribute(int attribute) {
  return attribute > 0 && attribute <= kLastAttribute;
}

}  // namespace

extern "C" {

int cuStreamGetAttribute(void* handle, int attribute, void* value) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!value || !is_attribute(attribute)) return kInvalidValue;
  memset(value, 0, kValueBytes);
  if (attribute == kAttributePriority) memcpy(value, &stream->priority, sizeof stream->priority);
  return kSuccess;
}

int cuStreamSetAttribute(void* handle, int attribute, const void* value) {
  Stream* stream = nullptr;
  if (int status = require_stream(handle, &stream)) return status;
  if (!value || !is_attribute(attribute)) return kInvalidValue;
  if (attribute == kAttributePriority) memcpy(&stream->priority, value, sizeof stream->priority);
  return kSuccess;
}

int cuStreamCopyAttributes(void* dst, void* src) {
  Stream* to = nullptr;
  Stream* from = nullptr;
  if (int status = require_stream(dst, &to)) return status;
  if (int status = require_stream(src, &from)) return status;
  to->priority = from->priority;
  return kSuccess;
}

int cuGraphKernelNodeGetAttribute(void* node, int attribute, void* value) {
  if (int status = require_driver()) return status;
  if (!find_node(node) || !value || !is_attribute(attribute)) return kInvalidValue;
  memset(value, 0, kValueBytes);
  return kSuccess;
}

int cuGraphKernelNodeSetAttribute(void* node, int attribute, const void* value) {
  if (int status = require_driver()) return status;
  return find_node(node) && value && is_attribute(attribute) ? kSuccess : kInvalidValue;
}

int cuGraphKernelNodeCopyAttributes(void* dst, void* src) {
  if (int status = require_driver()) return status;
  return find_node(dst) && find_node(src) ? kSuccess : kInvalidValue;
}

}  // extern "C"
