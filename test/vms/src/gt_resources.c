/* Resources whose destructors take time: two types with a destructor of their own, and two that share one. Version 2.14
   of the interface, which every OTP from 21 on loads, whatever headers this is compiled with. */
#include <erl_nif.h>

#undef ERL_NIF_MINOR_VERSION
#define ERL_NIF_MINOR_VERSION 14
#undef ERL_NIF_MIN_ERTS_VERSION
#define ERL_NIF_MIN_ERTS_VERSION "erts-10.0"

#define OWN_FUNCTION static __attribute__((noinline))

OWN_FUNCTION unsigned long steps(unsigned long count) {
  unsigned long x = 1;
  while (count-- > 0) {
    x = x * 1103515 + 12345;
    __asm__ volatile("" : "+r"(x)); /* a loop that no compiler can shorten */
  }
  return x;
}

/* Each has code of its own after the call, so that none is a tail call and no two are folded into one. */
#define DESTRUCTOR(NAME, NUMBER)                              \
  OWN_FUNCTION void NAME(ErlNifEnv *env, void *object) {      \
    unsigned long result = steps(1000000);                    \
    __asm__ volatile("" : "+r"(result) : "r"(NUMBER));        \
    (void)env;                                                \
    (void)object;                                             \
  }

DESTRUCTOR(free_picture, 1)
DESTRUCTOR(free_font, 2)
DESTRUCTOR(free_either, 3)

static const struct {
  const char *name;
  ErlNifResourceDtor *destructor;
} KINDS[] = {{"picture", free_picture}, {"Font", free_font}, {"brush", free_either}, {"pen", free_either}};
enum { COUNT = sizeof KINDS / sizeof *KINDS };
static ErlNifResourceType *types[COUNT];

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
  (void)data;
  (void)info;
  for (int kind = 0; kind < COUNT; kind++) {
    types[kind] =
        enif_open_resource_type(env, NULL, KINDS[kind].name, KINDS[kind].destructor, ERL_NIF_RT_CREATE, NULL);
    if (types[kind] == NULL) return 1;
  }
  return 0;
}

static ERL_NIF_TERM make(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  unsigned kind;
  if (argc != 1 || !enif_get_uint(env, argv[0], &kind) || kind >= COUNT) return enif_make_badarg(env);
  void *object = enif_alloc_resource(types[kind], 16);
  ERL_NIF_TERM term = enif_make_resource(env, object);
  enif_release_resource(object);
  return term;
}

/* In a process, whose time it is. */
static ERL_NIF_TERM call(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[]) {
  (void)argc;
  (void)argv;
  free_picture(env, NULL);
  return enif_make_uint(env, 0);
}

static ErlNifFunc functions[] = {{"make", 1, make, 0}, {"call", 0, call, 0}};

ERL_NIF_INIT(gt_resources, functions, load, NULL, NULL, NULL)
