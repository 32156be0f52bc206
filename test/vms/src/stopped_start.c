// A VM that is stopped (SIGSTOP) before it has done anything. Preloaded into the programs that start it, which go on.
#include <signal.h>
#include <stdio.h>
#include <string.h>

__attribute__((constructor)) static void stop_vm(void) {
    char name[32] = "";
    FILE *file = fopen("/proc/self/comm", "r");
    if (file == NULL) return;
    if (fgets(name, sizeof name, file) != NULL && strcmp(name, "beam.smp\n") == 0) raise(SIGSTOP);
    fclose(file);
}
