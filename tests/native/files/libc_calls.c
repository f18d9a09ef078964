// Changes files below the current directory by functions of the C library and prints what each answered. Run
// on a directory itself and on the same directory under the layer, it must print the same.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
  SAY(fchmod(file, 0640)), SAY(futimens(file, NULL)), SAY(close(file));
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

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  streams(), temporary(), facts(), mapped(), listings(), others();
  return 0;
}
