/* Tells for how long the thread it runs on is held up, and how often: it reads the processor's
   clock again and again, and what lies between two readings is a stop. */
#include <erl_nif.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

#define MAX_STOPS 4096

static unsigned long long clock_ticks(void) {
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return ((unsigned long long)high << 32) | low;
}

/* watch(Nanoseconds, ShortestNanoseconds) -> {WatchedNanoseconds, [StopNanoseconds]} */
static ERL_NIF_TERM watch(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  static __thread unsigned long long stops[MAX_STOPS];
  unsigned long wanted_ns, shortest_ns;
  if (argc != 2 || !enif_get_ulong(env, argv[0], &wanted_ns) || !enif_get_ulong(env, argv[1], &shortest_ns))
    return enif_make_badarg(env);

  /* How many ticks a nanosecond has follows from both clocks over the whole time; until then the
     shortest stop is taken as if there were one. */
  ErlNifTime began = enif_monotonic_time(ERL_NIF_NSEC), now = began;
  unsigned long long first = clock_ticks(), before = first;
  unsigned count = 0;
  do {
    for (unsigned i = 0; i < 10000; i++) {
      unsigned long long after = clock_ticks();
      if (after - before > shortest_ns && count < MAX_STOPS) stops[count++] = after - before;
      before = after;
    }
    now = enif_monotonic_time(ERL_NIF_NSEC);
    before = clock_ticks();
  } while ((unsigned long)(now - began) < wanted_ns);

  double ns_per_tick = (double)(now - began) / (double)(before - first);
  ERL_NIF_TERM list = enif_make_list(env, 0);
  while (count > 0) {
    double ns = (double)stops[--count] * ns_per_tick;
    if (ns >= (double)shortest_ns) list = enif_make_list_cell(env, enif_make_ulong(env, (unsigned long)ns), list);
  }
  return enif_make_tuple2(env, enif_make_ulong(env, (unsigned long)(now - began)), list);
}

static ErlNifFunc functions[] = {{"watch", 2, watch, 0}};
ERL_NIF_INIT(bench_stops, functions, NULL, NULL, NULL, NULL)
