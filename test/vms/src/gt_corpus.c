/* The NIFs of gt_nif under another module's name. */
#define NIF_MODULE gt_corpus
#define NIF_FUNCTIONS                                              \
  {"spin_long", 1, spin_long, 0},                                  \
  {"spin_dirty_cpu", 1, spin_dirty_cpu, ERL_NIF_DIRTY_JOB_CPU_BOUND},
#include "gt_nif.c"
