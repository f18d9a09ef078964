#include "saving.h"

namespace maya {
namespace {

thread_local int depth = 0;

// Read by src/maya/trace/saving.py.
void note_saving(const char* what) {
  static const char* const fields[] = {"what:s", "text:s"};
  static Schema schema{"saving", Kind::range, fields, 2};
  Call entered;
  note(schema, {intern(what), intern("saving")}, 0, 0);
}

}  // namespace

bool is_saving() {
  return depth > 0;
}

}  // namespace maya

void maya_saving_began() {
  if (maya::depth++ == 0) maya::note_saving("push");
}

void maya_saving_ended() {
  if (--maya::depth == 0) maya::note_saving("pop");
}
