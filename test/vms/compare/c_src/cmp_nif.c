/* Native work: what it is given, times a thousand. */
#include <erl_nif.h>

#define ROUNDS 1000

static ERL_NIF_TERM work(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned long count, x = 1;
  if (argc != 1 || !enif_get_ulong(env, argv[0], &count)) {
    return enif_make_badarg(env);
  }
  for (unsigned long i = 0; i < count * ROUNDS; i++) {
    x = ((x * 1103515 + 12345) ^ (x >> 7)) * 2654435761u % 4294967291u;
  }
  return enif_make_ulong(env, x & 0xff);
}

static ErlNifFunc functions[] = {{"work", 1, work, 0}};

ERL_NIF_INIT(cmp_nif, functions, NULL, NULL, NULL, NULL)
