// A thread of a NIF that has each job done by a thread of its own, which lives for a few milliseconds.
#include <erl_nif.h>
#include <pthread.h>
#include <time.h>

/* Version 2.14 of the interface, which every OTP from 21 on loads, whatever headers this is compiled with. */
#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

#define STEP __attribute__((noinline, noclone)) static
#define JOB_NS 3000000
#define VARIED_NS 4000000

/* Jobs of VARIED_NS to three times as much, by chance: all of one length would be in step with a clock that samples them. */
static int are_varied;
static long jobs_ns;

static long used_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

STEP void *brief_job(void *lasts_ns) {
    unsigned value = 1;
    while (used_ns() < (long)lasts_ns) {
        for (unsigned i = 0; i < 20000; i += 1) {
            value = value * 1103515245u + 12345u;
            __asm__ volatile("" : "+r"(value));
        }
    }
    __atomic_fetch_add(&jobs_ns, used_ns(), __ATOMIC_RELAXED);
    return NULL;
}

STEP void *brief_starter(void *unused) {
    struct timespec pause = {0, 3000000};
    unsigned chance = 1;
    (void)unused;
    for (;;) {
        pthread_t thread;
        chance = chance * 1103515245u + 12345u;
        long lasts_ns = are_varied ? VARIED_NS + (long)(chance >> 8) % (2 * VARIED_NS) : JOB_NS;
        if (pthread_create(&thread, NULL, brief_job, (void *)lasts_ns) == 0) pthread_join(thread, NULL);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static ERL_NIF_TERM start(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    pthread_t thread;
    (void)argc;
    if (!enif_get_int(env, argv[0], &are_varied)) return enif_make_badarg(env);
    return enif_make_int(env, pthread_create(&thread, NULL, brief_starter, NULL));
}

static ERL_NIF_TERM used(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    (void)argc;
    (void)argv;
    return enif_make_long(env, __atomic_load_n(&jobs_ns, __ATOMIC_RELAXED));
}

static ErlNifFunc functions[] = {{"start", 1, start, 0}, {"used", 0, used, 0}};

ERL_NIF_INIT(gt_brief_threads, functions, NULL, NULL, NULL, NULL)
