// An operation graph in words.
//
//   conv_fprop(conv={comp_type=f32 ...} w=t0:f16[64,3,7,7]/[147,1,21,3] x=t1:f16[...]/[...]
//   y=t2:f16[...]/[...])
//
// Operations are separated by ';'. Tensors are numbered in order of appearance, because the program's own
// numbers may differ from step to step. Marks after a tensor: v virtual, s passed by value, r ragged.
#include <cstdio>
#include <map>

#include "backend_graph.h"

namespace maya::cudnn {
namespace {

class Writer {
 public:
  explicit Writer(const Overrides& overrides) : overrides_(overrides) {}

  void operation(const View& op) {
    text_ += type_name(op.type());
    if (op.type() == kOpPointwise) {
      text_ += '.';
      text_ += pointwise_name(static_cast<int>(op.child(kPointwiseDescriptor).integer(kPointwiseMode)));
    }
    text_ += '(';
    attributes(op);
    text_ += ')';
  }

  void graph(const View& graph) {
    Value ops = graph.get(kGraphOps);
    for (int64_t i = 0; i < ops.count; ++i) {
      if (i > 0) text_ += ';';
      operation(ops.child(i));
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void attributes(const View& part) {
    bool first = true;
    part.each([&](int attribute, const Value& value) {
      bool output = false;
      const char* name = attribute_name(attribute, &output);
      if (!name || value.count == 0) return;
      if (!first) text_ += ' ';
      first = false;
      text_ += name;
      text_ += '=';
      write(value);
    });
  }

  void write(const Value& value) {
    if (value.count > 1) text_ += '[';
    for (int64_t i = 0; i < value.count; ++i) {
      if (i > 0) text_ += ',';
      if (value.type == kTypeDescriptor) {
        descriptor(value.child(i));
      } else {
        scalar(value, i);
      }
    }
    if (value.count > 1) text_ += ']';
  }

  void descriptor(const View& part) {
    if (part.type() == kBackendTensor) return tensor(part);
    if (is_operation(part.type())) return operation(part);
    text_ += '{';
    if (part.type() == kOperationGraph) {
      graph(part);
    } else {
      attributes(part);
    }
    text_ += '}';
  }

  void scalar(const Value& value, int64_t index) {
    if (value.type == kTypeDataType) {
      text_ += data_type_name(static_cast<int>(value.integer(index)));
    } else if (value.type == kTypeFloat || value.type == kTypeDouble) {
      char buffer[32];
      std::snprintf(buffer, sizeof buffer, "%g", value.real());
      text_ += buffer;
    } else {
      text_ += std::to_string(value.integer(index));
    }
  }

  void tensor(const View& view) {
    GraphTensor tensor = read_tensor(view, overrides_);
    auto [entry, fresh] = numbers_.emplace(tensor.uid, numbers_.size());
    text_ += 't';
    text_ += std::to_string(entry->second);
    if (!fresh) return;
    text_ += ':';
    text_ += data_type_name(static_cast<int>(tensor.type));
    extents(tensor.dims);
    text_ += '/';
    extents(tensor.strides);
    if (tensor.is_virtual) text_ += 'v';
    if (tensor.by_value) text_ += 's';
    if (tensor.ragged) text_ += 'r';
  }

  void extents(const std::vector<int64_t>& numbers) {
    char separator = '[';
    for (int64_t number : numbers) {
      text_ += separator;
      text_ += std::to_string(number);
      separator = ',';
    }
    text_ += ']';
  }

  const Overrides& overrides_;
  std::map<int64_t, size_t> numbers_;
  std::string text_;
};

}  // namespace

std::string describe(const View& graph, const Overrides& overrides) {
  Writer writer(overrides);
  writer.graph(graph);
  return writer.take();
}

}  // namespace maya::cudnn
