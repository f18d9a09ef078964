// Operation graphs: how frontends build, ask, execute and destroy them.
#include <cstring>
#include <string>

#include "check.h"

namespace {

enum Type {
  kHandle = 0,
  kDataType = 1,
  kBoolean = 2,
  kInt64 = 3,
  kVoidPtr = 6,
  kHeurMode = 8,
  kDescriptor = 15
};
enum Object {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kConfig = 3,
  kHeuristics = 4,
  kPlan = 5,
  kKnobChoice = 7,
  kKnobInfo = 8,
  kConvForward = 10,
  kOpPointwise = 13,
  kGraph = 15,
  kPack = 16,
  kTensor = 17,
  kMatmul = 18,
  kOpMatmul = 19,
  kSdpaForward = 41,
};

void* make(int type) {
  void* descriptor = nullptr;
  OK(cudnnBackendCreateDescriptor(type, &descriptor));
  return descriptor;
}

void set(void* descriptor, int attribute, std::vector<int64_t> numbers) {
  OK(cudnnBackendSetAttribute(descriptor, attribute, kInt64, static_cast<int64_t>(numbers.size()),
                              numbers.data()));
}

void set_enum(void* descriptor, int attribute, int type, int value) {
  OK(cudnnBackendSetAttribute(descriptor, attribute, type, 1, &value));
}

void set_part(void* descriptor, int attribute, void* part) {
  OK(cudnnBackendSetAttribute(descriptor, attribute, kDescriptor, 1, &part));
}

void* make_tensor(int64_t uid, int type, std::vector<int64_t> dims, bool is_virtual = false) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t axis = dims.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * dims[axis];
  void* desc = make(kTensor);
  set(desc, 906, {uid});
  set_enum(desc, 901, kDataType, type);
  set(desc, 902, dims);
  set(desc, 903, strides);
  set(desc, 900, {16});
  OK(cudnnBackendSetAttribute(desc, 907, kBoolean, 1, &is_virtual));
  OK(cudnnBackendFinalize(desc));
  return desc;
}

// Sets a tensor and destroys it at once, as frontends do.
void give_tensor(void* operation, int attribute, void* desc) {
  set_part(operation, attribute, desc);
  OK(cudnnBackendDestroyDescriptor(desc));
}

void* make_convolution() {
  void* conv = make(kConvolution);
  set_enum(conv, 100, kDataType, kFloat);
  set_enum(conv, 101, 7, 1);
  set(conv, 106, {2});
  set(conv, 102, {1, 1});
  set(conv, 103, {2, 2});
  set(conv, 104, {3, 3});
  set(conv, 105, {3, 3});
  OK(cudnnBackendFinalize(conv));
  return conv;
}

void* make_graph(void* handle, std::vector<void*> operations) {
  void* graph = make(kGraph);
  OK(cudnnBackendSetAttribute(graph, 800, kHandle, 1, &handle));
  auto count = static_cast<int64_t>(operations.size());
  OK(cudnnBackendSetAttribute(graph, 801, kDescriptor, count, operations.data()));
  OK(cudnnBackendFinalize(graph));
  for (void* operation : operations) OK(cudnnBackendDestroyDescriptor(operation));
  return graph;
}

void* conv_graph(void* handle, int type) {
  void* operation = make(kConvForward);
  give_tensor(operation, 704, make_tensor('x', type, {8, 3, 224, 224}));
  give_tensor(operation, 703, make_tensor('w', type, {64, 3, 7, 7}));
  give_tensor(operation, 705, make_tensor('y', type, {8, 64, 112, 112}));
  give_tensor(operation, 702, make_convolution());
  OK(cudnnBackendFinalize(operation));
  return make_graph(handle, {operation});
}

std::vector<void*> heuristics(void* graph) {
  void* heur = make(kHeuristics);
  set_part(heur, 201, graph);
  set_enum(heur, 200, kHeurMode, 0);
  OK(cudnnBackendFinalize(heur));
  int64_t count = 0;
  OK(cudnnBackendGetAttribute(heur, 202, kDescriptor, 0, &count, nullptr));
  CHECK(count >= 2);
  std::vector<void*> configs;
  for (int64_t i = 0; i < count; ++i) configs.push_back(make(kConfig));
  OK(cudnnBackendGetAttribute(heur, 202, kDescriptor, count, &count, configs.data()));
  CHECK(static_cast<size_t>(count) == configs.size());
  OK(cudnnBackendDestroyDescriptor(heur));
  return configs;
}

void* make_plan(void* handle, void* config) {
  void* plan = make(kPlan);
  OK(cudnnBackendSetAttribute(plan, 400, kHandle, 1, &handle));
  set_part(plan, 401, config);
  OK(cudnnBackendFinalize(plan));
  return plan;
}

