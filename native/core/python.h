// The Python interpreter around us, if there is one; reached through symbols looked up at run time.
#pragma once

namespace maya {

// Raises SystemExit in the main thread. False when this process runs no Python.
bool raise_system_exit();

}  // namespace maya
