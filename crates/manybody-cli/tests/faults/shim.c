/* Faults in file calls, for the test beside this file: a library that LD_PRELOAD puts between the program and libc.
 *
 * Calls on files below FAULT_ROOT are counted: those on a path, and those on a descriptor or a folder that such a call
 * has opened. Call number FAULT_AT (from 1) of those that are FAULT_CALL on FAULT_PATH (a temporary file counts as the
 * one that it becomes) does not happen; instead, by FAULT_KIND,
 *
 *     a number   it fails with that errno (close closes the file all the same, as Linux does)
 *     short      it moves half of the bytes (reads and writes of two bytes or more)
 *     kill       the process ends as by kill -9
 *
 * FAULT_LOG is a file. With FAULT_AT=0 it gets a line for every call, "NAME PATH"; otherwise the line of the one that
 * failed, by which the test knows that it was the one meant.
 *
 * Not seen: calls that libc makes inside others (realpath's readlink) and system calls made without libc. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FILES = 256, NAME = 256 };

static const char *root, *meant_call, *meant_path;
static size_t root_length;
static long at;
static int failure, is_short, is_kill, log_file = -1;
static atomic_long count;
static char names[FILES][NAME]; /* of open descriptors below the root; empty for others */
static struct { _Atomic(DIR *) folder; char name[NAME]; } folders[16];

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND"), *log = getenv("FAULT_LOG");
    root = getenv("FAULT_ROOT");
    meant_call = getenv("FAULT_CALL");
    meant_path = getenv("FAULT_PATH");
    if (!root || !text || !log) return;
    at = atol(text);
    if (at && (!meant_call || !meant_path)) abort();
    if (kind) {
        is_short = !strcmp(kind, "short");
        is_kill = !strcmp(kind, "kill");
        failure = atoi(kind);
    }
    log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    root_length = strlen(root);
    alarm(120); /* a process that hangs is a failure like others */
}

/* The path as seen from the root, or null for one elsewhere. The process runs in the root. */
static const char *below(const char *path) {
    if (!root_length || !path) return NULL;
    if (path[0] != '/') return path;
    if (strncmp(path, root, root_length)) return NULL;
    return path[root_length] == '/' ? path + root_length + 1 : path[root_length] ? NULL : ".";
}

static const char *name_of(int file) {
    return root_length && file >= 0 && file < FILES && names[file][0] ? names[file] : NULL;
}

static int note(int file, const char *name) {
    if (file >= 0 && file < FILES) snprintf(names[file], NAME, "%s", name ? name : "");
    return file;
}

enum turn { GO_ON, FAIL, SHORT };

/* Whether it is a call that counts. "b.csv.123-0.tmp" is meant by "b.csv". */
static int is_meant(const char *call, const char *path) {
    size_t length = strlen(meant_path);
    if (strcmp(call, meant_call) || strncmp(path, meant_path, length)) return 0;
    if (!path[length]) return 1;
    unsigned process, number;
    int end = 0;
    return sscanf(path + length, ".%u-%u.tmp%n", &process, &number, &end) == 2 && end && !path[length + end];
}

/* Counts a call, and says what becomes of it. */
static enum turn turn(const char *call, const char *path) {
    if (!path || (at && !is_meant(call, path))) return GO_ON;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (at && number != at) return GO_ON;
    char line[NAME + 32];
    int length = snprintf(line, sizeof line, "%s %s\n", call, path);
    syscall(SYS_write, log_file, line, length);
    if (!at) return GO_ON;
    if (is_kill) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    if (is_short) return SHORT;
    errno = failure;
    return FAIL;
}

/* Paths. */