int64_t workspace_of(void* plan) {
  int64_t bytes = -1;
  OK(cudnnBackendGetAttribute(plan, 402, kInt64, 1, nullptr, &bytes));
  return bytes;
}

void* make_pack(std::vector<int64_t> uids, void* workspace, void* data) {
  void* pack = make(kPack);
  std::vector<void*> pointers(uids.size(), data);
  set(pack, 1000, uids);
  OK(cudnnBackendSetAttribute(pack, 1001, kVoidPtr, static_cast<int64_t>(uids.size()), pointers.data()));
  OK(cudnnBackendSetAttribute(pack, 1003, kVoidPtr, 1, &workspace));
  OK(cudnnBackendFinalize(pack));
  return pack;
}

void execute(void* handle, void* config, std::vector<int64_t> uids) {
  void* plan = make_plan(handle, config);
  void* workspace = device(static_cast<size_t>(workspace_of(plan)) + 256);
  void* pack = make_pack(uids, workspace, device(1 << 20));
  OK(cudnnBackendExecute(handle, plan, pack));
  OK(cudnnBackendDestroyDescriptor(pack));
  OK(cudnnBackendDestroyDescriptor(plan));
}

std::vector<int> notes_of(void* config) {
  void* engine = make(kEngine);
  int64_t count = 0;
  OK(cudnnBackendGetAttribute(config, 300, kDescriptor, 1, &count, &engine));
  CHECK(count == 1);
  OK(cudnnBackendGetAttribute(engine, 1303, 11, 10, &count, nullptr));
  std::vector<int> notes(static_cast<size_t>(count));
  OK(cudnnBackendGetAttribute(engine, 1303, 11, 10, &count, notes.data()));
  int64_t index = -1;
  OK(cudnnBackendGetAttribute(engine, 1301, kInt64, 1, &count, &index));
  CHECK(index >= 0);
  return notes;
}

void convolution() {
  void* handle = library();
  void* graph = conv_graph(handle, kHalf);
  int64_t engines = 0;
  OK(cudnnBackendGetAttribute(graph, 802, kInt64, 1, nullptr, &engines));
  CHECK(engines > 28);
  std::vector<void*> configs = heuristics(graph);
  OK(cudnnBackendDestroyDescriptor(graph));
  CHECK(notes_of(configs[0]) == std::vector<int>{0});
  for (void* config : configs) execute(handle, config, {'x', 'w', 'y'});
}

void tf32() {
  // Programs that forbid TF32 must find an engine without tensor cores.
  void* handle = library();
  bool plain = false, fast = false;
  for (void* config : heuristics(conv_graph(handle, kFloat))) {
    std::vector<int> notes = notes_of(config);
    plain |= notes.empty();
    fast |= notes == std::vector<int>{0};
  }
  CHECK(plain && fast);
}

void attention() {
  void* handle = library();
  void* operation = make(kSdpaForward);
  give_tensor(operation, 2800, make_tensor(1, kBfloat16, {2, 8, 128, 64}));
  give_tensor(operation, 2801, make_tensor(2, kBfloat16, {2, 2, 256, 64}));
  give_tensor(operation, 2802, make_tensor(3, kBfloat16, {2, 2, 256, 32}));
  give_tensor(operation, 2803, make_tensor(4, kBfloat16, {2, 8, 128, 32}));
  give_tensor(operation, 2804, make_tensor(5, kFloat, {2, 8, 128, 1}));
  OK(cudnnBackendFinalize(operation));
  execute(handle, heuristics(make_graph(handle, {operation}))[0], {1, 2, 3, 4, 5});
}

void give_product(void* operation, void* a, void* b, void* c) {
  void* how = make(kMatmul);
  set_enum(how, 1500, kDataType, kFloat);
  OK(cudnnBackendFinalize(how));
  give_tensor(operation, 1523, how);
  give_tensor(operation, 1520, a);
  give_tensor(operation, 1521, b);
  give_tensor(operation, 1522, c);
  OK(cudnnBackendFinalize(operation));
}

void* make_pointwise(int which, void* x, void* b, void* y) {
  void* operation = make(kOpPointwise);
  void* mode = make(kPointwise);
  set_enum(mode, 0, 14, which);
  set_enum(mode, 1, kDataType, kFloat);
  OK(cudnnBackendFinalize(mode));
  give_tensor(operation, 750, mode);
  give_tensor(operation, 751, x);
  if (b) give_tensor(operation, 752, b);
  give_tensor(operation, 753, y);
  OK(cudnnBackendFinalize(operation));
  return operation;
}

