/*
 * Preloaded into every process of an installation (power-supply.ts beside it). It writes down how to undo each change of
 * a file below a folder, until the program has had it put on the disk. When the power goes, every process stands still
 * at its next change; then the log is played backwards.
 *
 * A sync covers what was done to the file before it began. As on ext4, it also keeps the name of the file; else a name is
 * kept by a sync of its folder. A sync of the file system covers all of it. The syncs themselves only take a while: no
 * disk is asked. What a program writes through a FILE or a mapping is not seen in detail: a FILE opened for writing is
 * undone as a whole until its next sync.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, CREATE, UNLINK, RENAME, MKDIR, RMDIR, SYNC };
enum { SLOTS = 1 << 16, PIECE = 1 << 20 };

/* Shared by all processes; power-supply.ts knows all but the last. */
struct state {
  volatile int32_t lock, off;
  volatile int64_t countdown, position, trash;
  volatile int64_t latest[SLOTS]; /* where the log has the latest change of the files of a slot */
};

struct record {
  /* `trash` names a file that has lost its name; 0 is none. */
  int64_t kind, trash, inode, folder, offset, length, size, path_bytes, other_bytes, old_bytes;
};

static struct state *state;
static int log_file;
static char root[PATH_MAX], home[PATH_MAX], lie[PATH_MAX], old[PIECE];
static size_t root_length;
static long sync_microseconds;

__attribute__((constructor)) static void begin(void) {
  const char *place = getenv("POWER_HOME"), *top = getenv("POWER_ROOT");
  if (!place || !top) return;
  snprintf(home, sizeof home, "%s", place);
  snprintf(root, sizeof root, "%s/", top);
  snprintf(lie, sizeof lie, "%s", getenv("POWER_LIE") ? getenv("POWER_LIE") : "");
  root_length = strlen(root);
  sync_microseconds = getenv("POWER_SYNC_US") ? atol(getenv("POWER_SYNC_US")) : 0;
  char path[PATH_MAX + 8];
  snprintf(path, sizeof path, "%s/state", home);
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  snprintf(path, sizeof path, "%s/log", home);
  file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  log_file = fcntl(file, F_DUPFD_CLOEXEC, 600);
  syscall(SYS_close, file);
  if (state == MAP_FAILED || log_file < 0) abort();
}

static void stand_still(void) {
  for (;;) pause();
}

