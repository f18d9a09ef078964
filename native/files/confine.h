// A second line behind the redirected calls: the kernel refuses writes anywhere else (Landlock).
#pragma once

namespace maya::files {

// For this process and all that it starts; once, where MAYA_FILES_CONFINE says 1 and the kernel can.
void confine();

}  // namespace maya::files
