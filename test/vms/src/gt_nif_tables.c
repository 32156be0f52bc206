// NIFs as most libraries write them: static functions, nothing exported but nif_init.
#include <erl_nif.h>

static inline __attribute__((always_inline)) ERL_NIF_TERM spin(ErlNifEnv *env, const ERL_NIF_TERM argument, unsigned step) {
    unsigned long rounds = 0;
    unsigned value = 1;
    if (!enif_get_ulong(env, argument, &rounds)) return enif_make_badarg(env);
    for (unsigned long i = 0; i < rounds; i += 1) {
        value = value * 1103515245u + step;
        __asm__ volatile("" : "+r"(value));
    }
    return enif_make_uint(env, value);
}

// Each has the loop inlined: its time is its own.
#define NIF(name, step) \
    static __attribute__((noinline)) ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) { \
        (void)argc; \
        return spin(env, argv[0], step); \
    }

NIF(busy, 12345u)
NIF(busy_dirty, 54321u)

// One C function of two Erlang functions.
NIF(shared, 7u)

static ErlNifFunc functions[] = {
    {"busy", 1, busy, 0},
    {"busy_dirty", 1, busy_dirty, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"shared_a", 1, shared, 0},
    {"shared_b", 1, shared, 0},
};

ERL_NIF_INIT(gt_nif_tables, functions, NULL, NULL, NULL, NULL)
