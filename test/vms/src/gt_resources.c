/* Resources whose destructors take time: two types with a destructor of their own, two that share one, and one with a
   destructor of another library. Version 2.14 of the interface, which every OTP from 21 on loads, whatever headers this
   is compiled with. */
#include <dlfcn.h>
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

/* The last one's is found in the other library. */
static struct {
  const char *name;
  ErlNifResourceDtor *destructor;
} kinds[] = {
    {"picture", free_picture}, {"Font", free_font}, {"brush", free_either}, {"pen", free_either}, {"glyph", NULL}};
enum { COUNT = sizeof kinds / sizeof *kinds };
static ErlNifResourceType *types[COUNT];

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info) {
  (void)data;
  char library[4096];
  if (enif_get_string(env, info, library, sizeof library, ERL_NIF_LATIN1) <= 0) return 1;
  void *glyphs = dlopen(library, RTLD_NOW);
  if (glyphs == NULL) return 1;
  kinds[COUNT - 1].destructor = (ErlNifResourceDtor *)dlsym(glyphs, "free_glyph");
  if (kinds[COUNT - 1].destructor == NULL) return 1;
  for (int kind = 0; kind < COUNT; kind++) {
    types[kind] =
        enif_open_resource_type(env, NULL, kinds[kind].name, kinds[kind].destructor, ERL_NIF_RT_CREATE, NULL);
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
