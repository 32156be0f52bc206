/* A driver whose callbacks compute or sleep: those that a process calls, and one that the VM calls as a task of the port. */
#include <erl_driver.h>
#include <string.h>
#include <time.h>

#define OWN_FUNCTION static __attribute__((noinline))

OWN_FUNCTION unsigned long driver_steps(unsigned long count) {
  unsigned long x = 1;
  while (count-- > 0) {
    x = x * 1103515 + 12345;
    __asm__ volatile("" : "+r"(x)); /* a loop that no compiler can shorten */
  }
  return x;
}

/* Each callback has code of its own after the call, so that none is a tail call. */
OWN_FUNCTION void driver_works(int number) {
  unsigned long x = driver_steps(300000);
  __asm__ volatile("" : "+r"(x) : "r"(number));
}

OWN_FUNCTION void driver_sleeps(time_t seconds) {
  struct timespec pause = {seconds, 0};
  /* From OTP 26 on the VM has a handler of SIGCONT, which ends a sleep. */
  while (nanosleep(&pause, &pause) != 0) continue;
  __asm__ volatile("");
}

static ErlDrvData start(ErlDrvPort port, char *command) {
  (void)command;
  return (ErlDrvData)port;
}

static void on_output(ErlDrvData data, char *bytes, ErlDrvSizeT length) {
  (void)data, (void)bytes, (void)length;
  driver_works(1);
  __asm__ volatile("");
}

static int sleeps_in_task;
/* Processor time of tasks, all ports together. */
static unsigned long task_ns;

static unsigned long thread_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (unsigned long)now.tv_sec * 1000000000ul + (unsigned long)now.tv_nsec;
}

/* 4: the processor time of tasks so far. 0: computes; 1: sleeps; 2: works as a task of its port now and then, for ever; 3: sleeps in such a task. */
static ErlDrvSSizeT on_control(ErlDrvData data, unsigned int operation, char *bytes, ErlDrvSizeT length, char **reply, ErlDrvSizeT room) {
  (void)bytes, (void)length;
  if (operation == 4 && room >= sizeof task_ns) {
    unsigned long used = __atomic_load_n(&task_ns, __ATOMIC_RELAXED);
    memcpy(*reply, &used, sizeof used);
    return sizeof used;
  }
  if (operation == 1) driver_sleeps(600);
  else if (operation >= 2) {
    sleeps_in_task = operation == 3;
    driver_set_timer((ErlDrvPort)data, 1);
  }
  else driver_works(2);
  __asm__ volatile("");
  return 0;
}

static void on_timeout(ErlDrvData data) {
  unsigned long began = thread_ns();
  if (sleeps_in_task) driver_sleeps(600);
  driver_works(3);
  driver_set_timer((ErlDrvPort)data, 5);
  __atomic_fetch_add(&task_ns, thread_ns() - began, __ATOMIC_RELAXED);
  __asm__ volatile("");
}

static ErlDrvEntry entry = {
    .start = start,
    .output = on_output,
    .driver_name = "gt_driver",
    .control = on_control,
    .timeout = on_timeout,
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = 3, /* which every OTP from 21 on loads */
    .driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
};

DRIVER_INIT(gt_driver) { return &entry; }
