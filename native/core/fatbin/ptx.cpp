#include "ptx.h"

#include <algorithm>

#include "ptx_lexer.h"

namespace maya::fatbin {
namespace {

constexpr uint64_t kMaxVariable = uint64_t{1} << 30;

struct TypeSize {
  std::string_view name;
  uint64_t bytes;
};

constexpr TypeSize kTypes[] = {
    {".b8", 1},    {".u8", 1},     {".s8", 1},      {".b16", 2},       {".u16", 2}, {".s16", 2},
    {".f16", 2},   {".bf16", 2},   {".b32", 4},     {".u32", 4},       {".s32", 4}, {".f32", 4},
    {".f16x2", 4}, {".bf16x2", 4}, {".b64", 8},     {".u64", 8},       {".s64", 8}, {".f64", 8},
    {".b128", 16}, {".texref", 8}, {".surfref", 8}, {".samplerref", 8}};

uint64_t type_bytes(std::string_view token) {
  for (const TypeSize& type : kTypes) {
    if (type.name == token) return type.bytes;
  }
  return 0;
}

bool is_name(std::string_view token) {
  const char c = token[0];
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

struct Variable {
  std::string_view name;
  uint64_t element = 0;
  uint64_t vector = 1;
  uint64_t count = 1;
  uint64_t align = 0;
  bool managed = false;

  uint64_t size() const { return element * vector * count; }
  uint64_t alignment() const { return align ? align : std::max<uint64_t>(element * vector, 1); }
  bool valid() const { return !name.empty() && element > 0; }
};

int clamp_int(uint64_t value) {
  return static_cast<int>(std::min<uint64_t>(value, kMaxVariable));
}

// Places one more variable behind `end`, which is a size so far.
uint64_t place(const Variable& v, uint64_t* end) {
  const uint64_t offset = (*end + v.alignment() - 1) / v.alignment() * v.alignment();
  *end = offset + v.size();
  return offset;
}

// Where parameters begin in constant bank 0. ptxas aligns them there, not from their own start: with
// `.align 64` behind 160 bytes it says offset 160 for sm_80, 176 for sm_90 and 192 for sm_100.
uint64_t param_base(int sm) {
  if (sm < 70) return 0x140;
  if (sm < 90) return 0x160;
  return sm < 100 ? 0x210 : 0x380;
}

class PtxParser {
 public:
  PtxParser(std::string_view text, int device_sm, ModuleFacts* module)
      : lexer_(text), device_sm_(device_sm), module_(module) {}

  bool run(std::string* error) {
    bool is_extern = false;
    for (auto token = lexer_.next(); !token.empty(); token = lexer_.next()) {
      if (token == ".version") versioned_ = true;
      if (token == ".target") read_target();
      if (token == ".extern") is_extern = true;
      if (token == ".entry" && !read_entry()) return fail(error, "PTX has a malformed entry");
      if (token == ".global" || token == ".const") read_global(token == ".const", is_extern);
      if (token == "{") skip_block();
      if (token == ";" || token == "{") is_extern = false;
    }
    for (KernelFacts& kernel : module_->kernels) {
      kernel.sm = sm_;
      kernel.constant = clamp_int(constant_bytes_);
    }
    return versioned_ || fail(error, "neither a fat binary nor a cubin nor PTX");
  }

 private:
  void read_target() {
    std::string_view name = lexer_.next();
    if (name.substr(0, 3) != "sm_") return;
    name.remove_prefix(3);
    while (!name.empty() && name.back() >= 'a') name.remove_suffix(1);  // sm_90a
    uint64_t sm = 0;
    if (parse_ptx_number(name, &sm)) sm_ = clamp_int(sm);
  }

  // `.align 4 .b8 name[136]`, with what else a declaration may hold; stops before any of ",);={" or
  // at the end. After .ptr an alignment is that of what is pointed to.
  Variable read_variable() {
    Variable v;
    read_declarator(&v);
    return v;
  }

  void read_declarator(Variable* variable) {
    Variable& v = *variable;
    bool pointer = false;
    for (auto token = lexer_.peek(); !token.empty(); token = lexer_.peek()) {
      if (token.size() == 1 && std::string_view(",);={}").find(token[0]) != token.npos) break;
      lexer_.next();
      if (token == ".ptr") pointer = true;
      if (token == ".align") read_align(pointer, &v);
      if (token == ".attribute") v.managed = read_attribute();
      if (token == ".v2" || token == ".v4") v.vector = token == ".v2" ? 2 : 4;
      if (token == "[") read_extent(&v);
      if (const uint64_t bytes = type_bytes(token)) v.element = bytes;
      if (is_name(token)) v.name = token;
    }
  }

  void read_align(bool pointer, Variable* v) {
    uint64_t align = 0;
    const bool good = parse_ptx_number(lexer_.next(), &align) && align > 0 && align <= 1024;
    if (good && !pointer) v->align = align;
  }

  bool read_attribute() {
    bool managed = false;
    for (auto token = lexer_.next(); !token.empty() && token != ")"; token = lexer_.next()) {
      managed |= token == ".managed";
    }
    return managed;
  }

  void read_extent(Variable* v) {
    uint64_t extent = 0;
    if (!parse_ptx_number(lexer_.peek(), &extent)) {
      v->count = 0;  // [] of unknown extent
      return;
    }
    lexer_.next();
    v->count = v->count > kMaxVariable || extent > kMaxVariable ? 0 : v->count * extent;
    if (v->count > kMaxVariable) v->count = 0;
  }

  void read_global(bool constant, bool is_extern) {
    Variable v;
    do {
      v.name = {};  // the type holds for all names of a list, extents for one
      v.count = 1;
      read_declarator(&v);
      if (is_extern || !v.valid()) continue;
      module_->globals.push_back({std::string(v.name), v.size(), constant, v.managed});
      if (constant) place(v, &constant_bytes_);
    } while (lexer_.peek() == "," && !lexer_.next().empty());
    if (lexer_.peek() != "=") return;
    // An initializer's braces are no function body.
    for (lexer_.skip_statement(); lexer_.peek() == "{"; lexer_.skip_statement()) {
      lexer_.next();
      skip_block();
    }
  }

  bool read_entry() {
    KernelFacts kernel;
    kernel.name = lexer_.next();
    kernel.from_ptx = true;
    if (lexer_.peek() == "(" && !read_params(&kernel)) return false;
    auto token = lexer_.next();
    for (; token != "{" && token != ";"; token = lexer_.next()) {
      if (token.empty()) return false;
      read_bound(token, &kernel);
    }
    if (token == ";") return true;  // a declaration only
    read_body(&kernel);
    module_->kernels.push_back(std::move(kernel));
    return true;
  }

  bool read_params(KernelFacts* kernel) {
    const uint64_t base = param_base(device_sm_);
    uint64_t end = base;
    lexer_.next();
    while (lexer_.peek() != ")") {
      const Variable v = read_variable();
      if (!v.valid() || v.size() > 0xffff || end > 0xffff) return false;
      const uint64_t offset = place(v, &end) - base;
      kernel->params.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(v.size())});
      if (lexer_.peek() == ",") lexer_.next();
    }
    lexer_.next();
    kernel->param_bytes = clamp_int(end - base);
    return true;
  }

