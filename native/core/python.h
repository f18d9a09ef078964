// The Python interpreter around us, if there is one; reached through symbols looked up at run time.
#pragma once

#include "maya/record.h"

namespace maya {

// Raises SystemExit in the main thread. False when this process runs no Python.
bool raise_system_exit();

// What an instruction of Python's bytecode does with the value of the call before it.
enum class Instruction : unsigned char { other = 0, branches = 1, ends = 2 };

}  // namespace maya

// Called from inside the program: an Instruction for each of the 256 opcodes, which differ between versions.
extern "C" MAYA_EXPORT void maya_set_opcodes(const unsigned char* instructions);
