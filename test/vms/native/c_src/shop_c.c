/* A NIF whose hot lines are known: a comment above each says in which function it is. The project
   of this folder is built by native.mjs and run by tests. */
#include <erl_nif.h>

typedef unsigned long word;

/* Goes into its caller, which debug information tells. */
static inline __attribute__((always_inline)) word mixed(word x) {
  /* hot: mixed */
  return ((x * 1103515 + 12345) ^ (x >> 7)) * 2654435761u % 4294967291u;
}

static __attribute__((noinline)) word scored(word count) {
  word x = 1;
  for (word i = 0; i < count; i++) {
    x = mixed(x + i);
  }
  return x;
}

static ERL_NIF_TERM score(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  word count;
  if (argc != 1 || !enif_get_ulong(env, argv[0], &count)) {
    return enif_make_badarg(env);
  }
  return enif_make_ulong(env, scored(count) & 0xffff);
}

static ErlNifFunc functions[] = {{"score", 1, score, 0}};

ERL_NIF_INIT(shop_c, functions, NULL, NULL, NULL, NULL)
