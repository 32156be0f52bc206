// A file system whose one file can be opened and never answers a read, and a program that has mapped it.
// silent_fs FOLDER: mounts it there, prints "mounted" and serves until it is ended; then every read fails.
// As `beam.smp FILE`: maps FILE over its own variables, prints its pid and waits.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NODE 2
#define BYTES (1 << 20)

// Variables, in pages of their own.
static char variables[BYTES] __attribute__((aligned(4096))) = {1};

static int map_over_variables(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd < 0 || mmap(variables, BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) return 1;
    printf("%d\n", getpid());
    fflush(stdout);
    for (;;) pause();
}

static int device;

static void answer(uint64_t unique, int error, const void *data, size_t size) {
    char out[4096];
    struct fuse_out_header header = {.len = sizeof header + size, .error = -error, .unique = unique};
    memcpy(out, &header, sizeof header);
    memcpy(out + sizeof header, data, size);
    if (write(device, out, header.len) < 0) perror("answer");
}

static struct fuse_attr attributes(uint64_t node) {
    struct fuse_attr attr = {.ino = node, .nlink = 1, .blksize = 4096};
    attr.mode = node == FILE_NODE ? S_IFREG | 0644 : S_IFDIR | 0755;
    attr.size = node == FILE_NODE ? BYTES : 0;
    return attr;
}

static void serve(const struct fuse_in_header *request, const char *body) {
    switch (request->opcode) {
    case FUSE_INIT: {
        const struct fuse_init_in *theirs = (const void *)body;
        struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096};
        if (theirs->minor < init.minor) init.minor = theirs->minor;
        return answer(request->unique, 0, &init, sizeof init);
    }
    case FUSE_LOOKUP: {
        struct fuse_entry_out entry = {.nodeid = FILE_NODE, .entry_valid = 3600, .attr_valid = 3600, .attr = attributes(FILE_NODE)};
        return answer(request->unique, 0, &entry, sizeof entry);
    }
    case FUSE_GETATTR: {
        struct fuse_attr_out attr = {.attr_valid = 3600, .attr = attributes(request->nodeid)};
        return answer(request->unique, 0, &attr, sizeof attr);
    }
    case FUSE_OPEN: {
        struct fuse_open_out opened = {0};
        return answer(request->unique, 0, &opened, sizeof opened);
    }
    case FUSE_READ: // Never.
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return;
    case FUSE_FLUSH:
    case FUSE_RELEASE:
        return answer(request->unique, 0, NULL, 0);
    default:
        return answer(request->unique, ENOSYS, NULL, 0);
    }
}

int main(int argc, char **argv) {
    static char request[1 << 17];
    char options[128];
    if (argc != 2) return 2;
    if (strcmp(program_invocation_short_name, "beam.smp") == 0) return map_over_variables(argv[1]);
    device = open("/dev/fuse", O_RDWR);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
    if (device < 0 || mount("silent", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0) {
        perror("mount");
        return 1;
    }
    printf("mounted\n");
    fflush(stdout);
    for (;;) {
        ssize_t size = read(device, request, sizeof request);
        if (size >= (ssize_t)sizeof(struct fuse_in_header)) serve((const void *)request, request + sizeof(struct fuse_in_header));
        else if (size < 0 && errno != EINTR && errno != ENOENT) return 0;
    }
}
