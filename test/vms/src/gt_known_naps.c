/* NIFs that wait in the kernel and return for how long, on a scheduler of each kind. Of the interface as in gt_nif.c. */
#include <erl_nif.h>
#include <time.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static ErlNifUInt64 now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (ErlNifUInt64)now.tv_sec * 1000000000u + (ErlNifUInt64)now.tv_nsec;
}

static ERL_NIF_TERM nap(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  int microseconds;
  (void)argc;
  if (!enif_get_int(env, argv[0], &microseconds)) return enif_make_badarg(env);
  struct timespec pause = {0, microseconds * 1000L};
  ErlNifUInt64 began = now_ns();
  nanosleep(&pause, NULL);
  return enif_make_uint64(env, now_ns() - began);
}

static ErlNifFunc functions[] = {{"nap", 1, nap, 0}, {"dirty_nap", 1, nap, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(gt_known_naps, functions, NULL, NULL, NULL, NULL)
