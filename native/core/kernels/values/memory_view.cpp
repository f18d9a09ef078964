#include "kernels/values/memory_view.h"

#include <algorithm>
#include <cstring>

#include "known_values.h"
#include "maya/memory.h"

namespace maya {

bool MemoryView::knows(size_t offset, size_t width) const {
  if (offset + width > known.size()) return false;
  auto from = known.begin() + static_cast<ptrdiff_t>(offset);
  return std::all_of(from, from + static_cast<ptrdiff_t>(width), [](uint8_t byte) { return byte; });
}

MemoryView view_memory(uintptr_t address, size_t bytes) {
  MemoryView view;
  view.address = address;
  if (bytes > kLargestView || !is_device_address(address) || !known_values().knows_any(address, bytes)) {
    return view;
  }
  view.bytes.resize(bytes);
  view.known.resize(bytes);
  known_values().read(view.bytes.data(), address, bytes);
  view.any = known_values().mask(view.known.data(), address, bytes) > 0;
  return view;
}

void MemoryUpdate::lose(size_t offset, size_t width) {
  std::fill_n(states.begin() + static_cast<ptrdiff_t>(offset), width, unknown);
}

void MemoryUpdate::assume(size_t offset, const Assumption& assumption) {
  lose(offset, assumption.width);
  assumed.emplace_back(offset, assumption);
}

char* MemoryUpdate::give(size_t offset, size_t width) {
  std::fill_n(states.begin() + static_cast<ptrdiff_t>(offset), width, known);
  return bytes.data() + offset;
}

void apply_update(const MemoryUpdate& update) {
  for (size_t from = 0; from < update.states.size();) {
    size_t until = from + 1;
    while (until < update.states.size() && update.states[until] == update.states[from]) ++until;
    uintptr_t address = update.address + from;
    if (update.states[from] == MemoryUpdate::unknown) known_values().forget_range(address, until - from);
    if (update.states[from] == MemoryUpdate::known) {
      std::memcpy(reinterpret_cast<void*>(address), update.bytes.data() + from, until - from);
      known_values().learn(address, until - from);
    }
    from = until;
  }
  for (const auto& [offset, assumption] : update.assumed)
    assumptions().set(update.address + offset, assumption);
}

}  // namespace maya