// Queries see the 128 keys up to their own: (column + 128) > row, where 128 stands on the host.
void sliding_window() {
  enum { kAdd = 0, kExp = 13, kGreater = 302 };
  void* handle = library();
  auto scores = [](int64_t uid) { return make_tensor(uid, kFloat, {2, 8, 1024, 1024}, true); };
  void *queries_by_keys = make(kOpMatmul), *by_values = make(kOpMatmul);
  give_product(queries_by_keys, make_tensor(1, kBfloat16, {2, 8, 1024, 64}),
               make_tensor(2, kBfloat16, {2, 8, 64, 1024}), scores(10));
  void* keys = make(kTensor);
  set(keys, 906, {5});
  set_enum(keys, 901, kDataType, kFloat);
  set(keys, 902, {1, 1, 1, 1});
  set(keys, 903, {1, 1, 1, 1});
  set(keys, 900, {4});
  bool by_value = true;
  OK(cudnnBackendSetAttribute(keys, 908, kBoolean, 1, &by_value));
  OK(cudnnBackendFinalize(keys));
  void* shift = make_pointwise(kAdd, scores(11), keys, scores(12));
  void* compare = make_pointwise(kGreater, scores(12), scores(13), scores(14));
  void* exponential = make_pointwise(kExp, scores(10), nullptr, scores(15));
  give_product(by_values, scores(15), make_tensor(3, kBfloat16, {2, 8, 1024, 64}),
               make_tensor(4, kBfloat16, {2, 8, 1024, 64}));
  void* graph = make_graph(handle, {queries_by_keys, shift, compare, exponential, by_values});
  void* plan = make_plan(handle, heuristics(graph)[0]);
  float width = 128;
  void* data = device(1 << 24);
  void* pointers[] = {data, data, data, data, &width};
  void* workspace = device(static_cast<size_t>(workspace_of(plan)) + 256);
  void* pack = make(kPack);
  set(pack, 1000, {1, 2, 3, 4, 5});
  OK(cudnnBackendSetAttribute(pack, 1001, kVoidPtr, 5, pointers));
  OK(cudnnBackendSetAttribute(pack, 1003, kVoidPtr, 1, &workspace));
  OK(cudnnBackendFinalize(pack));
  OK(cudnnBackendExecute(handle, plan, pack));
}

void matmul_and_relu() {
  void* handle = library();
  void* product = make(kOpMatmul);
  void* how = make(kMatmul);
  set_enum(how, 1500, kDataType, kFloat);
  OK(cudnnBackendFinalize(how));
  give_tensor(product, 1523, how);
  give_tensor(product, 1520, make_tensor(1, kHalf, {4, 128, 64}));
  give_tensor(product, 1521, make_tensor(2, kHalf, {4, 64, 32}));
  give_tensor(product, 1522, make_tensor(3, kHalf, {4, 128, 32}, true));
  OK(cudnnBackendFinalize(product));
  void* relu = make(kOpPointwise);
  void* mode = make(kPointwise);
  set_enum(mode, 0, 14, 100);
  set_enum(mode, 1, kDataType, kFloat);
  OK(cudnnBackendFinalize(mode));
  give_tensor(relu, 750, mode);
  give_tensor(relu, 751, make_tensor(3, kHalf, {4, 128, 32}, true));
  give_tensor(relu, 753, make_tensor(4, kHalf, {4, 128, 32}));
  OK(cudnnBackendFinalize(relu));
  execute(handle, heuristics(make_graph(handle, {product, relu}))[0], {1, 2, 4});
}

void saved_plan() {
  void* handle = library();
  void* plan = make_plan(handle, heuristics(conv_graph(handle, kHalf))[0]);
  int64_t count = 0;
  OK(cudnnBackendGetAttribute(plan, 405, 24, 0, &count, nullptr));
  std::string json(static_cast<size_t>(count), 0);
  OK(cudnnBackendGetAttribute(plan, 405, 24, count, &count, &json[0]));
  void* again = make(kPlan);
  OK(cudnnBackendSetAttribute(again, 400, kHandle, 1, &handle));
  OK(cudnnBackendSetAttribute(again, 405, 24, count, json.data()));
  OK(cudnnBackendFinalize(again));
  CHECK(workspace_of(again) == workspace_of(plan));
  for (size_t cut : {size_t{0}, size_t{30}, json.size() / 2, json.size() - 6}) {
    void* broken = make(kPlan);
    OK(cudnnBackendSetAttribute(broken, 405, 24, static_cast<int64_t>(cut), json.data()));
    CHECK(category(cudnnBackendFinalize(broken)) == kBadParam);
  }
}

