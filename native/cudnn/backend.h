// Backend descriptors: a store of attributes by number.
//
// The real library copies a descriptor that is set as an attribute of another, and programs rely on it:
// they destroy the part as soon as it is set. So a descriptor is a value here: setting one as an
// attribute copies its encoded content, to any depth.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "descriptor.h"

namespace maya::cudnn {

using Bytes = std::vector<char>;
using Attributes = std::map<int, Bytes>;  // encoded values by attribute number

class View;

// One attribute's value inside an encoding.
struct Value {
  int type = -1;  // -1: not set
  int64_t count = 0;
  const char* data = nullptr;
  size_t bytes = 0;

  bool set() const { return type >= 0; }
  View child(int64_t index) const;
  int64_t integer(int64_t index = 0) const;  // of any integral type or enumeration
  double real() const;                       // of a float or double
};

// A descriptor inside an encoding, which must outlive the view.
class View {
 public:
  View() = default;
  View(const char* data, size_t bytes) : data_(data), bytes_(bytes) {}
  bool valid() const { return data_ != nullptr; }
  int type() const;
  Value get(int attribute) const;
  View child(int attribute) const { return get(attribute).child(0); }
  int64_t integer(int attribute, int64_t fallback = 0) const;
  std::vector<int64_t> integers(int attribute) const;
  // Calls visit(number, value) for every attribute in order of number.
  template <typename Visit>
  void each(Visit visit) const;
  Bytes copy() const { return Bytes(data_, data_ + bytes_); }

 private:
  struct Entry {
    int number;
    Value value;
  };
  // The attribute at `*offset`, which moves on; false at the end.
  bool next(size_t* offset, Entry* entry) const;

  const char* data_ = nullptr;
  size_t bytes_ = 0;
};

template <typename Visit>
void View::each(Visit visit) const {
  Entry entry;
  for (size_t offset = 0; next(&offset, &entry);) visit(entry.number, entry.value);
}

Bytes encode_value(int type, int64_t count, const void* data, size_t bytes);
Bytes encode_descriptors(const std::vector<Bytes>& descriptors);
Bytes encode_descriptor(int type, const Attributes& attributes);
Value decode_value(const Bytes& encoded);
// A value from an attribute map; not set where absent.
Value value_in(const Attributes& attributes, int attribute);
// Is this an encoding that cannot lead a view outside of it? For bytes that came from the program.
bool well_formed(const Bytes& descriptor);

template <typename T>
Bytes encode_numbers(int type, const std::vector<T>& numbers) {
  return encode_value(type, static_cast<int64_t>(numbers.size()), numbers.data(), numbers.size() * sizeof(T));
}

// Attribute keys that programs cannot name.
enum Private : int {
  kFinalized = -1,
  kPlanRecord = -2,
  kPlanOutputs = -3,
  kPlanInputs = -4,
  kPlanRank = -5,
  kPlanRuns = -6,
  kPlanKind = -7,
};

// Descriptor types.
bool known_type(int type);
const char* type_name(int type);
bool is_operation(int type);
bool belongs(int type, int attribute);
// False where the attribute's type is known to be another.
bool type_fits(int attribute, int attribute_type);
// The first attribute that must be set before finalising and is not; -1 if none is missing.
int missing_attribute(int type, const Attributes& attributes);
size_t attribute_bytes(int attribute_type);

// Short name of an attribute of an operation; null if it has none. `output`: the operation writes it.
const char* attribute_name(int attribute, bool* output);
const char* pointwise_name(int mode);
const char* data_type_name(int type);

// Checks a descriptor and adds its read-only attributes; a status.
int finalize(int type, Attributes* attributes);

// What a plan keeps of itself in words that it can be made from again.
std::string plan_json(const Value& config);
bool config_from_json(const Value& json, Bytes* config);

}  // namespace maya::cudnn
