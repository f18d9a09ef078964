// Changes files below the current directory by functions of the C library and prints what each answered. Run
// on a directory itself and on the same directory under the layer, it must print the same.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#define SAY(call) say(#call, (long)(call))

static void say(const char* call, long answer) {
  printf("%s = %ld %s\n", call, answer, answer < 0 ? strerror(errno) : "");
}

static long content(const char* path) {
  char text[64] = {0};
  FILE* file = fopen(path, "r");
  if (!file) return -1;
  size_t bytes = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  printf("%s: %.20s ", path, text);
  return (long)bytes;
}

static long put(const char* path, const char* mode, const char* text) {
  FILE* file = fopen(path, mode);
  if (!file) return -1;
  fputs(text, file);
  return fclose(file);
}

static void streams(void) {
  SAY(put("c.pt", "r+", "changed"));
  SAY(put("a/a", "a", "more"));
  SAY(put("b/b", "wx", "no"));
  SAY(put("b/new", "wx", "yes"));
  FILE* file = fopen("d/a", "r");
  SAY((file = freopen("d/other", "w", file)) != NULL);
  SAY(fputs("other", file) >= 0 && fclose(file) == 0);
  SAY(content("c.pt")), SAY(content("a/a")), SAY(content("b/new")), SAY(content("d/other"));
}

static void temporary(void) {
  char file[] = "a/tmpXXXXXX", folder[] = "a/dirXXXXXX", wrong[] = "a/wrong";
  int made = mkstemp(file);
  SAY(made >= 0 && write(made, "temporary", 9) == 9 && close(made) == 0);
  SAY(rename(file, "a/settled"));
  SAY(mkdtemp(folder) != NULL && rmdir(folder) == 0);
  SAY(mkstemp(wrong));
  FILE* unnamed = tmpfile();
  SAY(unnamed && fputs("x", unnamed) >= 0 && fclose(unnamed) == 0);
  int hidden = open("a", O_TMPFILE | O_RDWR, 0600);
  SAY(hidden < 0 ? -1 : write(hidden, "hidden", 6));
  SAY(content("a/settled"));
}

static void facts(void) {
  struct stat about;
  struct statx more;
  struct timeval times[2] = {{1000, 0}, {2000, 0}};
  struct utimbuf old = {3000, 4000};
  SAY(chmod("c.pt", 0600)), SAY(stat("c.pt", &about)), SAY(about.st_mode);
  SAY(utimes("c.pt", times)), SAY(stat("c.pt", &about)), SAY(about.st_mtime);
  SAY(utime("a/a", &old)), SAY(lstat("a/a", &about)), SAY(about.st_mtime);
  SAY(statx(AT_FDCWD, "b/b", 0, STATX_SIZE, &more)), SAY(more.stx_size);
  SAY(truncate("b/b", 5)), SAY(stat("b/b", &about)), SAY(about.st_size);
  int file = open("d/a", O_RDONLY);
  struct timespec then[2] = {{5000, 0}, {6000, 0}};
  char begun[3] = {0};
  SAY(read(file, begun, 2)), SAY(fcntl(file, F_SETFD, FD_CLOEXEC));
  SAY(fchmod(file, 0640)), SAY(fstat(file, &about)), SAY(about.st_mode), SAY(about.st_size);
  SAY(futimens(file, then)), SAY(fstat(file, &about)), SAY(about.st_mtime);
  SAY(read(file, begun, 2)), SAY(begun[0]), SAY(write(file, "x", 1)), SAY(fcntl(file, F_GETFD));
  SAY(lseek(file, 0, SEEK_CUR)), SAY(fchmod(file, 0200)), SAY(fstat(file, &about)), SAY(about.st_mode);
  SAY(fchmod(file, 0640)), SAY(close(file));
  SAY(stat("d/a", &about)), SAY(about.st_mode);
  SAY(access("nothing", F_OK)), SAY(access("c.pt", R_OK | W_OK));
}

static void mapped(void) {
  int file = open("b/a/c.pt/d", O_RDWR);
  char* memory = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  SAY(memory != MAP_FAILED);
  memcpy(memory, "MAPD", 4);
  SAY(msync(memory, 4, MS_SYNC)), SAY(munmap(memory, 4)), SAY(close(file));
  SAY(content("b/a/c.pt/d"));
}

