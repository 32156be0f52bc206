// A NIF whose time is spent in static functions: no table and no dynamic symbol names them.
#include <erl_nif.h>

#define HIDDEN __attribute__((noinline, noclone)) static

HIDDEN unsigned hidden_inner_loop(unsigned value, unsigned long rounds) {
    for (unsigned long i = 0; i < rounds; i += 1) {
        value = value * 1103515245u + 12345u;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

HIDDEN unsigned hidden_outer(unsigned long rounds) {
    unsigned value = 1;
    for (int i = 0; i < 10; i += 1) {
        value = hidden_inner_loop(value, rounds);
        __asm__ volatile("" : "+r"(value)); // no tail call
    }
    return value;
}

static ERL_NIF_TERM spin(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    unsigned long rounds = 0;
    (void)argc;
    if (!enif_get_ulong(env, argv[0], &rounds)) return enif_make_badarg(env);
    return enif_make_uint(env, hidden_outer(rounds));
}

static ErlNifFunc functions[] = {{"spin", 1, spin, 0}};

ERL_NIF_INIT(gt_names, functions, NULL, NULL, NULL, NULL)
