/* NIFs that wait in the kernel for some milliseconds, on a scheduler of each kind. Of the interface as in gt_nif.c. */
#include <erl_nif.h>
#include <time.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static ERL_NIF_TERM nap(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  int milliseconds;
  (void)argc;
  if (!enif_get_int(env, argv[0], &milliseconds)) return enif_make_badarg(env);
  struct timespec pause = {0, milliseconds * 1000000L};
  nanosleep(&pause, NULL);
  return argv[0];
}

static ErlNifFunc functions[] = {{"nap", 1, nap, 0}, {"dirty_nap", 1, nap, ERL_NIF_DIRTY_JOB_IO_BOUND}};
ERL_NIF_INIT(gt_dozes, functions, NULL, NULL, NULL, NULL)
