// libnvToolsExt: the same ranges through the older, linked interface.
#include "maya/ranges.h"

#include "gen/nvtx.h"

namespace {

const char* or_empty(const char* text) {
  return text ? text : "";
}
const char* wide(const int* text) {
  return maya::narrow_text(reinterpret_cast<const wchar_t*>(text));
}
maya::RangeDomain* as_domain(void* domain) {
  return static_cast<maya::RangeDomain*>(domain);
}

}  // namespace

extern "C" {

int nvtxInitialize(const void*) {
  return 0;
}

void nvtxMarkEx(const void* eventAttrib) {
  maya::mark(nullptr, maya::attributes_text(eventAttrib));
}

void nvtxMarkA(const char* message) {
  maya::mark(nullptr, or_empty(message));
}

void nvtxMarkW(const int* message) {
  maya::mark(nullptr, wide(message));
}

int nvtxRangePushEx(const void* eventAttrib) {
  return maya::push_range(nullptr, maya::attributes_text(eventAttrib));
}

int nvtxRangePushA(const char* message) {
  return maya::push_range(nullptr, or_empty(message));
}

int nvtxRangePushW(const int* message) {
  return maya::push_range(nullptr, wide(message));
}

int nvtxRangePop() {
  return maya::pop_range(nullptr);
}

unsigned long nvtxRangeStartEx(const void* eventAttrib) {
  return maya::start_range(nullptr, maya::attributes_text(eventAttrib));
}

unsigned long nvtxRangeStartA(const char* message) {
  return maya::start_range(nullptr, or_empty(message));
}

unsigned long nvtxRangeStartW(const int* message) {
  return maya::start_range(nullptr, wide(message));
}

void nvtxRangeEnd(unsigned long id) {
  maya::end_range(nullptr, id);
}

void* nvtxDomainCreateA(const char* name) {
  return maya::create_range_domain(or_empty(name));
}

void* nvtxDomainCreateW(const int* name) {
  return maya::create_range_domain(wide(name));
}

void nvtxDomainDestroy(void*) {}

void* nvtxDomainRegisterStringA(void*, const char* string) {
  return maya::register_text(string);
}

void* nvtxDomainRegisterStringW(void*, const int* string) {
  return maya::register_text(wide(string));
}

void nvtxDomainMarkEx(void* domain, const void* eventAttrib) {
  maya::mark(as_domain(domain), maya::attributes_text(eventAttrib));
}

int nvtxDomainRangePushEx(void* domain, const void* eventAttrib) {
  return maya::push_range(as_domain(domain), maya::attributes_text(eventAttrib));
}

int nvtxDomainRangePop(void* domain) {
  return maya::pop_range(as_domain(domain));
}

unsigned long nvtxDomainRangeStartEx(void* domain, const void* eventAttrib) {
  return maya::start_range(as_domain(domain), maya::attributes_text(eventAttrib));
}

void nvtxDomainRangeEnd(void* domain, unsigned long id) {
  maya::end_range(as_domain(domain), id);
}

}  // extern "C"
