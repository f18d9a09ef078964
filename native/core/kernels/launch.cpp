#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>

#include "hash.h"
#include "id_table.h"
#include "kernels/attention_lengths.h"
#include "kernels/evaluate.h"
#include "kernels/module.h"
#include "kernels/reach.h"
#include "kernels/recipe.h"
#include "kernels/reductions.h"
#include "kernels/strided.h"
#include "known_values.h"
#include "maya/device.h"
#include "maya/graph.h"
#include "maya/memory.h"
#include "maya/values.h"
#include "recorder.h"
#include "steps/backward.h"
#include "submit.h"

namespace maya {
namespace {

constexpr size_t kMaxParameterBytes = 32768;
// "MAYAPTR": stands for a device pointer in a parameter image, so that equal launches look equal.
constexpr uint64_t kPointerMarker = 0x4d41594150545200;
// Launches of one problem whose other arguments differ more often than this (random seeds, learning rates,
// padding) are recorded with the arguments of the first.
constexpr uint32_t kMostVariants = 16;
// Kernels with one structure for all arguments keep their sizes in it, which grow with each token that is
// generated (attention).
constexpr uint32_t kMostVariantsOfStructures = 2048;

constexpr uint64_t kMostElements = uint64_t{1} << 40;

// Elements of a block of multi_tensor_apply, which PyTorch does not pass to its kernels.
constexpr uint64_t kChunk = 65536;

// How the blob of a launch is to be read.
enum class Layout : int64_t { image = 0, tensor_list = 1, unknown = 2, product = 3 };

struct Image {
  char bytes[kMaxParameterBytes];
  size_t size = 0;
  Layout layout = Layout::image;
  Reach reach;
};

struct Variants {
  std::mutex lock;
  IdTable first;   // problem -> definition of its first launch
  IdTable counts;  // problem -> number of distinct launches
};

Variants& variants() {
  static Variants* instance = new Variants;
  return *instance;
}

const Recipe& recipe_of(Function& function, const KernelFacts& facts) {
  if (!function.recipe) function.recipe = const_cast<Recipe*>(make_recipe(function.name, facts));
  return *static_cast<const Recipe*>(function.recipe);
}

// Operands stand in arrays of at most this size; in larger structs what looks like an address may be a remain
// of the stack.
constexpr size_t kLargestOperandArray = 64;

// Whether the word at `offset` of a parameter is surely an address that the kernel reads through.
bool surely_read(Access access, size_t offset, size_t bytes) {
  if (access == Access::reduces) return offset + kReduceSource == bytes;
  return access != Access::writes && bytes <= kLargestOperandArray;
}

// Where the address of the result stands among the operands; 0 where nobody can tell.
size_t result_of(Access access, const char* at, size_t bytes) {
  if (access == Access::writes_first) return operands_behind_table(at, bytes);
  return access == Access::indexes ? indexed_result(at, bytes) : 0;
}

// Replaces device pointers by the marker; where it is told to forgets the values of what the kernel may
// write.
void mask_pointers(char* at, size_t bytes, Access access, bool forgets, Operands& operands, Reach& reach) {
  bool first = true;
  size_t result = result_of(access, at, bytes);
  for (size_t offset = 0; offset + 8 <= bytes; offset += 8) {
    uint64_t word;
    std::memcpy(&word, at + offset, 8);
    if (!is_device_address(word)) continue;
    bool written = access == Access::writes ||
                   (access == Access::writes_first && (result ? offset == result : first)) ||
                   (access == Access::indexes && (!result || offset == result)) ||
                   (access == Access::reduces && offset + kReduceSource > bytes);
    if (written) {
      if (forgets) known_values().forget_reachable(word);
      operands.writes(word);
    } else if (surely_read(access, offset, bytes)) {
      operands.reads(word);
    } else {
      operands.touches(word);
    }
    reach.add(word);
    first = false;
    std::memcpy(at + offset, &kPointerMarker, 8);
  }
}

// Unused slots of a list hold addresses of earlier launches, which this one does not write.
void forget_tensors(const layouts::TensorListLayout& layout, const char* list, size_t tensors, Reach& reach) {
  for (size_t depth = 0; depth < layouts::depth_of(layout); ++depth) {
    for (size_t i = 0; i < tensors; ++i) {
      uint64_t address;
      size_t slot = depth * layouts::most_tensors(layout) + i;
      std::memcpy(&address, list + layout.addresses.at + slot * sizeof address, sizeof address);
      if (!is_device_address(address)) continue;
      known_values().forget_reachable(address);
      reach.add(address);
    }
  }
}

// True when the kernel applies a gradient. `tensors`: how many a list names, 0 where nobody knows. `forgets`:
// nobody else tells what the kernel writes.
bool mask_parameters(const KernelFacts& facts, const Recipe& recipe, size_t tensors, bool forgets,
                     Image& image) {
  Operands operands;
  for (size_t i = 0; i < facts.params.size(); ++i) {
    const KernelParam& param = facts.params[i];
    if (param.offset % 8) continue;
    if (recipe.parameters[i] == Access::random) {
      std::memset(image.bytes + param.offset, 0, param.size);
      continue;
    }
    if (tensors && &param == recipe.list_parameter) {
      forget_tensors(*recipe.list, image.bytes + param.offset, tensors, image.reach);
      continue;
    }
    mask_pointers(image.bytes + param.offset, param.size, recipe.parameters[i], forgets, operands,
                  image.reach);
  }
  return !recipe.multi_tensor && applies_gradient(operands);
}

// A kernel that can be carried out is, once it is clear what it overwrites.
bool mask_and_perform(const Function& function, const KernelFacts& facts, const Recipe& recipe,
                      size_t tensors, const LaunchShape& shape, Image& image) {
  constexpr size_t kLargest = 4096;
  if (!recipe.makes_values) return mask_parameters(facts, recipe, tensors, true, image);
  Evaluation evaluation = evaluate(recipe, facts, image.bytes);
  bool answers = has_answer(recipe.family.values) || recipe.reduction.what != Reduces::nothing;
  char unmasked[kLargest];
  bool copied = answers && image.size <= kLargest;
  if (copied) std::memcpy(unmasked, image.bytes, image.size);
  bool applies_gradient = mask_parameters(facts, recipe, tensors, !evaluation.bounded, image);
  apply_evaluation(evaluation);
  if (!copied) return applies_gradient;
  perform(recipe.family, function.name, facts, unmasked, shape.grid);
  if (!is_known(evaluation)) answer_reduction(recipe.reduction, facts, unmasked);
  return applies_gradient;
}

// A launch into a graph: what it does to values each time that the graph is launched.
struct PostponedLaunch {
  const Function& function;
  const KernelFacts& facts;
  const Recipe& recipe;
  LaunchShape shape;
  std::vector<char> image;
  std::vector<Block> written;  // as memory was laid out when it was captured

