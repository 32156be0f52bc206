// A thread of a NIF that has each job done by a thread of its own, which lives for a few milliseconds.
#include <erl_nif.h>
#include <pthread.h>
#include <time.h>

#define STEP __attribute__((noinline, noclone)) static
#define JOB_NS 3000000

static long used_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

STEP void *brief_job(void *unused) {
    (void)unused;
    unsigned value = 1;
    while (used_ns() < JOB_NS) {
        for (unsigned i = 0; i < 20000; i += 1) {
            value = value * 1103515245u + 12345u;
            __asm__ volatile("" : "+r"(value));
        }
    }
    return NULL;
}

STEP void *brief_starter(void *unused) {
    struct timespec pause = {0, 3000000};
    (void)unused;
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, brief_job, NULL) == 0) pthread_join(thread, NULL);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static ERL_NIF_TERM start(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
    pthread_t thread;
    (void)argc;
    (void)argv;
    return enif_make_int(env, pthread_create(&thread, NULL, brief_starter, NULL));
}

static ErlNifFunc functions[] = {{"start", 0, start, 0}};

ERL_NIF_INIT(gt_brief_threads, functions, NULL, NULL, NULL, NULL)
