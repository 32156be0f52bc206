/* A library that the VM has not loaded: one of gt_resources has its function as a destructor. */
void free_glyph(void *env, void *object);

void free_glyph(void *env, void *object) {
  unsigned long x = 1;
  for (unsigned long count = 1000000; count > 0; count--) {
    x = x * 1103515 + 12345;
    __asm__ volatile("" : "+r"(x)); /* a loop that no compiler can shorten */
  }
  (void)env;
  (void)object;
}
