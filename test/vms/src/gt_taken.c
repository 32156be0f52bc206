/* A NIF that takes memory from the C library and keeps it: no allocator of the VM has it. Of the interface as in gt_nif.c. */
#include <erl_nif.h>
#include <stdlib.h>
#include <string.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

/* The last piece, which leads to the one before. */
static void **taken;

static ERL_NIF_TERM take(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned long bytes;
  (void)argc;
  if (!enif_get_ulong(env, argv[0], &bytes) || bytes < sizeof(void *)) return enif_make_badarg(env);
  void **piece = malloc(bytes);
  if (piece == NULL) return enif_make_badarg(env);
  memset(piece, 1, bytes);
  *piece = taken;
  taken = piece;
  return argv[0];
}

static ErlNifFunc functions[] = {{"take", 1, take, 0}};
ERL_NIF_INIT(gt_taken, functions, NULL, NULL, NULL, NULL)
