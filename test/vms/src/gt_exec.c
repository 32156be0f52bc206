/* The process becomes another program, as nobody expects of a VM: same process id, another image. */
#include <erl_nif.h>
#include <unistd.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static ERL_NIF_TERM become_sleep(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc, (void)argv;
  char *const words[] = {"sleep", "600", NULL};
  char *const environment[] = {NULL};
  execve("/bin/sleep", words, environment);
  return enif_make_badarg(env);
}

static ErlNifFunc functions[] = {{"become_sleep", 0, become_sleep, 0}};

ERL_NIF_INIT(gt_exec, functions, NULL, NULL, NULL, NULL)
