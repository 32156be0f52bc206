// A disk that takes its time: what writes to a file waits first. Preloaded into a program; sockets, pipes and terminals are as fast as ever.
#define _GNU_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WRITE_MS 400L

static void wait_for_disk(int fd) {
    struct stat what;
    const char *sign = getenv("SLOW_DISK_WHILE");
    if (sign == NULL || access(sign, F_OK) != 0 || fstat(fd, &what) != 0 || !S_ISREG(what.st_mode)) return;
    struct timespec pause = {WRITE_MS / 1000, WRITE_MS % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

ssize_t write(int fd, const void *data, size_t size) { wait_for_disk(fd); return syscall(SYS_write, fd, data, size); }
ssize_t writev(int fd, const struct iovec *parts, int count) { wait_for_disk(fd); return syscall(SYS_writev, fd, parts, count); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { wait_for_disk(fd); return syscall(SYS_pwrite64, fd, data, size, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) { wait_for_disk(fd); return syscall(SYS_pwritev, fd, parts, count, at, 0L); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return pwritev64(fd, parts, count, at); }
int fsync(int fd) { wait_for_disk(fd); return syscall(SYS_fsync, fd); }
int fdatasync(int fd) { wait_for_disk(fd); return syscall(SYS_fdatasync, fd); }