static int open_with(const char *real_name, const char *path, int flags, mode_t mode) {
    const char *name = below(path);
    if (turn(flags & O_CREAT ? "create" : flags & O_DIRECTORY ? "opendir" : "open", name) == FAIL) return -1;
    int (*call)(const char *, int, ...) = real(real_name);
    return note(call(path, flags, mode), name);
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                      \
        va_end(rest);                                                                                                  \
        return open_with(#name, path, flags, mode);                                                                    \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                                   \
    int name(int folder, const char *path, int flags, ...) {                                                           \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                                                      \
        va_end(rest);                                                                                                  \
        const char *seen = folder == AT_FDCWD || path[0] == '/' || name_of(folder) ? below(path) : NULL;               \
        if (turn(flags & O_CREAT ? "create" : "open", seen) == FAIL) return -1;                                        \
        return note(REAL(name)(folder, path, flags, mode), seen);                                                      \
    }
OPENAT(openat)
OPENAT(openat64)

/* A call with one path, whose failure is the value `bad`. */
#define PATH(result, name, bad, path, parameters, arguments)                                                           \
    result name parameters {                                                                                           \
        if (turn(#name, below(path)) == FAIL) return bad;                                                              \
        return REAL(name) arguments;                                                                                   \
    }
PATH(int, stat64, -1, path, (const char *path, struct stat64 *found), (path, found))
PATH(int, lstat64, -1, path, (const char *path, struct stat64 *found), (path, found))
PATH(int, unlink, -1, path, (const char *path), (path))
PATH(int, rmdir, -1, path, (const char *path), (path))
PATH(int, mkdir, -1, path, (const char *path, mode_t mode), (path, mode))
PATH(int, chmod, -1, path, (const char *path, mode_t mode), (path, mode))
PATH(int, access, -1, path, (const char *path, int mode), (path, mode))
PATH(int, truncate64, -1, path, (const char *path, off64_t length), (path, length))
PATH(int, statvfs64, -1, path, (const char *path, struct statvfs64 *found), (path, found))
PATH(ssize_t, readlink, -1, path, (const char *path, char *text, size_t room), (path, text, room))
PATH(char *, realpath, NULL, path, (const char *path, char *found), (path, found))
PATH(int, rename, -1, to, (const char *from, const char *to), (from, to))
PATH(int, renameat2, -1, to, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
PATH(int, renameat, -1, to, (int a, const char *from, int b, const char *to), (a, from, b, to))
PATH(int, link, -1, to, (const char *from, const char *to), (from, to))
PATH(int, linkat, -1, to, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
PATH(int, symlink, -1, to, (const char *from, const char *to), (from, to))
PATH(int, unlinkat, -1, path, (int folder, const char *path, int flags), (folder, path, flags))
PATH(int, fstatat64, -1, path, (int folder, const char *path, struct stat64 *found, int flags),
     (folder, path, found, flags))

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *found) {
    const char *volatile given = path; /* null in the standard library's probe, though the header forbids it */
    const char *seen = !given ? NULL : path[0] ? below(path) : name_of(folder);
    if (turn("stat", seen) == FAIL) return -1;
    return REAL(statx)(folder, path, flags, mask, found);
}

/* Descriptors. */

#define FILE_CALL(result, name, parameters, arguments)                                                                 \
    result name parameters {                                                                                           \
        if (turn(#name, name_of(file)) == FAIL) return -1;                                                             \
        return REAL(name) arguments;                                                                                   \
    }
FILE_CALL(int, fsync, (int file), (file))
FILE_CALL(int, fdatasync, (int file), (file))
FILE_CALL(int, ftruncate64, (int file, off64_t length), (file, length))
FILE_CALL(off64_t, lseek64, (int file, off64_t offset, int from), (file, offset, from))
FILE_CALL(int, fstat64, (int file, struct stat64 *found), (file, found))
FILE_CALL(int, fchmod, (int file, mode_t mode), (file, mode))
FILE_CALL(int, flock, (int file, int operation), (file, operation))
FILE_CALL(int, fallocate64, (int file, int mode, off64_t from, off64_t length), (file, mode, from, length))

/* Calls that move `size` bytes, and may move fewer. */
#define MOVE(name, parameters, ...)                                                                                    \
    ssize_t name parameters {                                                                                          \
        enum turn turned = turn(#name, name_of(file));                                                                 \
        if (turned == FAIL) return -1;                                                                                 \
        if (turned == SHORT && size > 1) size /= 2;                                                                    \
        return REAL(name)(__VA_ARGS__);                                                                                \
    }
MOVE(read, (int file, void *bytes, size_t size), file, bytes, size)
MOVE(pread64, (int file, void *bytes, size_t size, off64_t from), file, bytes, size, from)
MOVE(write, (int file, const void *bytes, size_t size), file, bytes, size)
MOVE(pwrite64, (int file, const void *bytes, size_t size, off64_t from), file, bytes, size, from)

/* A short one moves half of the first piece. */
#define MOVE_PIECES(name, single)                                                                                      \
    ssize_t name(int file, const struct iovec *pieces, int many) {                                                     \
        enum turn turned = turn(#name, name_of(file));                                                                 \
        if (turned == FAIL) return -1;                                                                                 \
        for (; turned == SHORT && many; pieces++, many--)                                                              \
            if (pieces->iov_len > 1) return REAL(single)(file, pieces->iov_base, pieces->iov_len / 2);                 \
        return REAL(name)(file, pieces, many);                                                                         \
    }
MOVE_PIECES(readv, read)
MOVE_PIECES(writev, write)

ssize_t copy_file_range(int from, off64_t *a, int file, off64_t *b, size_t size, unsigned flags) {
    enum turn turned = turn("copy_file_range", name_of(file));
    if (turned == FAIL) return -1;
    if (turned == SHORT && size > 1) size /= 2;
    return REAL(copy_file_range)(from, a, file, b, size, flags);
}

int fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    const char *name = command == F_GETFD ? NULL : name_of(file); /* the standard library's own check */
    if (turn("fcntl", name) == FAIL) return -1;
    int found = REAL(fcntl)(file, command, argument);
    return name && (command == F_DUPFD_CLOEXEC || command == F_DUPFD) ? note(found, name) : found;
}

int close(int file) {
    const char *name = name_of(file);
    enum turn turned = turn("close", name);
    if (name) names[file][0] = 0;
    int closed = REAL(close)(file);
    if (turned != FAIL) return closed;
    errno = failure;
    return -1;
}

/* Folders. */

DIR *opendir(const char *path) {
    const char *name = below(path);
    if (turn("opendir", name) == FAIL) return NULL;
    DIR *folder = REAL(opendir)(path);
    for (size_t k = 0; name && folder && k < sizeof folders / sizeof *folders; k++) {
        DIR *none = NULL;
        if (!atomic_compare_exchange_strong(&folders[k].folder, &none, folder)) continue;
        snprintf(folders[k].name, NAME, "%s", name);
        break;
    }
    return folder;
}

static size_t place_of(DIR *folder) {
    size_t k = 0;
    while (k < sizeof folders / sizeof *folders && folders[k].folder != folder) k++;
    return k;
}

struct dirent64 *readdir64(DIR *folder) {
    size_t k = place_of(folder);
    const char *name = k < sizeof folders / sizeof *folders ? folders[k].name : NULL;
    if (turn("readdir64", name) == FAIL) return NULL;
    return REAL(readdir64)(folder);
}

int closedir(DIR *folder) {
    size_t k = place_of(folder);
    if (k < sizeof folders / sizeof *folders) folders[k].folder = NULL;
    return REAL(closedir)(folder);
}
