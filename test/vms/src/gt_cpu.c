/* Processor time, as the kernel accounts it: what a sampler of processor time should show,
   whoever else wants the processors meanwhile. Interface version as in gt_nif.c. */
#include <erl_nif.h>
#include <stdint.h>
#include <time.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

static ERL_NIF_TERM read_clock(ErlNifEnv *env, clockid_t clock, uintptr_t thread) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return enif_make_badarg(env);
  return enif_make_tuple2(env, enif_make_uint64(env, thread),
                          enif_make_uint64(env, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec));
}

static ERL_NIF_TERM thread(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc, (void)argv;
  return read_clock(env, CLOCK_THREAD_CPUTIME_ID, (uintptr_t)__builtin_thread_pointer());
}

static ERL_NIF_TERM process(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc, (void)argv;
  return read_clock(env, CLOCK_PROCESS_CPUTIME_ID, 0);
}

static ErlNifFunc functions[] = {{"thread", 0, thread, 0}, {"process", 0, process, 0}};

ERL_NIF_INIT(gt_cpu, functions, NULL, NULL, NULL, NULL)
