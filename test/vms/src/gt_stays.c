/* A NIF that uses its processor for some milliseconds. Of the interface as in gt_nif.c. */
#include <erl_nif.h>
#include <time.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static long long used_ns(void) {
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static ERL_NIF_TERM spin(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  int milliseconds;
  (void)argc;
  if (!enif_get_int(env, argv[0], &milliseconds)) return enif_make_badarg(env);
  long long end = used_ns() + milliseconds * 1000000LL;
  /* Reading this clock is a system call: most of the time is to be in the NIF itself. */
  volatile unsigned long sum = 0;
  while (used_ns() < end)
    for (unsigned i = 0; i < 100000; i++) sum += i;
  return argv[0];
}

/* Microseconds of the clock that samples have: that of the VM runs slower or faster when it corrects its time. */
static ERL_NIF_TERM clock_us(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  struct timespec now = {0, 0};
  (void)argc, (void)argv;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return enif_make_int64(env, now.tv_sec * 1000000LL + now.tv_nsec / 1000);
}

static ErlNifFunc functions[] = {{"spin", 1, spin, 0}, {"clock_us", 0, clock_us, 0}};
ERL_NIF_INIT(gt_stays, functions, NULL, NULL, NULL, NULL)