  // Up to three numbers; missing ones are 1.
  void read_triple(int (&out)[3]) {
    out[0] = out[1] = out[2] = 1;
    for (int& value : out) {
      uint64_t number = 0;
      if (!parse_ptx_number(lexer_.peek(), &number)) return;
      value = std::max(clamp_int(std::min<uint64_t>(number, 0xffff)), 1);
      lexer_.next();
      if (lexer_.peek() != ",") return;
      lexer_.next();
    }
  }

  void read_bound(std::string_view token, KernelFacts* kernel) {
    int triple[3];
    if (token == ".maxntid" || token == ".reqntid") {
      read_triple(triple);
      const uint64_t threads = uint64_t(triple[0]) * uint64_t(triple[1]) * uint64_t(triple[2]);
      kernel->max_threads = clamp_int(std::min<uint64_t>(threads, 1024));
      kernel->required_threads = token == ".reqntid";
    } else if (token == ".reqnctapercluster") {
      read_triple(kernel->cluster);
    } else if (token == ".maxclusterrank") {
      read_triple(triple);
      kernel->max_cluster_rank = triple[0];
    }
  }

  // Behind the '{'. Only declarations of shared memory matter inside.
  void read_body(KernelFacts* kernel) {
    uint64_t shared = 0;
    for (size_t depth = 1; depth > 0;) {
      const auto token = lexer_.next();
      if (token.empty()) break;
      if (token == ".shared") {
        const Variable v = read_variable();
        if (v.valid()) place(v, &shared);
      }
      depth += token == "{";
      depth -= token == "}";
      if (token != "{" && token != "}" && token != ";") lexer_.skip_statement();
    }
    kernel->static_shared = clamp_int(shared);
  }

  void skip_block() {
    for (size_t depth = 1; depth > 0;) {
      lexer_.skip_statement();
      const auto token = lexer_.next();
      if (token.empty()) return;
      depth += token == "{";
      depth -= token == "}";
    }
  }

  PtxLexer lexer_;
  const int device_sm_;
  ModuleFacts* module_;
  int sm_ = 0;
  uint64_t constant_bytes_ = 0;
  bool versioned_ = false;
};

}  // namespace

bool parse_ptx(std::string_view text, int device_sm, ModuleFacts* module, std::string* error) {
  return PtxParser(text, device_sm, module).run(error);
}

}  // namespace maya::fatbin
