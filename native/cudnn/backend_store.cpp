// The backend descriptor functions: create, set, finalise, get, destroy.
#include <algorithm>
#include <cstring>

#include "backend.h"
#include "gen/cudnn.h"

using namespace maya::cudnn;

namespace {

int type_of(const maya::Handle& descriptor) {
  return descriptor.type - kBackendObject;
}

bool finalized(const maya::Handle& descriptor) {
  return descriptor.attributes.count(kFinalized) > 0;
}

maya::Handle* backend(void* descriptor) {
  maya::Handle* found = find(descriptor, -1);
  if (found && found->type >= kBackendObject) return found;
  fail(kBadParam, "not a live backend descriptor");
  return nullptr;
}

// The descriptors an array of handles names, encoded.
int read_descriptors(int64_t count, const void* elements, std::vector<Bytes>* encoded) {
  auto* handles = static_cast<void* const*>(elements);
  for (int64_t i = 0; i < count; ++i) {
    maya::Handle* part = backend(handles[i]);
    if (!part) return kBadParam;
    if (!finalized(*part))
      return fail(kBadParamNotFinalized, "descriptor set as an attribute is not finalised");
    encoded->push_back(encode_descriptor(type_of(*part), part->attributes));
  }
  return kSuccess;
}

// Makes the program's descriptors equal to the ones in `value`.
int fill_descriptors(const Value& value, int64_t count, void* elements) {
  auto* handles = static_cast<void**>(elements);
  for (int64_t i = 0; i < count; ++i) {
    View part = value.child(i);
    maya::Handle* target = backend(handles[i]);
    if (!target) return kBadParam;
    if (type_of(*target) != part.type())
      return fail(kBadParamDescriptorType, "descriptor of another type given");
    Attributes attributes;
    part.each([&](int number, const Value& v) {
      attributes[number] = encode_value(v.type, v.count, v.data, v.bytes);
    });
    attributes[kFinalized] = {1};
    target->attributes.swap(attributes);
  }
  return kSuccess;
}

// A plan's JSON is long and rarely asked for, so it is made on demand.
Bytes computed(const maya::Handle& descriptor, int attribute) {
  if (attribute != kPlanJson || type_of(descriptor) != kExecutionPlan) return {};
  std::string json = plan_json(value_in(descriptor.attributes, kPlanEngineConfig));
  return encode_value(kTypeChar, static_cast<int64_t>(json.size()), json.data(), json.size());
}

}  // namespace

extern "C" {

int cudnnBackendCreateDescriptor(int descriptorType, void** descriptor) {
  maya::Call call;
  if (!descriptor) return fail(kBadParamNullPointer, "descriptor == nullptr");
  if (!known_type(descriptorType)) return fail(kNotSupported, "unknown descriptor type");
  *descriptor = maya::create_handle(maya::Library::cudnn, kBackendObject + descriptorType);
  return kSuccess;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
  maya::Call call;
  if (!descriptor) return kSuccess;
  if (!backend(descriptor)) return kBadParam;
  maya::destroy_handle(descriptor, maya::Library::cudnn);
  return kSuccess;
}

int cudnnBackendInitialize(void* descriptor) {
  maya::Handle* found = backend(descriptor);
  if (!found) return kBadParam;
  found->attributes.clear();
  return kSuccess;
}

int cudnnBackendSetAttribute(void* descriptor, int attributeName, int attributeType, int64_t elementCount,
                             const void* arrayOfElements) {
  maya::Call call;
  maya::Handle* target = backend(descriptor);
  if (!target) return kBadParam;
  if (finalized(*target)) return fail(kNotInitialized, "descriptor is already finalised");
  if (!belongs(type_of(*target), attributeName)) return fail(kBadParam, "descriptor has no such attribute");
  if (attributeType < 0 || attributeType >= kTypeCount || !type_fits(attributeName, attributeType)) {
    return fail(kBadParamAttributeType, "attribute has another type");
  }
  if (elementCount < 0 || (elementCount > 0 && !arrayOfElements)) return fail(kBadParam, "no elements given");
  if (attributeType == kTypeDescriptor) {
    std::vector<Bytes> parts;
    int status = read_descriptors(elementCount, arrayOfElements, &parts);
    if (status == kSuccess) target->attributes[attributeName] = encode_descriptors(parts);
    return status;
  }
  size_t bytes = static_cast<size_t>(elementCount) * attribute_bytes(attributeType);
  target->attributes[attributeName] = encode_value(attributeType, elementCount, arrayOfElements, bytes);
  return kSuccess;
}

int cudnnBackendFinalize(void* descriptor) {
  maya::Call call;
  maya::Handle* target = backend(descriptor);
  if (!target) return kBadParam;
  if (finalized(*target)) return kSuccess;
  int status = finalize(type_of(*target), &target->attributes);
  if (status == kSuccess) target->attributes[kFinalized] = {1};
  return status;
}

int cudnnBackendGetAttribute(void* descriptor, int attributeName, int attributeType,
                             int64_t requestedElementCount, int64_t* elementCount, void* arrayOfElements) {
  maya::Call call;
  maya::Handle* source = backend(descriptor);
  if (!source) return kBadParam;
  if (!finalized(*source)) return fail(kNotInitialized, "descriptor is not finalised");
  if (!belongs(type_of(*source), attributeName)) return fail(kBadParam, "descriptor has no such attribute");
  Bytes made = computed(*source, attributeName);
  Value value = made.empty() ? value_in(source->attributes, attributeName) : decode_value(made);
  if (value.set() && value.type != attributeType)
    return fail(kBadParamAttributeType, "attribute has another type");
  int64_t count = std::min(value.count, std::max<int64_t>(requestedElementCount, 0));
  // Without an array the question is how many there are.
  store(elementCount, arrayOfElements ? count : value.count);
  if (!arrayOfElements || count == 0) return kSuccess;
  if (attributeType == kTypeDescriptor) return fill_descriptors(value, count, arrayOfElements);
  std::memcpy(arrayOfElements, value.data, static_cast<size_t>(count) * attribute_bytes(attributeType));
  return kSuccess;
}

}  // extern "C"