  void operator()() const {
    Evaluation evaluation = evaluate(recipe, facts, image.data());
    for (const Block& block : written) {
      if (!evaluation.bounded) known_values().forget_range(block.start, block.end - block.start);
    }
    apply_evaluation(evaluation);
    if (has_answer(recipe.family.values)) {
      perform(recipe.family, function.name, facts, image.data(), shape.grid);
    }
    if (recipe.reduction.what == Reduces::nothing || is_known(evaluation)) return;
    answer_reduction(recipe.reduction, facts, image.data());
  }
};

bool mask_and_postpone(const Function& function, const KernelFacts& facts, const Recipe& recipe,
                       size_t tensors, const LaunchShape& shape, Image& image, Stream& stream) {
  PostponedLaunch postponed{function, facts, recipe, shape, {image.bytes, image.bytes + image.size}, {}};
  bool applies_gradient = false;
  postponed.written = KnownValues::forgotten_by(
      [&] { applies_gradient = mask_parameters(facts, recipe, tensors, true, image); });
  postpone(stream, std::move(postponed));
  return applies_gradient;
}

void gather(const KernelFacts& facts, void** arguments, Image& image) {
  for (size_t i = 0; i < facts.params.size() && arguments; ++i) {
    const KernelParam& param = facts.params[i];
    if (param.offset + param.size > kMaxParameterBytes || !arguments[i]) continue;
    size_t gap = param.offset > image.size ? param.offset - image.size : 0;
    std::memset(image.bytes + image.size, 0, gap);
    std::memcpy(image.bytes + param.offset, arguments[i], param.size);
    image.size = param.offset + param.size;
  }
}

// Lists of tensors: 4 KB of addresses, unused slots full of what was on the stack, scalars that change every
// step. What a later estimate needs is how much they cover. To be called before addresses are masked: what
// lies beside a used entry may look like one, and the entry would go with it.
Layout read_tensor_list(const Recipe& recipe, const KernelFacts& facts, const LaunchShape& shape,
                        const Image& image, layouts::TensorListDigest* digest) {
  if (!recipe.list_parameter) return Layout::image;
  if (!recipe.list) return Layout::unknown;
  int32_t chunk = 0;
  const KernelParam& first = facts.params[0];
  if (&first != recipe.list_parameter && first.size == sizeof chunk) std::memcpy(&chunk, image.bytes, 4);
  bool ok =
      layouts::digest_tensor_list(*recipe.list, image.bytes + recipe.list_parameter->offset, shape.grid[0],
                                  chunk > 0 ? static_cast<uint64_t>(chunk) : kChunk, digest);
  return ok ? Layout::tensor_list : Layout::unknown;
}

void summarise_tensor_list(Layout layout, const layouts::TensorListDigest& digest, Image& image) {
  if (layout == Layout::image) return;
  image.layout = layout;
  image.size = layout == Layout::tensor_list ? sizeof digest : 0;
  std::memcpy(image.bytes, &digest, image.size);
}

// True when the blob is now the problem of a matrix product.
bool summarise_product(ArgumentReader reader, const KernelFacts& facts, const LaunchShape& shape,
                       Image& image) {
  if (reader == ArgumentReader::grouped_sizes) note_grouped(facts, image.bytes, image.size, shape.block[0]);
  if (reader != ArgumentReader::product && reader != ArgumentReader::grouped_product) return false;
  ProductDigest digest;
  if (!digest_product(reader, facts, image.bytes, image.size, &digest)) return false;
  image.layout = Layout::product;
  image.size = sizeof digest;
  std::memcpy(image.bytes, &digest, sizeof digest);
  return true;
}

LaunchResult check(const Function& function, const KernelFacts& facts, const LaunchShape& shape) {
  const DeviceModel& model = device_model();
  uint64_t threads = uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  bool empty = !threads || !shape.grid[0] || !shape.grid[1] || !shape.grid[2];
  if (empty || shape.block[0] > 1024 || shape.block[1] > 1024 || shape.block[2] > 64 || threads > 1024) {
    return LaunchResult::invalid_configuration;
  }
  if (shape.grid[0] > 2147483647u || shape.grid[1] > 65535 || shape.grid[2] > 65535) {
    return LaunchResult::invalid_configuration;
  }
  unsigned shared = shape.shared_bytes + static_cast<unsigned>(facts.static_shared);
  unsigned limit = static_cast<unsigned>(function.max_dynamic_shared > 0 ? model.shared_per_block_optin
                                                                         : model.shared_per_block);
  if (shared > limit) return LaunchResult::invalid_configuration;
  bool too_wide =
      threads > static_cast<uint64_t>(facts.max_threads) ||
      (facts.registers > 0 && threads * facts.registers > static_cast<uint64_t>(model.regs_per_block));
  return too_wide ? LaunchResult::too_many_resources : LaunchResult::ok;
}

void define_function(Function& function, const KernelFacts& facts, const Family& family) {
  static const char* const fields[] = {"kernel:s", "registers",   "static_shared",  "local",
                                       "constant", "max_threads", "binary_version", "from_ptx"};
  static Schema schema{"function", Kind::function, fields, 8};
  int64_t name = intern(function.name);
  int64_t values[] = {name,        facts.registers, facts.static_shared,
                      facts.local, facts.constant,  facts.max_threads,
                      facts.sm,    facts.from_ptx};
  define(schema, values, 8, {facts.params.data(), facts.params.size() * sizeof(KernelParam)});
  const ModuleFacts* module = module_facts(*function.module);
  if (module && !module->code.empty()) function.code_id = intern(module->code.c_str());
  function.family_id = intern(family.name);
  function.name_id = name;
}

// Bytes of a leading integer, which in PyTorch's kernels is the number of elements; 0 where there is none.
size_t leading_count(const KernelFacts& facts, const Image& image) {
  if (image.layout != Layout::image || facts.params.empty() || facts.params[0].offset != 0) return 0;
  size_t bytes = facts.params[0].size;
  if (bytes != 8 || image.size < 8) return bytes == 4 && image.size >= 4 ? 4 : 0;
  uint64_t word;
  std::memcpy(&word, image.bytes, 8);
  return word < kMostElements ? 8 : 0;  // neither an address nor a floating-point number
}

// Two launches of one shape are two problems where this differs: the whole image where it is free of
// accidents, else the number of elements.
struct Problem {
  uint64_t shape;  // hash of all but the image
  uint64_t key;
  bool is_whole;
  uint32_t most_variants;

