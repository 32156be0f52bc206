// Threads that a NIF starts and does not name: they inherit the name of the scheduler that starts them.
#include <erl_nif.h>
#include <pthread.h>

#define STEP __attribute__((noinline, noclone)) static

STEP unsigned pool_step(unsigned value, unsigned long rounds) {
    for (unsigned long i = 0; i < rounds; i += 1) {
        value = value * 1103515245u + 12345u;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

STEP void *pool_thread(void *unused) {
    unsigned value = 1;
    (void)unused;
    for (;;) {
        value = pool_step(value, 100000);
        __asm__ volatile("" : "+r"(value)); // no tail call
    }
    return NULL;
}

static ERL_NIF_TERM grow(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    pthread_t thread;
    (void)argc;
    (void)argv;
    return enif_make_int(env, pthread_create(&thread, NULL, pool_thread, NULL));
}

static ERL_NIF_TERM work(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    (void)argc;
    (void)argv;
    return enif_make_uint(env, pool_step(1, 1000000));
}

static ErlNifFunc functions[] = {
    {"grow", 0, grow, 0},
    {"grow_dirty", 0, grow, ERL_NIF_DIRTY_JOB_CPU_BOUND},
    {"work_dirty", 0, work, ERL_NIF_DIRTY_JOB_CPU_BOUND},
};

ERL_NIF_INIT(gt_pool, functions, NULL, NULL, NULL, NULL)
