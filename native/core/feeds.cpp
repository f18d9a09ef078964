#include "feeds.h"

void maya_fed_batch(int64_t loader, int64_t samples, const char* unit) {
  static const char* const fields[] = {"loader", "samples", "unit:s"};
  static maya::Schema schema{"fed_batch", maya::Kind::feed, fields, 3};
  maya::Call entered;
  maya::note(schema, {loader, samples, maya::intern(unit)});
}

void maya_fed_tensor(int64_t dimensions, const int64_t* sizes, int is_integer) {
  static const char* const fields[] = {"dimensions", "size_0", "size_1", "elements", "is_integer"};
  static maya::Schema schema{"fed_tensor", maya::Kind::feed, fields, 5};
  maya::Call entered;
  auto size = [&](int64_t axis) { return axis < dimensions ? sizes[axis] : int64_t{1}; };
  int64_t elements = 1;
  for (int64_t axis = 0; axis < dimensions; ++axis) elements *= sizes[axis];
  maya::note(schema, {dimensions, size(0), size(1), elements, is_integer});
}
