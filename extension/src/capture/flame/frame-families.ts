// The work of native and kernel functions, by which a page names a run of them that it draws as one frame.

import { FOLDINGS, type FlameData } from "../../../../contract/flame-data.js";
import { baseName, nativeGroupOf } from "../answers/native-query.js";
import type { FunctionFacts } from "../questions.js";

interface FrameFamily {
  readonly folding: (typeof FOLDINGS)[number];
  /** See `FlameData.functionFamilies`. */
  readonly family: string;
}

const NONE: FrameFamily = { folding: "none", family: "" };

/** Where threads of the VM begin: everything from the start of the thread to here is the same for all of its work. */
const THREAD_BASES = new Set([
  "clone",
  "clone3",
  "start_thread",
  "thread_start",
  "thr_wrapper",
  "thread_wrapper",
  "sched_thread_func",
  "sched_dirty_cpu_thread_func",
  "sched_dirty_io_thread_func",
  "erts_dirty_process_main",
  "async_main",
  "aux_thread",
  "poll_thread",
]);

/** Functions that pick what runs next, and in which a scheduler waits for it. */
const SCHEDULING =
  /^(?:(?:erts_)?schedule|process_main|scheduler_wait|sched_(?:spin|cnd)_wait|sched_yield|syscall|epoll_p?wait|p?poll|select)$|^erts_(?:port_task_|poll_wait|check_io)|^global::(?:process_main|context_switch|do_schedule)|^ethr_event_/;

/** The kernel's work by the names of its functions; the network before all others, as files and sockets share their system calls. */
const KERNEL_WORK: readonly (readonly [family: string, names: RegExp])[] = [
  [
    "kernel:network",
    /^(?:__(?:x64|arm64)_sys_(?:send|recv|socket|connect|accept|bind|listen|shutdown|[gs]etsockopt|getpeername|getsockname)|__sys_(?:send|recv|connect|accept)|sock_|tcp_|udp_|inet6?_|ip6?_|net_rx_action|unix_stream_|unix_dgram_|skb_)/,
  ],
  [
    "kernel:memory",
    /^(?:asm_exc_page_fault$|exc_page_fault$|do_user_addr_fault$|handle_mm_fault$|do_page_fault$|el0_[di]abort$|__(?:x64|arm64)_sys_(?:mmap|munmap|mremap|madvise|mprotect|brk|mlock)|ksys_mmap|vm_mmap|__vm_munmap)/,
  ],
  [
    "kernel:files",
    /^(?:__(?:x64|arm64)_sys_(?:p?readv?|p?writev?|pread64|pwrite64|open|close|f?sync|fdatasync|f?stat|newf?stat|statx|lseek|ftruncate|unlink|rename|getdents|sendfile|splice)|ksys_(?:read|write|pread|pwrite)|vfs_|do_sys_open)/,
  ],
  [
    "kernel:waiting",
    /^(?:__(?:x64|arm64)_sys_(?:futex|epoll|p?poll|p?select|nanosleep|clock_nanosleep|sched_yield|timerfd|eventfd)|do_futex|do_epoll|schedule$|__schedule$)/,
  ],
  ["kernel:interrupts", /^(?:asm_sysvec_|asm_common_interrupt|common_interrupt|asm_exc_nmi|el0_irq|el0t_64_irq)/],
];

const known = new WeakMap<FunctionFacts, FrameFamily>();

/** For the functions of a graph, in their order; undefined: no function, but the root, a group or something else that is never folded. */
export function foldColumns(
  functions: readonly (FunctionFacts | undefined)[],
): Required<Pick<FlameData, "functionFolding" | "functionFamilies">> {
  const families = functions.map((facts) => (facts === undefined ? NONE : familyOf(facts)));
  return {
    functionFolding: Uint8Array.from(families, ({ folding }) => FOLDINGS.indexOf(folding)),
    functionFamilies: families.map(({ family }) => family),
  };
}

export function familyOf(facts: FunctionFacts): FrameFamily {
  let family = known.get(facts);
  if (family === undefined) known.set(facts, (family = newFamilyOf(facts)));
  return family;
}

function newFamilyOf({ name, kind, object }: FunctionFacts): FrameFamily {
  const group = () => nativeGroupOf(name)?.sampleClass;
  switch (kind) {
    case "bif":
      return { folding: "none", family: group() ?? "" };
    case "fragment":
      return { folding: "native", family: SCHEDULING.test(name) ? "scheduler" : (group() ?? "fragment") };
    case "nif":
      return { folding: "native", family: group() ?? `nif:${object}` };
    case "native": {
      const base = baseName(name);
      if (THREAD_BASES.has(base)) return { folding: "base", family: "scheduler" };
      return { folding: "native", family: SCHEDULING.test(base) ? "scheduler" : (group() ?? "runtime") };
    }
    case "kernel":
      return { folding: "kernel", family: KERNEL_WORK.find(([, names]) => names.test(name))?.[0] ?? "kernel" };
    default:
      return NONE;
  }
}
