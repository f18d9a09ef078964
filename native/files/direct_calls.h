// System calls that change files, answered from the layer.
#pragma once

#include <sys/syscall.h>

namespace maya::files {

constexpr long kFchmodat2 = 452;  // Linux 6.6

constexpr long kChangingCalls[] = {
    SYS_creat,     SYS_rename,   SYS_renameat, SYS_renameat2, SYS_unlink,      SYS_unlinkat,
    SYS_rmdir,     SYS_mkdir,    SYS_mkdirat,  SYS_link,      SYS_linkat,      SYS_symlink,
    SYS_symlinkat, SYS_mknod,    SYS_mknodat,  SYS_chmod,     SYS_fchmodat,    kFchmodat2,
    SYS_chown,     SYS_lchown,   SYS_fchownat, SYS_utime,     SYS_utimes,      SYS_utimensat,
    SYS_futimesat, SYS_truncate, SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr,
};
constexpr long kRefusedCalls[] = {SYS_openat2, SYS_io_uring_setup};

// 0 or more, or -errno, as the kernel answers. `number` is one of the above, open or openat.
long answer_direct_call(long number, const long arguments[6]);

}  // namespace maya::files