static int take(void) {
  int32_t self = syscall(SYS_gettid);
  for (;;) {
    int32_t holder = 0;
    if (__atomic_compare_exchange_n(&state->lock, &holder, self, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return 1;
    if (holder == self) return 0; /* in a signal handler */
    if (syscall(SYS_tkill, holder, 0) < 0 && errno == ESRCH)
      __atomic_compare_exchange_n(&state->lock, &holder, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    usleep(20);
  }
}

static void give(void) { __atomic_store_n(&state->lock, 0, __ATOMIC_SEQ_CST); }

/* Begins a change. Returns 0 when it cannot be written down. */
static int enter(void) {
  int saved = errno;
  if (!take()) return 0;
  if (!state->off && state->countdown > 0 && --state->countdown == 0) state->off = 1;
  if (state->off) {
    give();
    stand_still();
  }
  errno = saved;
  return 1;
}

static long leave(long result) {
  int saved = errno;
  give();
  errno = saved;
  return result;
}

static void touch(int64_t inode) { state->latest[inode & (SLOTS - 1)] = state->position; }

static void note(struct record record, const char *path, const char *other, const void *bytes) {
  record.path_bytes = path ? strlen(path) : 0;
  record.other_bytes = other ? strlen(other) : 0;
  struct iovec parts[] = {{&record, sizeof record},
                          {(void *)path, record.path_bytes},
                          {(void *)other, record.other_bytes},
                          {(void *)bytes, record.old_bytes}};
  long length = sizeof record + record.path_bytes + record.other_bytes + record.old_bytes;
  if (syscall(SYS_pwritev, log_file, parts, 4, state->position, 0) != length) abort();
  state->position += length;
  if (record.kind == SYNC) return;
  touch(record.inode);
  touch(record.folder);
}

static const char *whole(const char *path, char *buffer) {
  if (path[0] == '/') return path;
  long length = syscall(SYS_getcwd, buffer, PATH_MAX / 2);
  if (length <= 0) return path;
  snprintf(buffer + length - 1, PATH_MAX / 2, "/%s", path);
  return buffer;
}

static int is_kept(const char *path) { return strncmp(path, root, root_length) == 0; }

static int look(const char *path, struct stat *about) {
  int saved = errno;
  int result = fstatat(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
  errno = saved;
  return result;
}

static int64_t folder_of(const char *path) {
  char folder[PATH_MAX];
  struct stat about;
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
  return fstatat(AT_FDCWD, folder, &about, 0) == 0 ? (int64_t)about.st_ino : 0;
}

static int name_of(int file, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, PATH_MAX - 1);
  if (length < 0) return 0;
  buffer[length] = 0;
  return 1;
}

static int is_kept_file(int file, struct stat *about) {
  char path[PATH_MAX];
  if (!state) return 0;
  int saved = errno;
  int is = fstat(file, about) == 0 && (S_ISREG(about->st_mode) || S_ISDIR(about->st_mode)) && name_of(file, path) &&
           is_kept(path);
  errno = saved;
  return is;
}

/* Writes down the old bytes from `offset` on, and the old size. */
static void note_write(int file, int64_t offset, int64_t length) {
  struct stat about;
  if (fstat(file, &about) < 0) return;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  int reader = -1;
  for (int64_t at = offset;;) {
    int64_t here = offset + length - at < PIECE ? offset + length - at : PIECE;
    int64_t there = about.st_size - at < here ? about.st_size - at : here;
    struct record record = {.kind = WRITE, .inode = about.st_ino, .offset = at, .length = here, .size = about.st_size};
    if (there > 0) {
      if (reader < 0) reader = syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
      record.old_bytes = syscall(SYS_pread64, reader < 0 ? file : reader, old, there, at);
      if (record.old_bytes != there) abort();
    }
    note(record, NULL, NULL, old);
    at += here;
    if (at >= offset + length) break;
  }
  if (reader >= 0) syscall(SYS_close, reader);
}

static void end_write(int file) {
  struct stat about;
  if (!(fcntl(file, F_GETFL) & O_DSYNC) || fstat(file, &about) < 0) return;
  note((struct record){.kind = SYNC, .inode = about.st_ino, .offset = state->position}, NULL, NULL, NULL);
}

static int64_t sum_of(const struct iovec *parts, int count) {
  int64_t sum = 0;
  for (int n = 0; n < count; n++) sum += parts[n].iov_len;
  return sum;
}

/* Makes a change of a file's bytes; an offset below 0 is where the file stands. */
static long change(int file, int64_t offset, int64_t length, long number, long a, long b, long c, long d) {
  struct stat about;
  if (!is_kept_file(file, &about) || !enter()) return syscall(number, file, a, b, c, d);
  int saved = errno;
  if (offset < 0)
    offset = fcntl(file, F_GETFL) & O_APPEND ? (fstat(file, &about), about.st_size) : lseek(file, 0, SEEK_CUR);
  note_write(file, offset, length);
  errno = saved;
  long result = syscall(number, file, a, b, c, d);
  saved = errno;
  end_write(file);
  errno = saved;
  return leave(result);
}

ssize_t write(int file, const void *bytes, size_t length) {
  return change(file, -1, length, SYS_write, (long)bytes, length, 0, 0);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
  return change(file, -1, sum_of(parts, count), SYS_writev, (long)parts, count, 0, 0);
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
  return change(file, offset, length, SYS_pwrite64, (long)bytes, length, offset, 0);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
  return pwrite64(file, bytes, length, offset);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
  return change(file, offset, sum_of(parts, count), SYS_pwritev, (long)parts, count, offset, 0);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(file, parts, count, offset);
}
int ftruncate64(int file, off64_t size) {
  struct stat about;
  int64_t rest = state && fstat(file, &about) == 0 && about.st_size > size ? about.st_size - size : 0;
  return change(file, size, rest, SYS_ftruncate, size, 0, 0, 0);
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
int fallocate64(int file, int mode, off64_t offset, off64_t length) {
  return change(file, offset, 0, SYS_fallocate, mode, offset, length, 0);
}
int fallocate(int file, int mode, off_t offset, off_t length) { return fallocate64(file, mode, offset, length); }
int posix_fallocate64(int file, off64_t offset, off64_t length) {
  int saved = errno;
  int result = fallocate64(file, 0, offset, length) < 0 ? errno : 0;
  errno = saved;
  return result;
}
int posix_fallocate(int file, off_t offset, off_t length) { return posix_fallocate64(file, offset, length); }

int truncate64(const char *path, off64_t size) {
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return -1;
  int result = ftruncate64(file, size), saved = errno;
  syscall(SYS_close, file);
  errno = saved;
  return result;
}
int truncate(const char *path, off_t size) { return truncate64(path, size); }

static int sync_file(int file, long number) {
  struct stat about;
  char path[PATH_MAX];
  if (!is_kept_file(file, &about)) return syscall(number, file);
  if (!enter()) return 0;
  int64_t start = state->position;
  int64_t slot = about.st_ino & (SLOTS - 1);
  int is_due = state->latest[slot] > 0;
  leave(0);
  if (!is_due) return 0;
  usleep(sync_microseconds);
  if (lie[0] && name_of(file, path) && strstr(path, lie)) return 0;
  if (!enter()) return 0;
  note((struct record){.kind = SYNC, .inode = about.st_ino, .offset = start}, NULL, NULL, NULL);
  if (state->latest[slot] <= start) state->latest[slot] = 0;
  return leave(0);
}
int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }

/* Covers every file below the folder; written down as the sync of inode 0. */
int syncfs(int file) {
  struct stat about;
  if (!is_kept_file(file, &about)) return syscall(SYS_syncfs, file);
  if (!enter()) return 0;
  int64_t start = state->position;
  leave(0);
  usleep(sync_microseconds);
  if (!enter()) return 0;
  note((struct record){.kind = SYNC, .offset = start}, NULL, NULL, NULL);
  for (int slot = 0; slot < SLOTS; slot++)
    if (state->latest[slot] <= start) state->latest[slot] = 0;
  return leave(0);
}

int sync_file_range(int file, off64_t offset, off64_t length, unsigned flags) { return 0; }

static int open_kept(const char *given, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  if (!state || !(flags & (O_CREAT | O_TRUNC))) return syscall(SYS_openat, AT_FDCWD, given, flags, mode);
  const char *path = whole(given, buffer);
  if (!is_kept(path) || !enter()) return syscall(SYS_openat, AT_FDCWD, given, flags, mode);
  struct stat about;
  int is_there = look(path, &about) == 0;
  if (is_there && (flags & O_TRUNC) && S_ISREG(about.st_mode) && about.st_size > 0) {
    int reader = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (reader >= 0) {
      note_write(reader, 0, about.st_size);
      syscall(SYS_close, reader);
    }
  }
  int file = syscall(SYS_openat, AT_FDCWD, given, flags, mode);
  int saved = errno;
  if (file >= 0 && !is_there && fstat(file, &about) == 0)
    note((struct record){.kind = CREATE, .inode = about.st_ino, .folder = folder_of(path)}, path, NULL, NULL);
  errno = saved;
  return leave(file);
}

static mode_t mode_of(int flags, va_list rest) { return flags & O_CREAT ? va_arg(rest, mode_t) : 0; }
#define OPEN(name)                         \
  int name(const char *path, int flags, ...) { \
    va_list rest;                          \
    va_start(rest, flags);                 \
    mode_t mode = mode_of(flags, rest);    \
    va_end(rest);                          \
    return open_kept(path, flags, mode);   \
  }
OPEN(open)
OPEN(open64)
int creat(const char *path, mode_t mode) { return open_kept(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

FILE *fopen64(const char *path, const char *how) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen64");
  char buffer[PATH_MAX];
  if (!state || how[0] == 'r' || !is_kept(whole(path, buffer))) return real(path, how);
  /* Makes or empties it, and notes that nothing of what follows counts before a sync. */
  int file = open_kept(path, O_CREAT | O_WRONLY | (how[0] == 'w' ? O_TRUNC : 0), 0666);
  if (file < 0) return NULL;
  struct stat about;
  if (fstat(file, &about) == 0 && enter()) {
    note_write(file, about.st_size, 0);
    leave(0);
  }
  syscall(SYS_close, file);
  return real(path, how);
}
FILE *fopen(const char *path, const char *how) { return fopen64(path, how); }

/* Keeps a file that loses a name. Returns its name in the trash, or 0. */
static int64_t keep(const char *path) {
  char trash[PATH_MAX + 32];
  state->trash++;
  snprintf(trash, sizeof trash, "%s/trash/%lld", home, (long long)state->trash);
  int saved = errno;
  int is = syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, trash, 0) == 0;
  errno = saved;
  return is ? state->trash : 0;
}

int unlink(const char *given) {
  char buffer[PATH_MAX];
  struct stat about;
  const char *path = state ? whole(given, buffer) : given;
  if (!state || !is_kept(path) || !enter()) return syscall(SYS_unlinkat, AT_FDCWD, given, 0);
  int64_t trash = look(path, &about) == 0 && !S_ISDIR(about.st_mode) ? keep(path) : 0;
  if (trash)
    note((struct record){.kind = UNLINK, .trash = trash, .inode = about.st_ino, .folder = folder_of(path)}, path, NULL,
         NULL);
  return leave(syscall(SYS_unlinkat, AT_FDCWD, given, 0));
}

int rename(const char *given, const char *given_other) {
  char buffer[PATH_MAX], buffer_other[PATH_MAX];
  struct stat about, replaced;
  const char *path = state ? whole(given, buffer) : given, *other = state ? whole(given_other, buffer_other) : given_other;
  if (!state || (!is_kept(path) && !is_kept(other)) || !enter())
    return syscall(SYS_renameat2, AT_FDCWD, given, AT_FDCWD, given_other, 0);
  struct record record = {.kind = RENAME, .folder = folder_of(other), .offset = folder_of(path)};
  if (look(path, &about) == 0) record.inode = about.st_ino;
  if (look(other, &replaced) == 0 && !S_ISDIR(replaced.st_mode)) record.trash = keep(other);
  int result = syscall(SYS_renameat2, AT_FDCWD, given, AT_FDCWD, given_other, 0), saved = errno;
  if (result == 0) note(record, path, other, NULL);
  errno = saved;
  return leave(result);
}

int link(const char *given, const char *given_other) {
  char buffer[PATH_MAX];
  struct stat about;
  const char *other = state ? whole(given_other, buffer) : given_other;
  if (!state || !is_kept(other) || !enter()) return syscall(SYS_linkat, AT_FDCWD, given, AT_FDCWD, given_other, 0);
  int result = syscall(SYS_linkat, AT_FDCWD, given, AT_FDCWD, given_other, 0);
  if (result == 0 && look(other, &about) == 0)
    note((struct record){.kind = CREATE, .inode = about.st_ino, .folder = folder_of(other)}, other, NULL, NULL);
  return leave(result);
}

int symlink(const char *target, const char *given) {
  char buffer[PATH_MAX];
  struct stat about;
  const char *path = state ? whole(given, buffer) : given;
  if (!state || !is_kept(path) || !enter()) return syscall(SYS_symlinkat, target, AT_FDCWD, given);
  int result = syscall(SYS_symlinkat, target, AT_FDCWD, given);
  if (result == 0 && look(path, &about) == 0)
    note((struct record){.kind = CREATE, .inode = about.st_ino, .folder = folder_of(path)}, path, NULL, NULL);
  return leave(result);
}

int mkdir(const char *given, mode_t mode) {
  char buffer[PATH_MAX];
  struct stat about;
  const char *path = state ? whole(given, buffer) : given;
  if (!state || !is_kept(path) || !enter()) return syscall(SYS_mkdirat, AT_FDCWD, given, mode);
  int result = syscall(SYS_mkdirat, AT_FDCWD, given, mode);
  if (result == 0 && look(path, &about) == 0)
    note((struct record){.kind = MKDIR, .inode = about.st_ino, .folder = folder_of(path)}, path, NULL, NULL);
  return leave(result);
}

static int is_empty(const char *path) {
  DIR *folder = opendir(path);
  int names = 0;
  while (folder && readdir(folder)) names++;
  if (folder) closedir(folder);
  return names == 2;
}

/* Keeps the folder, so that no other gets its inode. */
int rmdir(const char *given) {
  char buffer[PATH_MAX], trash[PATH_MAX + 32];
  struct stat about;
  const char *path = state ? whole(given, buffer) : given;
  if (!state || !is_kept(path) || !enter()) return syscall(SYS_unlinkat, AT_FDCWD, given, AT_REMOVEDIR);
  if (look(path, &about) < 0 || !is_empty(path)) return leave(syscall(SYS_unlinkat, AT_FDCWD, given, AT_REMOVEDIR));
  struct record record = {.kind = RMDIR, .trash = ++state->trash, .inode = about.st_ino, .folder = folder_of(path)};
  snprintf(trash, sizeof trash, "%s/trash/%lld", home, (long long)record.trash);
  int result = syscall(SYS_renameat2, AT_FDCWD, given, AT_FDCWD, trash, 0);
  if (result == 0) note(record, path, NULL, NULL);
  return leave(result);
}

/* A program that gives a child an environment of its own still has this library in it. */
int execvp(const char *file, char *const words[]) {
  static const char *names[] = {"LD_PRELOAD", "POWER_HOME", "POWER_ROOT", "POWER_LIE", "POWER_SYNC_US"};
  static char values[5][PATH_MAX + 32];
  int count = 0, kept = 0;
  while (environ[count]) count++;
  char *all[count + 6];
  if (state) {
    Dl_info self;
    dladdr((void *)execvp, &self);
    const char *given[] = {self.dli_fname, home, NULL, lie, NULL};
    for (int n = 0; n < 5; n++) {
      if (n == 2) snprintf(values[n], sizeof values[n], "%s=%.*s", names[n], (int)root_length - 1, root);
      else if (n == 4) snprintf(values[n], sizeof values[n], "%s=%ld", names[n], sync_microseconds);
      else snprintf(values[n], sizeof values[n], "%s=%s", names[n], given[n]);
      all[kept++] = values[n];
    }
  }
  for (int n = 0; n < count; n++)
    if (!state || (strncmp(environ[n], "POWER_", 6) && strncmp(environ[n], "LD_PRELOAD=", 11))) all[kept++] = environ[n];
  all[kept] = NULL;
  return execvpe(file, words, all);
}