  uint64_t content(const Image& image) const {
    return is_whole ? key : hash_bytes(image.bytes, image.size, shape);
  }
};

Problem problem_of(uint64_t shape, const KernelFacts& facts, const Image& image, bool is_clean) {
  size_t bytes = is_clean ? image.size : leading_count(facts, image);
  uint32_t most = facts.params.size() == 1 ? kMostVariantsOfStructures : kMostVariants;
  return {shape, hash_bytes(image.bytes, bytes, shape), is_clean, most};
}

// The definition to record the launch under.
uint32_t definition_for(Schema& schema, const int64_t* values, size_t count, const Image& image,
                        const Problem& problem) {
  Variants& all = variants();
  std::lock_guard<std::mutex> guard(all.lock);
  uint32_t& number = all.counts.slot(problem.key);
  if (number >= problem.most_variants) return all.first.slot(problem.key);
  bool created = false;
  uint32_t definition = definition_of(schema, values, count, {image.bytes, image.size}, &created,
                                      &image.reach, problem.content(image));
  if (created && number++ == 0) all.first.slot(problem.key) = definition;
  return definition;
}

constexpr size_t kLaunchFields = 17;  // that tell launches apart

Schema& launch_schema() {
  static const char* const fields[] = {
      "kernel:s", "grid_x",       "grid_y",        "grid_z",    "block_x",   "block_y",
      "block_z",  "shared_bytes", "cluster_x",     "cluster_y", "cluster_z", "attributes",
      "layout",   "registers",    "static_shared", "code:s",    "family:s",  "reach_bytes"};
  static Schema schema{"kernel", Kind::kernel, fields, std::size(fields)};
  return schema;
}

LaunchResult launch_image(Function& function, const KernelFacts& facts, const LaunchShape& shape,
                          Image& image, Stream& stream) {
  const Recipe& recipe = recipe_of(function, facts);
  layouts::TensorListDigest digest{};
  Layout list = read_tensor_list(recipe, facts, shape, image, &digest);
  size_t tensors = list == Layout::tensor_list ? digest.tensors : 0;
  if (recipe.family.reader == ArgumentReader::attention_lengths && !stream.capture) {
    note_attention_lengths(facts, image.bytes);
  }
  // Addresses that remain in unused sizes, strides and entries of lists are nobody's operands, but would be
  // taken for written ones.
  if (may_hold_addresses(recipe.unused)) {
    clear_unused_bytes(recipe.unused, facts, shape.grid, image.bytes, image.size);
  }
  bool applies_gradient = stream.capture
                              ? mask_and_postpone(function, facts, recipe, tensors, shape, image, stream)
                              : mask_and_perform(function, facts, recipe, tensors, shape, image);
  bool is_clean = clear_unused_bytes(recipe.unused, facts, shape.grid, image.bytes, image.size);
  summarise_tensor_list(list, digest, image);
  if (summarise_product(recipe.family.reader, facts, shape, image)) is_clean = true;
  if (!function.name_id) define_function(function, facts, recipe.family);
  int64_t values[] = {function.name_id,
                      shape.grid[0],
                      shape.grid[1],
                      shape.grid[2],
                      shape.block[0],
                      shape.block[1],
                      shape.block[2],
                      shape.shared_bytes,
                      shape.cluster[0],
                      shape.cluster[1],
                      shape.cluster[2],
                      shape.attributes,
                      static_cast<int64_t>(image.layout),
                      facts.registers,
                      facts.static_shared,
                      function.code_id,
                      function.family_id};
  static_assert(std::size(values) == kLaunchFields);
  uint64_t key = hash_bytes(values, sizeof values);
  Problem problem = problem_of(key, facts, image, is_clean);
  uint32_t definition = definition_for(launch_schema(), values, kLaunchFields, image, problem);
  WorkKey work{key, mix(static_cast<uint64_t>(function.name_id), 3), recipe.update};
  work.applies_gradient = applies_gradient;
  submit_definition(launch_schema(), definition, values, kLaunchFields, stream, 0, 0, work, function.name);
  return LaunchResult::ok;
}

}  // namespace

namespace {
// On the heap: 32 KB in every thread's static TLS would keep the library from being loaded late.
Image& thread_image() {
  thread_local std::unique_ptr<Image> image;
  if (!image) image.reset(new Image);
  image->size = 0;
  image->reach.clear();
  image->layout = Layout::image;
  return *image;
}
}  // namespace

LaunchResult launch(Function& function, const LaunchShape& shape, void** arguments, Stream& stream) {
  const KernelFacts* facts = facts_of(function);
  if (!facts) return LaunchResult::no_image;
  if (LaunchResult wrong = check(function, *facts, shape); wrong != LaunchResult::ok) return wrong;
  Image& image = thread_image();
  gather(*facts, arguments, image);
  return launch_image(function, *facts, shape, image, stream);
}

LaunchResult launch_packed(Function& function, const LaunchShape& shape, const void* packed, size_t bytes,
                           Stream& stream) {
  const KernelFacts* facts = facts_of(function);
  if (!facts) return LaunchResult::no_image;
  if (LaunchResult wrong = check(function, *facts, shape); wrong != LaunchResult::ok) return wrong;
  Image& image = thread_image();
  image.size = bytes < kMaxParameterBytes ? bytes : kMaxParameterBytes;
  std::memcpy(image.bytes, packed, image.size);
  return launch_image(function, *facts, shape, image, stream);
}

}  // namespace maya
