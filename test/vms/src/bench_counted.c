/* Publishes the work of its thread in a shared file, for a reader outside the VM: four words, of which the first and the
   last are the number of the entry. The last is written first, so that a reader who reads upwards and finds both the same
   has read a whole entry. */
#include <erl_nif.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

#define BYTES 4096

typedef volatile unsigned long long word;
static word *entry;

static unsigned long long nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/* share(Path) -> true: entries go to a new file of that name. */
static ERL_NIF_TERM share(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  char path[512];
  if (argc != 1 || enif_get_string(env, argv[0], path, sizeof path, ERL_NIF_LATIN1) <= 0) return enif_make_badarg(env);
  int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0) return enif_make_badarg(env);
  void *shared = ftruncate(file, BYTES) != 0 ? MAP_FAILED
                                             : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared == MAP_FAILED) return enif_make_badarg(env);
  entry = shared;
  return enif_make_atom(env, "true");
}

/* done() -> true: one more unit is done, at this time of the thread's processor clock and of the wall clock. */
static ERL_NIF_TERM done(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc;
  (void)argv;
  if (entry == NULL) return enif_make_badarg(env);
  unsigned long long units = entry[0] + 1;
  entry[3] = units;
  __sync_synchronize();
  entry[1] = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  entry[2] = nanoseconds(CLOCK_MONOTONIC);
  __sync_synchronize();
  entry[0] = units;
  return enif_make_atom(env, "true");
}

static ErlNifFunc functions[] = {{"share", 1, share, 0}, {"done", 0, done, 0}};
ERL_NIF_INIT(bench_counted, functions, NULL, NULL, NULL, NULL)