static int by_name(const struct dirent** a, const struct dirent** b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void listings(void) {
  struct dirent** names;
  int count = scandir("a", &names, NULL, by_name);
  for (int i = 0; i < count; ++i) printf("%s ", names[i]->d_name);
  SAY(count);
  glob_t found;
  SAY(glob("*/*", 0, NULL, &found));
  for (size_t i = 0; i < found.gl_pathc; ++i) printf("%s ", found.gl_pathv[i]);
  char here[PATH_MAX], target[PATH_MAX], real[PATH_MAX];
  SAY(mkdir("made", 0755)), SAY(chdir("made")), SAY(getcwd(here, sizeof here) != NULL);
  SAY(strcmp(strrchr(here, '/'), "/made")), SAY(put("inside", "w", "inside")), SAY(chdir(".."));
  SAY(symlink("made/inside", "link")), SAY(readlink("link", target, sizeof target));
  SAY(realpath("link", real) != NULL), SAY(strcmp(strrchr(real, '/'), "/inside")), SAY(content("link"));
}

static void others(void) {
  SAY(mkfifo("pipe", 0600)), SAY(mkfifo("pipe", 0600)), SAY(unlink("pipe"));
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
  int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
  SAY(bind(server, (struct sockaddr*)&name, sizeof name)), SAY(listen(server, 1));
  SAY(connect(client, (struct sockaddr*)&name, sizeof name));
  SAY(bind(client, (struct sockaddr*)&name, sizeof name) < 0), SAY(unlink("socket"));
  SAY(put("run.sh", "w", "#!/bin/sh\necho from the layer > said; exit 7\n")), SAY(chmod("run.sh", 0755));
  SAY(WEXITSTATUS(system("./run.sh"))), SAY(content("said"));
  SAY(remove("a/b/c.pt")), SAY(remove("a/b")), SAY(rmdir("b")), SAY(rename("b", "a/moved")),
      SAY(access("b", F_OK));
}

static char* walked[256];
static size_t steps, stop_after;

static int note(const char* path, const struct stat* about, int kind, int base, int level) {
  int failed = asprintf(&walked[steps++], "%s %d %d %d %o", path, kind, base, level, about->st_mode) < 0;
  return failed || steps == stop_after ? 7 : 0;
}
static int visit(const char* path, const struct stat* about, int kind, struct FTW* where) {
  return note(path, about, kind, where->base, where->level);
}
static int visit_plain(const char* path, const struct stat* about, int kind) {
  return note(path, about, kind, 0, 0);
}
// Also says whether the process stands beside the file.
static int visit_inside(const char* path, const struct stat* about, int kind, struct FTW* where) {
  struct stat same;
  const char* name = kind == FTW_DP ? "." : path + where->base;
  return lstat(name, &same) ? 3 : note(path, about, kind, where->base, where->level);
}
static int visit_pruned(const char* path, const struct stat* about, int kind, struct FTW* where) {
  note(path, about, kind, where->base, where->level);
  return strcmp(path + where->base, "b") ? FTW_CONTINUE : FTW_SKIP_SUBTREE;
}
static int remove_each(const char* path, const struct stat* about, int kind, struct FTW* where) {
  (void)about, (void)kind, (void)where;
  return remove(path);
}

static int in_order(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

// Directories may be read in any order.
static long show_walk(long answer) {
  qsort(walked, steps, sizeof *walked, in_order);
  for (size_t i = 0; i < steps; ++i) printf("%s\n", walked[i]), free(walked[i]);
  steps = stop_after = 0;
  return answer;
}

static void walks(void) {
  char before[PATH_MAX], after[PATH_MAX];
  SAY(mkdir("tree", 0755)), SAY(rename("d", "tree/d")), SAY(mkdir("tree/b", 0755));
  SAY(put("tree/b/new", "w", "new")), SAY(put("tree/gone", "w", "gone")), SAY(unlink("tree/gone"));
  SAY(symlink("..", "tree/b/round")), SAY(symlink("nowhere", "tree/lost"));
  SAY(show_walk(nftw("tree", visit, 1, FTW_PHYS))), SAY(show_walk(nftw("tree//", visit, 9, 0)));
  SAY(show_walk(nftw("./tree/b", visit, 9, FTW_DEPTH))), SAY(show_walk(ftw("tree", visit_plain, 9)));
  SAY(show_walk(nftw("tree", visit, 9, FTW_PHYS | FTW_MOUNT)));
  SAY(show_walk(nftw("a", visit, 9, FTW_PHYS | FTW_MOUNT | FTW_DEPTH)));
  SAY(getcwd(before, sizeof before) != NULL);
  SAY(show_walk(nftw("tree", visit_inside, 9, FTW_PHYS | FTW_CHDIR)));
  SAY(show_walk(nftw("./tree", visit_inside, 9, FTW_PHYS | FTW_CHDIR | FTW_DEPTH)));
  SAY(getcwd(after, sizeof after) != NULL && strcmp(before, after) == 0);
  SAY(show_walk(nftw("tree", visit_pruned, 9, FTW_PHYS | FTW_ACTIONRETVAL)));
  stop_after = 1;
  SAY(show_walk(nftw("tree", visit, 9, FTW_PHYS)));
  SAY(nftw("", visit, 9, 0)), SAY(nftw("nothing", visit, 9, 0)), SAY(nftw("tree/lost", visit, 9, FTW_PHYS));
  SAY(show_walk(nftw("tree/lost", visit, 9, 0)));
  SAY(nftw("tree", remove_each, 9, FTW_PHYS | FTW_DEPTH)), SAY(access("tree", F_OK));
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  streams(), temporary(), facts(), mapped(), listings(), walks(), others();
  return 0;
}
