// NVTX 3 is header-only: each library that uses it looks for a tool at its first call, by
// NVTX_INJECTION64_PATH, and lets the tool fill its table of functions.
#include <cstddef>

#include "maya/ranges.h"

namespace maya {
namespace {

using Function = void (*)();
using FunctionTable = Function**;  // addresses of the library's function pointers, by callback number

struct Callbacks {
  size_t struct_size;
  int (*module_table)(int module, FunctionTable* table, unsigned* size);
};
using GetExportTable = const void* (*)(uint32_t id);

constexpr uint32_t kCallbacksTable = 1;
enum Module : int { kCore = 1, kCore2 = 5 };

enum CoreFunction : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
};

enum DomainFunction : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
};

const char* text_or_empty(const char* text) {
  return text ? text : "";
}

struct Table {
  FunctionTable slots = nullptr;
  unsigned size = 0;

  template <typename F>
  void set(unsigned number, F function) {
    if (number < size && slots[number]) *slots[number] = reinterpret_cast<Function>(function);
  }
};

void fill_core(Table table) {
  table.set(kMarkEx, +[](const void* event) { mark(nullptr, attributes_text(event)); });
  table.set(kMarkA, +[](const char* text) { mark(nullptr, text_or_empty(text)); });
  table.set(kMarkW, +[](const wchar_t* text) { mark(nullptr, narrow_text(text)); });
  table.set(kRangeStartEx, +[](const void* event) { return start_range(nullptr, attributes_text(event)); });
  table.set(kRangeStartA, +[](const char* text) { return start_range(nullptr, text_or_empty(text)); });
  table.set(kRangeStartW, +[](const wchar_t* text) { return start_range(nullptr, narrow_text(text)); });
  table.set(kRangeEnd, +[](uint64_t range) { end_range(nullptr, range); });
  table.set(kRangePushEx, +[](const void* event) { return push_range(nullptr, attributes_text(event)); });
  table.set(kRangePushA, +[](const char* text) { return push_range(nullptr, text_or_empty(text)); });
  table.set(kRangePushW, +[](const wchar_t* text) { return push_range(nullptr, narrow_text(text)); });
  table.set(kRangePop, +[] { return pop_range(nullptr); });
}

void fill_domains(Table table) {
  table.set(
      kDomainMarkEx, +[](RangeDomain* domain, const void* event) { mark(domain, attributes_text(event)); });
  table.set(
      kDomainRangeStartEx,
      +[](RangeDomain* domain, const void* event) { return start_range(domain, attributes_text(event)); });
  table.set(kDomainRangeEnd, +[](RangeDomain* domain, uint64_t range) { end_range(domain, range); });
  table.set(
      kDomainRangePushEx,
      +[](RangeDomain* domain, const void* event) { return push_range(domain, attributes_text(event)); });
  table.set(kDomainRangePop, +[](RangeDomain* domain) { return pop_range(domain); });
  table.set(kDomainRegisterStringA, +[](RangeDomain*, const char* text) { return register_text(text); });
  table.set(
      kDomainRegisterStringW,
      +[](RangeDomain*, const wchar_t* text) { return register_text(narrow_text(text)); });
  table.set(kDomainCreateA, +[](const char* name) { return create_range_domain(name); });
  table.set(kDomainCreateW, +[](const wchar_t* name) { return create_range_domain(narrow_text(name)); });
}

}  // namespace
}  // namespace maya

extern "C" MAYA_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  const auto* callbacks = static_cast<const maya::Callbacks*>(get_export_table(maya::kCallbacksTable));
  if (!callbacks || callbacks->struct_size < sizeof(maya::Callbacks)) return 0;
  maya::Table core, domains;
  if (callbacks->module_table(maya::kCore, &core.slots, &core.size)) maya::fill_core(core);
  if (callbacks->module_table(maya::kCore2, &domains.slots, &domains.size)) maya::fill_domains(domains);
  return 1;
}
