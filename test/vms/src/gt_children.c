/* Starts a program by fork, in a NIF, so that it is below no port. It ends with the VM, whose end of a pipe it reads. Of
   the interface as in gt_nif.c. */
#include <erl_nif.h>
#include <unistd.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static ERL_NIF_TERM start(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc;
  char program[4096];
  int ends[2];
  if (enif_get_string(env, argv[0], program, sizeof program, ERL_NIF_LATIN1) <= 0) return enif_make_badarg(env);
  if (pipe(ends) != 0) return enif_make_badarg(env);
  pid_t pid = fork();
  if (pid == 0) {
    char *const words[] = {"sh", "-c", program, NULL};
    char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    dup2(ends[0], 0);
    close(ends[0]);
    close(ends[1]);
    execve("/bin/sh", words, environment);
    _exit(1);
  }
  close(ends[0]);
  return pid < 0 ? enif_make_badarg(env) : enif_make_int(env, pid);
}

static ErlNifFunc functions[] = {{"start", 1, start, 0}};

ERL_NIF_INIT(gt_children, functions, NULL, NULL, NULL, NULL)
