#include "python.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "maya/runtime.h"

namespace maya {
namespace {

using Object = void;

// Only the limited C API, and only what is needed: no Python header, no link, any version from 3.9 on.
struct Python {
  template <typename F>
  static void look_up(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  }

  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  int (*add_pending_call)(int (*)(void*), void*) = nullptr;
  void (*set_none)(Object*) = nullptr;
  Object** system_exit = nullptr;
  void* (*this_thread_state)() = nullptr;
  int (*ensure)() = nullptr;
  void (*release)(int) = nullptr;
  Object* (*thread_frame)(void*) = nullptr;
  Object* (*frame_code)(Object*) = nullptr;
  Object* (*frame_back)(Object*) = nullptr;
  int (*frame_line)(Object*) = nullptr;
  int (*frame_instruction)(Object*) = nullptr;
  Object* (*code_bytes)(Object*) = nullptr;
  char* (*bytes_data)(Object*) = nullptr;
  ptrdiff_t (*bytes_size)(Object*) = nullptr;
  Object* (*attribute)(Object*, const char*) = nullptr;
  const char* (*utf8)(Object*) = nullptr;
  void (*decref)(Object*) = nullptr;
  void (*clear_error)() = nullptr;

  Python() {
    look_up(is_initialized, "Py_IsInitialized");
    look_up(is_finalizing, "Py_IsFinalizing");
    if (!is_finalizing) look_up(is_finalizing, "_Py_IsFinalizing");
    look_up(add_pending_call, "Py_AddPendingCall");
    look_up(set_none, "PyErr_SetNone");
    system_exit = static_cast<Object**>(dlsym(RTLD_DEFAULT, "PyExc_SystemExit"));
    look_up(this_thread_state, "PyGILState_GetThisThreadState");
    look_up(ensure, "PyGILState_Ensure");
    look_up(release, "PyGILState_Release");
    look_up(thread_frame, "PyThreadState_GetFrame");
    look_up(frame_code, "PyFrame_GetCode");
    look_up(frame_back, "PyFrame_GetBack");
    look_up(frame_line, "PyFrame_GetLineNumber");
    look_up(frame_instruction, "PyFrame_GetLasti");
    look_up(code_bytes, "PyCode_GetCode");
    look_up(bytes_data, "PyBytes_AsString");
    look_up(bytes_size, "PyBytes_Size");
    look_up(attribute, "PyObject_GetAttrString");
    look_up(utf8, "PyUnicode_AsUTF8");
    look_up(decref, "Py_DecRef");
    look_up(clear_error, "PyErr_Clear");
  }

  bool running() const { return is_initialized && is_initialized() && !(is_finalizing && is_finalizing()); }
  bool can_read_code() const { return frame_instruction && code_bytes && bytes_data && bytes_size; }
  bool can_walk_frames() const { return thread_frame && frame_code && frame_back && utf8 && ensure; }
};

const Python& python() {
  static const Python* instance = new Python;
  return *instance;
}

int raise_here(void*) {
  python().set_none(*python().system_exit);
  return -1;
}

std::string text_attribute(Object* object, const char* name) {
  const Python& py = python();
  Object* value = py.attribute(object, name);
  const char* text = value ? py.utf8(value) : nullptr;
  std::string result = text ? text : "";
  if (!text) py.clear_error();
  if (value) py.decref(value);
  return result;
}

// Frames inside these are how the request travelled, not where it was made.
bool is_framework(const std::string& file) {
  return file.find("/torch/") != std::string::npos || file.find("/maya_inside/") != std::string::npos ||
         file.compare(0, 1, "<") == 0;
}

std::string describe(Object* frame) {
  const Python& py = python();
  Object* code = py.frame_code(frame);
  std::string file = text_attribute(code, "co_filename");
  std::string function = text_attribute(code, "co_name");
  py.decref(code);
  return file + ":" + std::to_string(py.frame_line(frame)) + " (" + function + ")";
}

// Walks outwards to the first frame that is not the framework's; the innermost frame otherwise.
std::string walk(Object* frame) {
  const Python& py = python();
  std::string innermost;
  while (frame) {
    std::string site = describe(frame);
    if (innermost.empty()) innermost = site;
    Object* back = is_framework(site) ? py.frame_back(frame) : nullptr;
    bool found = !is_framework(site);
    py.decref(frame);
    if (found) return site;
    frame = back;
  }
  return innermost;
}

Instruction instructions[256] = {};

// From the instruction that is running on, two bytes each: does one branch before the value is stored away?
bool branches_from(const char* code, ptrdiff_t bytes, ptrdiff_t at) {
  constexpr ptrdiff_t kInstructions = 12;  // with their caches
  auto instruction = [code](ptrdiff_t i) { return instructions[static_cast<unsigned char>(code[i])]; };
  if (at < 0 || at >= bytes) return false;
  if (instruction(at) == Instruction::branches) return true;
  for (ptrdiff_t i = at + 2; i < bytes && i < at + 2 * kInstructions; i += 2) {
    if (instruction(i) != Instruction::other) return instruction(i) == Instruction::branches;
  }
  return false;
}

bool branches_at(Object* frame) {
  const Python& py = python();
  Object* code = py.frame_code(frame);
  Object* bytes = py.code_bytes(code);
  bool found =
      bytes && branches_from(py.bytes_data(bytes), py.bytes_size(bytes), py.frame_instruction(frame));
  if (bytes) py.decref(bytes);
  py.decref(code);
  return found;
}

}  // namespace

bool python_branches() {
  const Python& py = python();
  if (!py.running() || !py.can_walk_frames() || !py.can_read_code() || !py.this_thread_state()) return false;
  int gil = py.ensure();
  Object* frame = py.thread_frame(py.this_thread_state());
  bool found = frame && branches_at(frame);
  if (frame) py.decref(frame);
  py.release(gil);
  return found;
}

bool raise_system_exit() {
  const Python& py = python();
  if (!py.running() || !py.add_pending_call || !py.system_exit) return false;
  // Needs no GIL and runs in the main thread, whichever thread asks.
  py.add_pending_call(raise_here, nullptr);
  return true;
}

std::string python_site() {
  const Python& py = python();
  // A thread that never ran Python has no frames; taking the GIL for it would only create a state.
  if (!py.running() || !py.can_walk_frames() || !py.this_thread_state()) return "";
  int gil = py.ensure();
  std::string site = walk(py.thread_frame(py.this_thread_state()));
  py.release(gil);
  return site;
}

}  // namespace maya

void maya_set_opcodes(const unsigned char* kinds) {
  for (size_t i = 0; i < 256; ++i) maya::instructions[i] = static_cast<maya::Instruction>(kinds[i]);
}
