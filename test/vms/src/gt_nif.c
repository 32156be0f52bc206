/* NIFs that do nothing but take time. Version 2.14 of the interface, which every OTP from 21
   on loads, whatever headers this is compiled with. */
#include <erl_nif.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

#define OWN_FUNCTION static __attribute__((noinline, unused))

#ifndef NIF_MODULE
#define NIF_MODULE gt_nif
#define NIF_FUNCTIONS                                                  \
  {"spin_short", 1, spin_short, 0},                                    \
  {"spin_long", 1, spin_long, 0},                                      \
  {"spin_dirty_cpu", 1, spin_dirty_cpu, ERL_NIF_DIRTY_JOB_CPU_BOUND},  \
  {"spin_dirty_io", 1, spin_dirty_io, ERL_NIF_DIRTY_JOB_IO_BOUND},     \
  {"make_list", 1, make_list, 0},                                      \
  {"in_parts", 1, first_part, 0},
#endif

OWN_FUNCTION unsigned long steps(unsigned long count) {
  unsigned long x = 1;
  while (count-- > 0) {
    x = x * 1103515 + 12345;
    __asm__ volatile("" : "+r"(x)); /* a loop that no compiler can shorten */
  }
  return x;
}

OWN_FUNCTION ERL_NIF_TERM spin(ErlNifEnv *env, const ERL_NIF_TERM argv[]) {
  unsigned long count;
  if (!enif_get_ulong(env, argv[0], &count)) return enif_make_badarg(env);
  return enif_make_ulong(env, steps(count) & 0xffff);
}

/* One C function per NIF, each with code of its own after the call, so that none is a tail call
   and no two are folded into one. */
#define NIF(NAME, NUMBER)                                                              \
  OWN_FUNCTION ERL_NIF_TERM NAME(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { \
    ERL_NIF_TERM result = spin(env, argv);                                             \
    __asm__ volatile("" : "+r"(result) : "r"(NUMBER), "r"(argc));                      \
    return result;                                                                     \
  }

NIF(spin_short, 1)
NIF(spin_long, 2)
NIF(spin_dirty_cpu, 3)
NIF(spin_dirty_io, 4)
NIF(dirty_part, 5)

/* These end early, as long work does, and have the VM continue it in another function: the first one on the same kind of
   scheduler, the second one on a dirty one. */
OWN_FUNCTION ERL_NIF_TERM second_part(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  ERL_NIF_TERM result = spin(env, argv);
  __asm__ volatile("" : : "r"(result));
  return enif_schedule_nif(env, "dirty_part", ERL_NIF_DIRTY_JOB_CPU_BOUND, dirty_part, argc, argv);
}

OWN_FUNCTION ERL_NIF_TERM first_part(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  ERL_NIF_TERM result = spin(env, argv);
  __asm__ volatile("" : : "r"(result));
  return enif_schedule_nif(env, "second_part", 0, second_part, argc, argv);
}

OWN_FUNCTION ERL_NIF_TERM make_list(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned long count;
  ERL_NIF_TERM list = enif_make_list(env, 0);
  if (argc != 1 || !enif_get_ulong(env, argv[0], &count)) return enif_make_badarg(env);
  for (; count > 0; count--) list = enif_make_list_cell(env, enif_make_ulong(env, count), list);
  return list;
}

static ErlNifFunc functions[] = {NIF_FUNCTIONS};

/* One step more, so that the module's name is expanded before it is made a string. */
#define INIT(MODULE) ERL_NIF_INIT(MODULE, functions, NULL, NULL, NULL, NULL)
INIT(NIF_MODULE)
