/* A NIF that waits in the kernel, on the scheduler itself: it uses no processor. Of the interface as in gt_nif.c. */
#include <erl_nif.h>
#include <time.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static ERL_NIF_TERM asleep(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  int seconds;
  (void)argc;
  if (!enif_get_int(env, argv[0], &seconds)) return enif_make_badarg(env);
  struct timespec pause = {seconds, 0};
  /* From OTP 26 on the VM has a handler of SIGCONT, which ends a sleep. */
  while (nanosleep(&pause, &pause) != 0) continue;
  return argv[0];
}

static ErlNifFunc functions[] = {{"asleep", 1, asleep, 0}};
ERL_NIF_INIT(gt_asleep, functions, NULL, NULL, NULL, NULL)
