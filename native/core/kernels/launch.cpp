#include <cstring>
#include <iterator>
#include <memory>

#include "hash.h"
#include "kernels/attention_lengths.h"
#include "kernels/block_masks.h"
#include "kernels/digests.h"
#include "kernels/effects.h"
#include "kernels/image.h"
#include "kernels/limits.h"
#include "kernels/module.h"
#include "kernels/problem.h"
#include "kernels/recipe.h"
#include "submit.h"

namespace maya {
namespace {

const Recipe& recipe_of(Function& function, const KernelFacts& facts) {
  if (!function.recipe) function.recipe = const_cast<Recipe*>(make_recipe(function.name, facts));
  return *static_cast<const Recipe*>(function.recipe);
}

// On the heap: 32 KB in every thread's static TLS would keep the library from being loaded late.
Image& empty_image() {
  thread_local std::unique_ptr<Image> image;
  if (!image) image.reset(new Image);
  image->size = 0;
  image->reach.clear();
  image->layout = ImageLayout::arguments;
  return *image;
}

void gather(const KernelFacts& facts, void** arguments, Image& image) {
  for (size_t i = 0; i < facts.params.size() && arguments; ++i) {
    const KernelParam& param = facts.params[i];
    if (param.offset + param.size > kMaxParameterBytes || !arguments[i]) continue;
    if (param.offset > image.size) {  // most follow without a gap, and a call for nothing costs, too
      std::memset(image.bytes + image.size, 0, param.offset - image.size);
    }
    std::memcpy(image.bytes + param.offset, arguments[i], param.size);
    image.size = param.offset + param.size;
  }
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

constexpr size_t kLaunchFields = 18;
// The last field is not work of another kind: with other documents, a step is still the same step.
constexpr size_t kTellingFields = kLaunchFields - 1;

Schema& launch_schema() {
  static const char* const fields[] = {
      "kernel:s",      "grid_x",    "grid_y",    "grid_z",    "block_x",    "block_y", "block_z",
      "shared_bytes",  "cluster_x", "cluster_y", "cluster_z", "attributes", "layout",  "registers",
      "static_shared", "code:s",    "family:s",  "mask_ppm",  "reach_bytes"};
  static Schema schema{"kernel", Kind::kernel, fields, std::size(fields)};
  return schema;
}

struct Effects {
  bool applies_gradient;
  bool is_clean;  // nothing accidental is left in the image
};

// What the launch does, and in `image` what of its arguments is kept.
Effects reduce_to_problem(const LaunchedKernel& kernel, const layouts::TensorListDigest& digest,
                          ImageLayout list, Image& image, Stream& stream) {
  const Recipe& recipe = kernel.recipe;
  // Addresses that remain in unused sizes, strides and entries of lists are nobody's operands, but would be
  // taken for written ones.
  if (may_hold_addresses(recipe.unused)) {
    clear_unused_bytes(recipe.unused, kernel.facts, kernel.shape.grid, image.bytes, image.size);
  }
  bool applies_gradient = take_effect(kernel, image, stream);
  bool is_clean = clear_unused_bytes(recipe.unused, kernel.facts, kernel.shape.grid, image.bytes, image.size);
  keep_tensor_list(list, digest, image);
  return {applies_gradient,
          keep_product(recipe.family.reader, kernel.facts, kernel.shape, image) || is_clean};
}

void record_launch(const LaunchedKernel& kernel, const Effects& effects, const Image& image, int64_t mask_ppm,
                   Stream& stream) {
  const auto& [function, facts, recipe, shape, tensors] = kernel;
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
                      function.family_id,
                      mask_ppm};
  static_assert(std::size(values) == kLaunchFields);
  uint64_t key = hash_bytes(values, kTellingFields * sizeof *values);
  uint64_t problem_key = mask_ppm ? mix(key, static_cast<uint64_t>(mask_ppm)) : key;
  Problem problem = problem_of(problem_key, facts, image, effects.is_clean);
  uint32_t definition = definition_for(launch_schema(), values, kLaunchFields, image, problem);
  WorkKey work{key, mix(static_cast<uint64_t>(function.name_id), 3), recipe.update};
  work.applies_gradient = effects.applies_gradient;
  submit_definition(launch_schema(), definition, values, kLaunchFields, stream, 0, 0, work, function.name);
}

LaunchResult launch_image(Function& function, const KernelFacts& facts, const LaunchShape& shape,
                          Image& image, Stream& stream) {
  const Recipe& recipe = recipe_of(function, facts);
  layouts::TensorListDigest digest{};
  ImageLayout list = read_tensor_list(recipe, facts, shape, image, &digest);
  if (recipe.family.reader == ArgumentReader::attention_lengths && !stream.capture) {
    note_attention_lengths(facts, image.bytes);
  }
  int64_t mask_ppm = mask_share_ppm(facts, image);  // before addresses are masked
  size_t tensors = list == ImageLayout::tensor_list ? digest.tensors : 0;
  LaunchedKernel kernel{function, facts, recipe, shape, tensors};
  Effects effects = reduce_to_problem(kernel, digest, list, image, stream);
  if (!function.name_id) define_function(function, facts, recipe.family);
  record_launch(kernel, effects, image, mask_ppm, stream);
  return LaunchResult::ok;
}

}  // namespace

LaunchResult launch(Function& function, const LaunchShape& shape, void** arguments, Stream& stream) {
  const KernelFacts* facts = facts_of(function);
  if (!facts) return LaunchResult::no_image;
  LaunchResult verdict = check_limits(function, *facts, shape);
  if (verdict != LaunchResult::ok) return verdict;
  Image& image = empty_image();
  gather(*facts, arguments, image);
  return launch_image(function, *facts, shape, image, stream);
}

LaunchResult launch_packed(Function& function, const LaunchShape& shape, const void* packed, size_t bytes,
                           Stream& stream) {
  const KernelFacts* facts = facts_of(function);
  if (!facts) return LaunchResult::no_image;
  LaunchResult verdict = check_limits(function, *facts, shape);
  if (verdict != LaunchResult::ok) return verdict;
  Image& image = empty_image();
  image.size = bytes < kMaxParameterBytes ? bytes : kMaxParameterBytes;
  std::memcpy(image.bytes, packed, image.size);
  return launch_image(function, *facts, shape, image, stream);
}

}  // namespace maya