void cuda_graph() {
  void* handle = library();
  void* plan = make_plan(handle, heuristics(conv_graph(handle, kHalf))[0]);
  void* pack = make_pack({'x', 'w', 'y'}, device(1 << 24), device(1 << 20));
  void* graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0) == 0);
  CHECK(category(cudnnBackendUpdateCudaGraph(handle, plan, pack, graph)) == kBadParam);
  OK(cudnnBackendPopulateCudaGraph(handle, plan, pack, graph));
  OK(cudnnBackendUpdateCudaGraph(handle, plan, pack, graph));
  CHECK(category(cudnnBackendPopulateCudaGraph(handle, plan, pack, graph)) == kBadParam);
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == 0);
  CHECK(nodes == 1);
}

void overridden_shapes() {
  void* handle = library();
  void* plan = make_plan(handle, heuristics(conv_graph(handle, kHalf))[0]);
  void* pack = make(kPack);
  int64_t uids[] = {'x', 'w', 'y'}, changed[] = {'x', 'y'};
  void* data = device(1 << 20);
  void* pointers[] = {data, data, data};
  int64_t x[] = {2, 3, 224, 224}, y[] = {2, 64, 112, 112};
  int64_t x_strides[] = {150528, 50176, 224, 1}, y_strides[] = {802816, 12544, 112, 1};
  void* shapes[] = {x, y};
  void* strides[] = {x_strides, y_strides};
  OK(cudnnBackendSetAttribute(pack, 1000, kInt64, 3, uids));
  OK(cudnnBackendSetAttribute(pack, 1001, kVoidPtr, 3, pointers));
  OK(cudnnBackendSetAttribute(pack, 1003, kVoidPtr, 1, &data));
  OK(cudnnBackendSetAttribute(pack, 1010, kInt64, 2, changed));
  OK(cudnnBackendSetAttribute(pack, 1011, kVoidPtr, 2, shapes));
  OK(cudnnBackendSetAttribute(pack, 1012, kVoidPtr, 2, strides));
  OK(cudnnBackendFinalize(pack));
  OK(cudnnBackendExecute(handle, plan, pack));
}

void wrong_use() {
  void* handle = library();
  int64_t number = 1, count = 0;
  void* nothing = nullptr;
  CHECK(cudnnBackendCreateDescriptor(9999, &nothing) == kNotSupported);
  CHECK(category(cudnnBackendCreateDescriptor(kTensor, nullptr)) == kBadParam);
  CHECK(category(cudnnBackendSetAttribute(nullptr, 906, kInt64, 1, &number)) == kBadParam);
  void* desc = make(kTensor);
  CHECK(category(cudnnBackendFinalize(desc)) == kBadParam);
  CHECK(category(cudnnBackendSetAttribute(desc, 801, kInt64, 1, &number)) == kBadParam);
  CHECK(category(cudnnBackendSetAttribute(desc, 906, kDataType, 1, &number)) == kBadParam);
  CHECK(cudnnBackendGetAttribute(desc, 906, kInt64, 1, &count, &number) == kNotInitialized);
  void* graph = make(kGraph);
  void* operation = make(kConvForward);
  CHECK(cudnnBackendSetAttribute(graph, 801, kDescriptor, 1, &operation) == kNotFinalized);
  void* done = make_tensor(1, kFloat, {1, 2, 3, 4});
  CHECK(cudnnBackendSetAttribute(done, 906, kInt64, 1, &number) == kNotInitialized);
  OK(cudnnBackendDestroyDescriptor(done));
  CHECK(category(cudnnBackendDestroyDescriptor(done)) == kBadParam);
  CHECK(category(cudnnBackendFinalize(done)) == kBadParam);
  void* plan = make_plan(handle, heuristics(conv_graph(handle, kHalf))[0]);
  void* pack = make(kPack);
  CHECK(cudnnBackendExecute(handle, plan, pack) == kNotFinalized);
  CHECK(category(cudnnBackendExecute(nullptr, plan, pack)) == kBadParam);
  CHECK(cudnnBackendExecute(handle, plan, make_pack({'x', 'y'}, device(256), device(256))) == kNullPointer);
  CHECK(cudnnBackendExecute(handle, plan, make_pack({'x', 'y', 'w'}, nullptr, device(256))) == kNullPointer);
  void* engine = make(kEngine);
  set_part(engine, 1300, conv_graph(handle, kHalf));
  set(engine, 1301, {1000});
  CHECK(cudnnBackendFinalize(engine) == kNotSupported);
}

}  // namespace

int main(int, char** arguments) {
  std::string what = arguments[1];
  if (what == "convolution") convolution();
  if (what == "tf32") tf32();
  if (what == "attention") attention();
  if (what == "sliding_window") sliding_window();
  if (what == "matmul") matmul_and_relu();
  if (what == "saved_plan") saved_plan();
  if (what == "cuda_graph") cuda_graph();
  if (what == "overrides") overridden_shapes();
  if (what == "wrong_use") wrong_use();
  return 0;
}
