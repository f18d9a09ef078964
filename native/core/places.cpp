#include "places.h"

#include <atomic>

#include "ranges/operators.h"

namespace maya {
namespace {

std::atomic<void (*)()> asked{nullptr};

}  // namespace

void ask_for_place() {
  if (auto* listener = asked.load(std::memory_order_acquire)) listener();
}

}  // namespace maya

void maya_listen_for_places(void (*listener)()) {
  maya::asked.store(listener, std::memory_order_release);
}

// Read by src/maya/trace/places.py.
void maya_tell_place(const char* line, const char* module, const char* phase, uint64_t number) {
  static const char* const fields[] = {"line:s", "module:s", "phase:s", "operators:s"};
  static maya::Schema schema{"place", maya::Kind::range, fields, 4};
  maya::OperatorStack inside = maya::operators_of_thread();
  maya::note(
      schema,
      {maya::intern(line), maya::intern(module), maya::intern(phase), maya::intern(inside.lines.c_str())}, 0,
      number, inside.shared);
}
