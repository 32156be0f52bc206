// Generated from native-helper/crates/service/protocol. Do not edit. To write it again, in native-helper/:
// cargo run -p protocol --example generate-types > ../contract/protocol.generated.ts

/** Grows with every change that a peer of the version before cannot ignore. */
export const PROTOCOL_VERSION = 1;

/** Longest message body either side may send, bytes. */
export const MAX_MESSAGE_BYTES = 16777216;

/** Most samples per second and thread. */
export const MAX_FREQUENCY_HZ = 10000;

export const ErrorCodes = {
  /** The body is no JSON, or the framing is broken. */
  parseError: -32700,
  /** JSON, but no request; or a request that may not come now. */
  invalidRequest: -32600,
  /** No such method. */
  methodNotFound: -32601,
  /** The parameters do not fit the method; `why` names the member. */
  invalidParams: -32602,
  /** A mistake in the helper. */
  internalError: -32603,
  /** A request came before `initialize`. */
  serverNotInitialized: -32002,
  /** The client cancelled the request. */
  requestCancelled: -32800,
  /** Another reason, given in `data`. */
  failed: 1001,
  /** No such process, or it is no BEAM. */
  noSuchTarget: 1003,
  /** The system does not permit it. */
  notPermitted: 1004,
  /** The target exited. */
  targetGone: 1005,
  /** Client and helper speak different versions of the protocol. */
  versionMismatch: 1006,
  /** Too many requests wait for their answers. */
  tooManyRequests: 1007,
} as const;

/** Messages of the helper, by code: English for users of an editor, with arguments by name in braces. */
export const HelperMessages = {
  noProcess: "there is no process {pid}",
  isThread: "{tid} is a thread of process {pid}, not a process of its own",
  toNameProcess: "name the process: {pid}",
  processNotShown: "there is no process {pid}, or /proc does not show it to you: it hides processes of other users (hidepid)",
  noProc: "/proc is missing: all information about processes comes from it",
  noErlangProcess: "process {pid} has no Erlang process {process}",
  neverRests: "the Erlang process {process} did not rest for a copy of its heap, for a second or longer: it is alive, and works or waits for a processor",
  heapNotCopied: "the heap of the Erlang process {process} cannot be read: {detail}",
  heapTookTooLong: "the heap of the Erlang process {process} was not read completely after {seconds} seconds",
  heapUnknown: "the heap of the Erlang process {process} does not have the layout that is known for this release",
  notAVm: "process {pid} is not an Erlang VM",
  mayNotBeRead: "process {pid} may not be read: {detail}",
  notYours: "process {pid} is not yours: it belongs to {owner}, and you are {caller}",
  protectedProcess: "process {pid} has rights that {owner} does not have, and is not read",
  policyRefused: "process {pid} is not yours: it belongs to {owner}, and the policy that could allow it does not count: {detail}",
  notCertain: "the process cannot be identified for certain: {detail}",
  notLockedIn: "rights that are not needed cannot be dropped: {detail}",
  processReplaced: "process {pid} runs another program now",
  processEnded: "process {pid} has ended",
  stillStarting: "process {pid} has been running for {seconds} s and may still be starting: {detail}",
  vmUnreadable: "this VM cannot be read: {detail}",
  targetTooLarge: "process {pid} is too large to read: {detail}",
  emulatorUnreadable: "the emulator's binary cannot be read: {detail}",
  procUnreadable: "the system's information about the process cannot be read: {detail}",
  readingWentWrong: "reading process {pid} failed: an error in the profiler; please report it",
  samplingDenied: "sampling is not allowed: {detail}",
  noSampling: "sampling is not possible: {detail}",
  noBpfEngine: "the bpf engine cannot be used: {detail}",
  cannotRecord: "the VM cannot be sampled: {detail}",
  fileFailed: "the capture file cannot be written: {detail}",
  fileExists: "the capture file cannot be written: {path} already exists",
  fileIsLink: "the capture file cannot be written: {path} is a symbolic link, which is not followed",
  fileOfOtherUser: "the capture file cannot be written: {path} belongs to another user, who could read the capture",
  fileHasOtherName: "the capture file cannot be written: {path} has another name, too, under which the capture would appear",
  fileOfOtherKind: "the capture file cannot be written: {path} already exists and is not a file",
  fileIsUnreadPipe: "the capture file cannot be written: {path} is a pipe without a reader",
  fileIsFolder: "the capture file cannot be written: {path} is a folder",
  fileReplaced: "the capture file cannot be written: {path} was replaced by another file, which is not touched",
  fileLimitMet: "the capture file cannot grow further: {path} meets a limit on the size of files; its first {bytes} bytes are a valid capture",
  fileLimitMetAtOnce: "the capture file cannot be written: {path} meets a limit on the size of files while it is still empty",
  noSpaceAtAll: "the capture file cannot be written: there is no space for {path}, which is still empty",
  noSpaceLeft: "the capture file cannot be written: no space left for {path}; its first {bytes} bytes are a valid capture",
  notACapture: "this cannot be read as a capture: {detail}",
  notAllThere: "not all requirements are met: {checks}",
  whyOthersProcess: "it belongs to another user, or ptrace access is restricted",
  whyOwnVmsOnly: "this helper has rights that you do not have, and uses them for your own VMs only",
  whyNotGuessed: "nothing was read, because the place of its fields would be a guess",
  whyTooLarge: "no Erlang VM is so large; it may be another program with the name of one",
  vmStopped: "process {pid} is halted: a signal has stopped it",
  vmTraced: "process {pid} is halted: a debugger (process {debugger}) holds it",
  vmFrozen: "process {pid} is halted: its control group is frozen, as by `docker pause`",
  whetherHaltedUnknown: "it is not known whether process {pid} is halted: the kernel shows neither its control group nor where it waits",
  toResume: "resume it: {command}",
  toLetGo: "let the debugger resume or detach it",
  toThaw: "thaw it where it was frozen",
  toSeeWhetherHalted: "root sees where it waits",
  noAnswer: "process {pid} could not be read within {seconds} s; it may have mapped a file that does not answer",
  stillReading: "process {pid} could not be read within {seconds} s: this machine is overloaded; the process that reads it is still at work, or waits for a processor",
  samplerNotStarted: "the sampling process cannot be started: {detail}",
  samplerLost: "the sampling process has exited: {detail}",
  lookFailed: "reading process {pid} failed: {detail}",
  whyPerfRefused: "kernel.perf_event_paranoid, a missing capability or a seccomp filter",
  whyAsksForAdmin: "this kernel requires CAP_SYS_ADMIN while kernel.perf_event_paranoid is above 2, as those of Debian and Ubuntu do",
  toLowerParanoid: "have root set it to 2, the kernel's own default: {command}",
  toSeeVms: "the Targets view lists the VMs here",
  toMountProc: "mount it: mount -t proc proc /proc",
  toShowProcesses: "have root mount /proc with hidepid=0, which shows them",
  toSeeWork: "a capture of {pid} shows its activity; its heap can be read when it waits",
  toSeeSizes: "the list of the processes of {pid} shows its sizes and the binaries that it holds",
  toSeeProcesses: "refresh the processes of {pid}",
  toGiveRights: "install the helper that has the right to, once: {command}",
  toJoinGroup: "the installed helper has the right, and is for members of its group: {command}, then log in again",
  toGiveRightsForOthers: "install the helper that has the right to, once: {command}, and have root allow it in {path}: [users] {caller} = [\"{owner}\"]",
  toAllowByPolicy: "have root allow it in {path}: [users] {caller} = [\"{owner}\"]",
  toRunAsRoot: "have root profile it from a terminal",
  toMendPolicy: "have root fix it: {command}",
  toUseReadv: "set extrospect.engine to readv, or install the helper that has the right to, once: {command}",
  toUseOtherEngine: "set extrospect.engine to readv; the command “Extrospect: Check Permissions and Setup” shows how to give this one its rights",
  toWritePolicy: "this copy already has its rights: it reads your own VMs, and root allows those of other users in {path}",
  toTryLater: "try again shortly",
  toSeeWhy: "its message is the reason; the command “Extrospect: Check Permissions and Setup” shows further missing requirements",
  toSampleAgain: "start again; the samples captured until then are kept",
  toAskDoctorFound: "the command “Extrospect: Check Permissions and Setup” shows the findings",
  toAskDoctorMissing: "the command “Extrospect: Check Permissions and Setup” shows the missing requirements",
  toAskDoctor: "the command “Extrospect: Check Permissions and Setup” shows the requirements of sampling",
  toReadRows: "each failing row names the command that fixes it",
  toStartWithoutHipe: "run it on an emulator without HiPE to profile it (Debian: erlang-base)",
  toStartUsual: "start it without -emu_type to profile it",
  toMakeFilesAnswer: "find the files that it maps (/proc/{pid}/maps), make their file systems answer or unmount them, and try again",
  toFreeProcessors: "try again when other programs leave a processor free",
  toLookFirst: "check first which program it runs",
  toReplaceFile: "rename or remove the file that is there",
  toNameFile: "name a file in {path}",
  toRaiseOpenFiles: "raise the limit of open files, which is {limit}, in the shell that starts the editor: ulimit -n 65536",
  toRaiseAllFiles: "all programs together have too many files open: sudo sysctl fs.file-max=1000000",
  toFreeMemory: "free memory, or raise the limits in the shell that starts the editor: ulimit -d unlimited -v unlimited",
  toRaiseProcesses: "raise the limit on processes in the shell that starts the editor: ulimit -u unlimited",
  toRaiseMemoryOrProcesses: "raise the limits on memory and processes in the shell that starts the editor: ulimit -v unlimited -u unlimited",
  toRemoveFile: "remove it, or choose another folder for captures (extrospect.capture.folder)",
  toRaiseFileLimit: "raise the limit in the shell that starts the editor: ulimit -f unlimited",
  toFreeRoom: "free some room, or choose another folder for captures (extrospect.capture.folder)",
  toChoosePlace: "choose another folder for captures (extrospect.capture.folder)",
  toGiveCapture: "use a capture (*.pb.gz) or another pprof profile",
  toAttachRunning: "attach to a process that runs",
  toStopTracing: "end it where it was begun: dbg, a debugger, eprof, tprof or recon_trace",
  toRaiseQuota: "raise the quota of its control group, or start the VM with fewer schedulers (+S)",
  toGetNames: "install the debug packages of process {pid} (Debian: apt install PACKAGE-dbgsym), or set extrospect.debuginfod.fetch to always: files are fetched by build id, which a server thereby learns",
  toBootPerf: "boot a kernel with CONFIG_PERF_EVENTS",
  toAllowContainer: "docker run --cap-add=PERFMON --cap-add=SYS_PTRACE --security-opt seccomp=unconfined ... (or run outside the container; without a container, let the program that starts it keep these capabilities: CapabilityBoundingSet= in a unit of systemd)",
  toLeaveNamespace: "run it outside the user namespace: VMs of containers are visible from there",
  toLeaveSandbox: "start the editor where programs may get rights: it was started with no_new_privs (a sandbox, systemd's NoNewPrivileges, a container's no-new-privileges)",
  toStartCopy: "reload the window: the installed copy has the right ({path}) and then starts",
  toBootUnlocked: "boot with lockdown=integrity on the kernel's command line: it cannot be lowered while the machine runs",
  toAllowSelinux: "find the refused access (sudo ausearch -m AVC -c extrospect) and allow only that (audit2allow), or run it outside the container",
  toAllowApparmor: "add to the profile: capability perfmon, capability bpf, capability sys_ptrace, ptrace (read); for a container: --security-opt apparmor=unconfined",
  detachedNameTaken: "a detached capture {name} already exists",
  noDetachedName: "a detached capture cannot be called {name}",
  whyNoDetachedName: "its name must be at most 64 letters, digits and . _ - + @, with a letter or a digit first",
  noDetachedCapture: "there is no detached capture {name}",
  detachedGoesOn: "the detached capture {name} is still running",
  detachedNotEnded: "the detached capture {name} was stopped, but has not ended yet",
  detachedUnreadable: "the detached capture {name} cannot be read: {detail}",
  detachedNotKept: "there is no place for the detached capture {name}: {detail}",
  detachedNotStarted: "the recording process of {name} ended before it began: {detail}",
  toChooseName: "choose another name",
  toChooseNameOrRemove: "choose another name, or delete {name}",
  toListDetached: "refresh the list",
  toStopDetached: "stop {name} first",
  toMendStateFolder: "make sure that ~/.local/state/extrospect is your own folder and has free space",
  workNotCounted: "the work cannot be counted: {detail}",
  whyCountFirst: "the counter is read before sampling begins, and nothing was recorded",
  toMendWorkCommand: "run the command yourself: it must print one number within ten seconds (extrospect.capture.workCommand)",
  toMendWorkMetric: "open the page in a browser: it must contain the metric in the Prometheus text format (extrospect.capture.workMetric)",
  checkSampling: "sampling",
  checkToSample: "capability to sample",
  checkToRead: "capability to read",
  checkLockedMemory: "locked memory",
  checkOpenFiles: "open files",
  checkEvent: "event",
  checkExact: "exact stacks (bpf)",
  checkRealtime: "real-time priority",
  checkKernelSymbols: "kernel symbols",
  checkCNames: "names of C functions",
  checkUserNamespace: "user namespace",
  checkLockdown: "kernel lockdown",
  checkInstalledCopy: "installed copy",
  needCopy: "none, or one of exactly this version, and you in its group",
  foundNoCopy: "none ({path})",
  foundCopyNotForYou: "{path}, which you may not start",
  foundSameCopy: "{path}, version {version}, this very program",
  foundIsCopy: "this very program, in a folder of its own",
  foundPolicySays: "your own VMs, and those of others that root's policy allows",
  foundOtherCopy: "{path}, version {version}, not this program",
  checkAttach: "attach",
  checkRuns: "state of this VM",
  checkTracing: "call tracing",
  checkProcessTracing: "process tracing",
  checkQuota: "processor quota",
  checkSchedulers: "schedulers online",
  checkThisVm: "sampling this VM",
  needEvents: "events can be opened (tried on this process)",
  needParanoid: "2 or less for your own VMs, 1 or less to see kernel time, or CAP_PERFMON",
  needPerfmon: "CAP_PERFMON to sample VMs of other users and kernel time",
  needPtrace: "CAP_SYS_PTRACE to read VMs of other users (nothing is traced)",
  needYama: "0 or no Yama, or CAP_SYS_PTRACE (1 or 2)",
  needUserNamespace: "that of the machine: the kernel accepts CAP_PERFMON, CAP_BPF, CAP_SYS_NICE and CAP_IPC_LOCK in no other",
  needLockdown: "none or integrity; nothing of the kernel's memory is read",
  needSelinux: "not enforcing, or a domain that has perf_event, bpf and sys_ptrace",
  needApparmor: "no profile, or one that has the capabilities and ptrace (read)",
  needUnprivilegedBpf: "any value",
  needSeccomp: "no filter, or one that lets perf_event_open and process_vm_readv through",
  needRing: "a ring of 516 KiB for each CPU (tried)",
  needFiles: "{files}: {threads} threads x {cpus} CPUs and {others} more",
  needClock: "the clock of the processor, with which all samples stand for the same time",
  needBpf: "the kernel accepts a small eBPF program (tried): Linux 5.8, CAP_BPF and CAP_PERFMON; without it stacks under C code are read right after the sample and some stay unproven",
  needRealtime: "allowed (CAP_SYS_NICE), for the threads that read stacks",
  needKernelSymbols: "readable, for kernel frames only",
  needCNames: "full symbols or debug files of the emulator and of libraries with NIFs and drivers; without them static C functions show an address",
  needVm: "an Erlang VM that the helper may read",
  needRuns: "a VM that runs: any other gives no samples",
  needNotTraced: "no function of the VM is traced: tracing takes time of its own",
  needNoProcessTraced: "no message or event of a process is traced: tracing takes time of its own",
  needQuota: "none, or one that does not throttle the VM: nothing of it runs then",
  needSchedulers: "known, and not blocked by a process: schedulers that are offline or blocked run nothing",
  needEventOnVm: "an event can be opened on it",
  foundUserOnly: "{event}, user code only: time in the kernel is not seen",
  foundWithKernel: "{event} with the kernel's part",
  foundNoPerf: "absent: no perf events in this kernel",
  foundAsksForAdmin: "{value}, at which this kernel requires CAP_SYS_ADMIN, and CAP_PERFMON is not enough",
  foundNotAsked: "{value}, not required of the helper ({capability})",
  foundIncluded: "CAP_SYS_ADMIN, which includes it",
  foundNoCapability: "neither CAP_PERFMON nor CAP_SYS_ADMIN",
  foundNoPtrace: "no CAP_SYS_PTRACE: only your own VMs can be read",
  foundNotCounted: "{capability}, which does not count in this user namespace",
  foundMachinesNamespace: "that of the machine",
  foundOtherNamespace: "not that of the machine: of the helper's capabilities, only CAP_SYS_PTRACE counts, and only for VMs in it",
  foundNotInForce: "not in force",
  foundUnconfined: "in force, but does not confine the helper",
  foundGuardPasses: "{guard}; sampling works",
  foundGuardPerhaps: "{guard}, which may refuse sampling",
  foundNoDifference: "{value}, which makes no difference: CAP_BPF and CAP_PERFMON are required at any value",
  foundNoYama: "no Yama in this kernel",
  foundYamaNever: "3: no process may be read until the next boot",
  foundYamaDenies: "{scope}: VMs may not be read",
  foundNoFilter: "no filter",
  foundFilterUnknown: "not reported by the kernel; sampling works",
  foundFilterPasses: "a filter that lets perf_event_open through",
  foundFilterRefuses: "a filter, which refuses perf_event_open",
  foundFilterPerhaps: "a filter, which may be what refuses perf_event_open",
  foundMemory: "perf_event_mlock_kb {kib}, locked memory {limit}",
  foundMemoryFree: "perf_event_mlock_kb {kib}, locked memory {limit}, not required of the helper (CAP_IPC_LOCK)",
  foundMemoryUntried: "perf_event_mlock_kb {kib}, locked memory {limit}; not tried: {detail}",
  foundMemoryRefused: "perf_event_mlock_kb {kib}, locked memory {limit}; {detail}",
  foundLimitNotReported: "the limit is not reported",
  foundUnlimited: "unlimited",
  foundClock: "the CPU clock",
  foundNoEvent: "unknown: no event can be opened",
  foundBpfWorks: "bpf works",
  foundReadv: "readv is used: {detail}",
  foundAllowed: "allowed",
  foundNotRealtime: "not allowed: stacks behind C code are read later, and fewer of them are proven",
  foundSymbols: "readable (kptr_restrict {level})",
  foundNoSymbols: "hidden (kptr_restrict {level}): kernel frames have no names",
  foundAllNamed: "full symbols of all code that the VM runs",
  foundNotNamed: "no full symbols of {objects}; DEBUGINFOD_URLS names no server",
  foundNotNamedByServers: "no full symbols of {objects}; DEBUGINFOD_URLS names {servers}",
  foundNotTraced: "none of {functions} functions has a breakpoint",
  foundTracingUnknown: "not known: not all functions of the VM could be looked at",
  foundTraced: "{traced} of {functions} functions have breakpoints: calls of {reported} are reported, of {counted} counted, of {timed} timed, the memory of {measured} is measured",
  foundNoProcessTraced: "none of {processes} processes is traced",
  foundProcessTracingUnknown: "not known: where the processes of this VM have their trace flags, or not all of them could be read",
  foundProcessesTraced: "{traced} of {processes} processes are traced: messages sent of {sends}, messages received of {receives}, events of {events}, scheduling of {scheduling}, garbage collections of {collections}",
  foundSomeProcessesTraced: "{traced} of {processes} processes are traced, and {others} others were not looked at: messages sent of {sends}, messages received of {receives}, events of {events}, scheduling of {scheduling}, garbage collections of {collections}",
  foundNoQuota: "none",
  foundNoQuotaInSight: "none in the control groups in sight",
  foundQuotaUnknown: "not known: its control group is not in sight",
  foundQuota: "processors that its control group allows it: {processors}",
  foundThrottled: "processors that its control group allows it: {processors}; it was throttled in {throttled} of {periods} periods of this check",
  foundSchedulers: "{online} of {all}; dirty CPU schedulers {dirty_online} of {dirty_all}",
  foundSchedulersBlocked: "{online} of {all}; multi-scheduling is blocked by {blockers}",
  foundSchedulersUnknown: "not known: {detail}",
  foundAttached: "attached to {pid} in {ms} ms",
  openDenied: "the kernel does not allow sampling this thread",
  openGone: "the thread is gone",
  openNoSuchEvent: "this machine has no such event",
  openTooManyFiles: "too many open files; raise the limit of open files that the editor is started with",
  openFailed: "perf_event_open: {detail}",
  debugNotAsked: "not queried: {address}",
  debugNoFolder: "there is no folder for debug files: set DEBUGINFOD_CACHE_PATH",
  debugSetUserId: "with set-user-id rights, the helper writes nothing to the folder of a user",
  debugNotOurs: "{path} belongs to another user: set DEBUGINFOD_CACHE_PATH to a folder of your own",
  debugNoCurl: "curl, which fetches them, is not installed (apt install curl)",
  debugCurlNotStarted: "curl cannot be started: {detail}",
  debugTooLarge: "it sends more than {limit} bytes (DEBUGINFOD_MAXSIZE)",
  debugSlow: "it does not answer, or too slowly ({detail})",
  debugUnreachable: "it cannot be reached ({detail})",
  debugNoTimeLeft: "there was no time left for it",
  debugUnproven: "it sends another file: {detail}",
  debugNotWritten: "cannot write the file: {detail}",
  debugNotKept: "it cannot be kept: {detail}",
} as const;

/** Requests, client to helper. */
export interface Requests {
  "initialize": { params: InitializeParams & WorkDoneProgressParams; result: InitializeResult };
  "shutdown": { params: NoParams & WorkDoneProgressParams; result: null };
  "extrospect/list": { params: NoParams & WorkDoneProgressParams; result: ListResult };
  "extrospect/doctor": { params: DoctorParams & WorkDoneProgressParams; result: DoctorResult };
  "extrospect/debugFiles/fetch": { params: DebugFilesParams & WorkDoneProgressParams; result: DebugFilesResult };
  "extrospect/attach": { params: AttachParams & WorkDoneProgressParams; result: AttachResult };
  "extrospect/detach": { params: DetachParams & WorkDoneProgressParams; result: null };
  "extrospect/capture/start": { params: CaptureStartParams & WorkDoneProgressParams; result: CaptureStartResult };
  "extrospect/capture/stop": { params: CaptureStopParams & WorkDoneProgressParams; result: CaptureEndedParams };
  "extrospect/capture/read": { params: CaptureReadParams & WorkDoneProgressParams; result: CaptureReadResult };
  "extrospect/capture/remove": { params: CaptureRemoveParams & WorkDoneProgressParams; result: null };
  "extrospect/detached/start": { params: DetachedStartParams & WorkDoneProgressParams; result: DetachedCapture };
  "extrospect/detached/list": { params: NoParams & WorkDoneProgressParams; result: DetachedListResult };
  "extrospect/detached/stop": { params: DetachedParams & WorkDoneProgressParams; result: DetachedCapture };
  "extrospect/detached/read": { params: DetachedReadParams & WorkDoneProgressParams; result: DetachedReadResult };
  "extrospect/detached/remove": { params: DetachedParams & WorkDoneProgressParams; result: null };
  "extrospect/flight/check": { params: FlightCheckParams & WorkDoneProgressParams; result: FlightCheckResult };
  "extrospect/flight/start": { params: FlightStartParams & WorkDoneProgressParams; result: FlightStartResult };
  "extrospect/flight/stop": { params: FlightStopParams & WorkDoneProgressParams; result: FlightEndedParams };
  "extrospect/pstack": { params: PstackParams & WorkDoneProgressParams; result: PstackResult };
  "extrospect/nodes": { params: NodesParams & WorkDoneProgressParams; result: NodesResult };
  "extrospect/inside/open": { params: InsideOpenParams & WorkDoneProgressParams; result: InsideOpenResult };
  "extrospect/inside/processes": { params: InsideProcessesParams & WorkDoneProgressParams; result: InsideProcessesResult };
  "extrospect/inside/heap": { params: InsideHeapParams & WorkDoneProgressParams; result: HeapResult };
  "extrospect/inside/memory": { params: InsideParams & WorkDoneProgressParams; result: InsideMemoryResult };
  "extrospect/inside/binaries": { params: InsideBinariesParams & WorkDoneProgressParams; result: BinariesResult };
  "extrospect/inside/node": { params: InsideNodeParams & WorkDoneProgressParams; result: NodeResult };
  "extrospect/inside/waits/look": { params: InsideParams & WorkDoneProgressParams; result: WaitsLook };
  "extrospect/inside/waits/finish": { params: InsideParams & WorkDoneProgressParams; result: InsideWaitsResult };
  "extrospect/inside/close": { params: InsideParams & WorkDoneProgressParams; result: null };
}

/** Notifications, client to helper: their parameters. */
export interface ClientNotifications {
  "initialized": NoParams;
  "exit": NoParams;
  "$/cancelRequest": CancelParams;
  "$/setTrace": SetTraceParams;
}

/** Notifications, helper to client: their parameters. */
export interface HelperNotifications {
  "extrospect/capture/increment": CaptureIncrementParams;
  "extrospect/capture/resync": CaptureResyncParams;
  "extrospect/capture/ended": CaptureEndedParams;
  "extrospect/flight/looked": FlightLookedParams;
  "extrospect/flight/written": FlightWrittenParams;
  "extrospect/flight/ended": FlightEndedParams;
  "$/progress": ProgressParams;
  "window/logMessage": LogMessageParams;
  "$/logTrace": LogTraceParams;
}

/** The processors of a target: by the affinity of its threads, or the set of its control group (`cpuset`). */
export type Affinity = {
  /** Those on which a thread of it may run. */
  allowed: number,
  /** Those of the machine that are online. */
  online: number, };

/** Memory in use by allocating process. */
export type AllocatedBinaries = {
  /** What the VM notes of that. */
  tags: AllocationTags,
  /** Its allocators, the most bytes first. */
  by: Array<AllocatedRow>,
  /** How many further ones, with less, there are. */
  left_out: number,
  /** Carriers that are not in it: they changed whenever they were read, or there are too many. */
  unread_carriers: number,
  /** Allocators that are switched off, `binary_alloc`: malloc has their blocks, which are not in it. */
  not_managed: Array<string>, };

/** The owner of an allocation. */
export type AllocatedByWhom = "process" | "port" | "system" | "unknown";

/** Blocks of one allocator that one has allocated. */
export type AllocatedRow = {
  /** `binary_alloc`, or `driver_alloc`: memory of drivers and NIFs. */
  allocator: string,
  /** Who. */
  by: AllocatedByWhom,
  /** The process, `<0.83.0>`; null when it was none. */
  pid: string | null,
  /** As of [`BinaryProcess`]; null also for one that has ended. */
  name: string | null,
  /** Whether the process has ended; null when the owner is no process, and when unknown. */
  ended: boolean | null,
  /** The driver or NIF library that requested it; null when it was the VM itself. */
  library: string | null,
  /** How many blocks. */
  blocks: number,
  /** Their bytes, with what the allocator adds to each. */
  bytes: number, };

/** What blocks record of their allocating process. */
export type AllocationTags = "process" | "library" | "none" | "unknown";

/**
 * One allocator, all its instances together. A carrier is memory that it takes from the operating system, a
 * block the part that it gives out.
 */
export type AllocatorMemory = {
  /** As the VM calls it: `binary_alloc`. */
  name: string,
  /** How long its carriers are, bytes: address space, of which `resident_bytes` are in memory. */
  carriers_bytes: number,
  /** Memory in blocks, bytes. */
  blocks_bytes: number,
  /** The largest free block, bytes; null when no carrier records it. */
  largest_free_bytes: number | null,
  /**
   * The share of the free memory in carriers that is outside the largest free block: (free - largest) /
   * free, 0 when nothing is free; null when the largest is.
   */
  fragmentation: number | null,
  /** How many carriers it has. */
  carriers: number,
  /** Of these, how many of its instances have offered to others. */
  pooled_carriers: number,
  /** The part of `carriers_bytes` in carriers with one block each. */
  one_block_carriers_bytes: number,
  /** What of its carriers is in memory, bytes; null when the kernel does not say. */
  resident_bytes: number | null, };

/** Parameters of `extrospect/attach`. */
export type AttachParams = {
  /** The process. */
  pid: number, };

/** Result of `extrospect/attach`. */
export type AttachResult = {
  /** Names this attachment until it is detached; never used again. */
  attachmentId: number,
  /** What the target is. */
  target: TargetFacts,
  /** The evidence for the helper's readings. */
  selfCheck: SelfCheck, };

/** One BEAM on this machine. */
export type BeamRow = {
  /** Process id, as the helper sees it. */
  pid: number,
  /** OTP release (`25`); null when unknown. */
  otp: string | null,
  /** Version of the runtime system (`13.1.5`); null when unknown. */
  erts: string | null,
  /** `jit` or `emu`; null when unknown. */
  flavor: string | null,
  /** Node name; null when the VM is not distributed or when unknown. */
  node: string | null,
  /** Whether `extrospect/attach` would work. */
  attachable: boolean,
  /** Why not and what to do about it; null when attachable. */
  reason: string | null,
  /** The same in parts, with codes and the command; absent when attachable. */
  refusal?: ErrorData,
  /** The command line, shortened. */
  command: string,
  /** Normal schedulers; null when unknown. */
  schedulers: number | null,
  /** How many of these are online; absent when that is not known. */
  schedulersOnline?: number,
  /** Container or namespace, as people read it; null when it is the helper's own. */
  container: string | null,
  /** The known facts of the container; absent when nothing shows that it is in one. */
  containerFacts?: ContainerFacts,
  /** Its process id in its own pid namespace; absent when that is the helper's. */
  pidInside?: number,
  /** The working directory, as its own mount namespace has it; absent when the caller may not read it. */
  workingDirectory?: string,
  /** Whose process it is. */
  uid: number,
  /** The name of that user on the helper's machine; absent when the list of users there has none. */
  user?: string,
  /** CPU time it used just now, percent of one core; null when unknown. */
  cpuPct: number | null,
  /** The programs that it runs below its ports; absent when that is not known. */
  portPrograms?: PortProgramsUse,
  /** Why nothing of it runs and what resumes it; absent when it runs, and with `standstillUnknown`. */
  standstill?: Explanation,
  /** Why it is not known whether anything of it runs; absent where that is known. */
  standstillUnknown?: Explanation, };

/**
 * Children of a VM that are below none of its ports, and all that these have started: a NIF or a driver has started them,
 * or their parents have ended and the VM is the first process of its container.
 */
export type BesidePorts = {
  /** Processor time, also of those that have ended, milliseconds; at least. */
  cpu_ms: number,
  /** Resident memory of those that run, bytes; shared memory counts in each. */
  rss_bytes: number,
  /** Processes that run. */
  processes: number, };

/** What a look took. */
export type BinariesLook = {
  /** How long, milliseconds. */
  took_ms: number,
  /** Of a processor, milliseconds. */
  cpu_ms: number, };

/** What there is of binaries outside of heaps. */
export type BinariesResult = {
  /**
   * Bytes of all binaries of the VM, as `erlang:memory(binary)` has them; null when it does not count them, since their
   * allocator is switched off.
   */
  vm_bytes: number | null,
  /**
   * Of these, bytes that no process holds, at most: in ETS, of NIFs, ports and the VM itself, those of processes that
   * could not be read, and what the allocator adds to each block. Null when `vm_bytes` is.
   */
  unheld_bytes: number | null,
  /** Those that processes hold, each once. */
  held: HeldBinaries,
  /** Processes that hold some, the most bytes first. */
  processes: Array<BinaryProcess>,
  /** How many further ones, which hold less, there are. */
  processes_left_out: number,
  /** Binaries, the longest first. */
  binaries: Array<BinaryRow>,
  /** How many further ones, shorter than those, there are. */
  binaries_left_out: number,
  /**
   * Binaries kept for less than half of their bytes, by processes whose heaps were read; those that waste the
   * most bytes first.
   */
  kept: Array<KeptBinaryRow>,
  /** How many further ones, which keep less, there are. */
  kept_left_out: number,
  /** The result of reading heaps. */
  looked_into: LookedIntoHeaps,
  /** Memory in use by allocating process. */
  allocated: AllocatedBinaries,
  /** The parts missing from all of this. */
  rejected: RejectedBinaries,
  /** The first 20 of the excluded processes: with any, the held bytes are at least the sums. */
  left_out_holders: Array<LeftOutHolder>,
  /** What this look took. */
  look: BinariesLook, };

/** The requested part of them. */
export type BinariesWanted = {
  /** Rows of each list at most; no list has more than 1,000. */
  rows: number,
  /** How many processes, those that hold most, have their heaps looked through; at most 200. */
  lookInto: number, };

/** A process that holds a binary. */
export type BinaryHolder = {
  /** `<0.83.0>`. */
  pid: string,
  /** As of [`BinaryProcess`]. */
  name: string | null, };

/** A process that holds binaries. */
export type BinaryProcess = {
  /** `<0.83.0>`. */
  pid: string,
  /**
   * Its registered name, else its label, else the function it was started with; null when none
   * is known.
   */
  name: string | null,
  /** How often it refers to any; the messages that wait for it count. */
  references: number,
  /** To how many. */
  binaries: number,
  /** Their bytes, each once. */
  bytes: number,
  /** Bytes of those that nothing else refers to. */
  own_bytes: number,
  /** Its heap was looked through. */
  looked_into: boolean, };

/** A binary. */
export type BinaryRow = {
  /** Where it is, `0x7f12345678`: names it as long as it is there. */
  id: string,
  /** How long it is. */
  bytes: number,
  /** The number of references to it, by its own counter. */
  refc: number,
  /** References of processes and of the messages that wait for them. */
  references: number,
  /**
   * References of no process and no message: in ETS, of NIFs and of the VM itself. Null when it changed during the
   * reading.
   */
  other_references: number | null,
  /** A process is appending to it, or was. */
  appended: boolean,
  /** Processes that hold it, at most five. */
  holders: Array<BinaryHolder>,
  /** How many further ones do. */
  holders_left_out: number, };

/** Parameters of `$/cancelRequest`. */
export type CancelParams = {
  /** The request whose answer is no longer needed. */
  id: NumberOrString, };

/** Why a capture ended. */
export type CaptureEndReason = "duration" | "stopped" | "targetGone" | "shutdown" | "writeFailed" | "failed";

/**
 * Parameters of `extrospect/capture/ended`, sent once for every capture that was started; also the
 * result of `extrospect/capture/stop`.
 */
export type CaptureEndedParams = {
  /** Which capture. */
  captureId: number,
  /** Why it ended. */
  reason: CaptureEndReason,
  /** The fault; null when there was none. */
  problem: ErrorData | null,
  /** The capture file, complete now. */
  file: string,
  /** Quality of the whole capture. */
  quality: QualityRecord, };

/** Parameters of `extrospect/capture/increment`: the samples captured since the one before. */
export type CaptureIncrementParams = {
  /** Which capture. */
  captureId: number,
  /**
   * Counts the increments of this capture from 0. A number is left out only after
   * `extrospect/capture/resync` announced it.
   */
  sequence: number,
  /**
   * Whole gzip members, as they were appended to the capture file, in base64: one, and in the first increment a second
   * one with a mark of the file. They continue the ids of the increments before.
   */
  gzipBase64: string,
  /** Length of the capture file with this increment, bytes. */
  fileBytes: number,
  /** Quality of the capture so far. */
  quality: QualityRecord, };

/**
 * Parameters of `extrospect/capture/read`: for a client that cannot open the file, since the helper
 * runs on another machine.
 */
export type CaptureReadParams = {
  /** From `extrospect/capture/start`. */
  captureId: number,
  /** First byte of the file that is wanted. */
  from: number,
  /** How many bytes at most; the helper may give fewer. */
  maxBytes: number, };

/** Result of `extrospect/capture/read`. */
export type CaptureReadResult = {
  /** Bytes from `from` on, in base64; none beyond the end of the file. */
  base64: string,
  /** Length of the file as it is now, bytes. */
  fileBytes: number, };

/** Parameters of `extrospect/capture/remove`. */
export type CaptureRemoveParams = {
  /** From `extrospect/capture/start`, of a capture without a `file` that has ended. */
  captureId: number, };

/**
 * Parameters of `extrospect/capture/resync`: the client did not read in time, and increments were
 * left out of the stream. They are in the file.
 *
 * Drop the data built from increments, read the first `fileBytes` bytes of `file` (a whole
 * profile), and continue with increment `nextSequence`. A client that got a resync reads the file
 * once more after `extrospect/capture/ended`: a clean end rewrites it.
 */
export type CaptureResyncParams = {
  /** Which capture. */
  captureId: number,
  /** The capture file. */
  file: string,
  /** Length of the file with the last increment left out, bytes. */
  fileBytes: number,
  /** How many increments were left out. */
  droppedIncrements: number,
  /** The increment that comes next, if another one comes. */
  nextSequence: number, };

/** Parameters of `extrospect/capture/start`. */
export type CaptureStartParams = {
  /** From `extrospect/attach`. */
  attachmentId: number,
  /** How long, seconds; 0 runs until stopped. */
  durationSeconds: number,
  /** Where the capture file goes; the helper chooses when absent. */
  file?: string,
  /** The sources that the target was built from, for the capture from its start. */
  origin?: OriginFacts,
  /** What counts the work of the target; none is counted when absent. */
  work?: WorkCounter,
  /** Samples per second and thread, 1 to `maxFrequencyHz`. */
  frequencyHz: number,
  /** Whether kernel frames are wanted. */
  includeKernel?: boolean,
  /** How the Erlang stack under C code shall be obtained; `auto` when absent. */
  engine?: EngineChoice,
  /** The types of samples to record, each one of `sampleTypes`; `cpu` when absent or empty. */
  types?: Array<string>,
  /**
   * How often the target is read as a whole (run queues, memory, mailboxes), and the condition of a flight recorder
   * looked at, milliseconds, 100 to 3,600,000; 1,000 when absent.
   */
  nodeEveryMs?: number,
  /**
   * Blocks of `off-cpu` that are shorter are counted without their stacks, microseconds, at most 60,000,000; all have
   * stacks when absent.
   */
  minBlockUs?: number, };

/** Result of `extrospect/capture/start`. */
export type CaptureStartResult = {
  /** Names this capture; never used again. */
  captureId: number,
  /** Absolute path of the capture file. */
  file: string,
  /** How the Erlang stack under C code is obtained. */
  engine: EngineInUse, };

/** Parameters of `extrospect/capture/stop`. */
export type CaptureStopParams = {
  /** From `extrospect/capture/start`. */
  captureId: number, };

/** A carrier: what an allocator has of the operating system in one piece. */
export type CarrierPlace = {
  /** Whose it is, as a place in `memory.allocators`. */
  allocator: number,
  /** Where it is, 4,096 bytes each. */
  page: number,
  /** How long it is, bytes. */
  bytes: number,
  /** What of it is in blocks, bytes; null when that could not be found out. */
  usedBytes: number | null,
  /** The largest block that is free, bytes; null when that could not be found out. */
  largestFreeBytes: number | null,
  /** It has one block. */
  oneBlock: boolean, };

/** What a client can do. */
export type ClientCapabilities = {
  /**
   * The client wants captures streamed. When off, a capture goes to its file only, and the
   * client receives only its end.
   */
  increments: boolean, };

/** A container, by its control group and by the files of its runtime that the caller may read. */
export type ContainerFacts = {
  /**
   * `docker`, `podman`, `containerd`, `cri-o`, `systemd-nspawn`, `lxc`; `kubernetes` when it is one
   * of a pod and nothing else is known; `container` when only its id is known.
   */
  runtime: string,
  /** Its whole id; absent where the runtime has names alone. */
  id?: string,
  /** Its name. */
  name?: string,
  /** The image it was made of, as it was requested. */
  image?: string,
  /** Its pod in Kubernetes. */
  pod?: string,
  /** The pod's namespace. */
  namespace?: string,
  /** The pod's uid, which the control group has where the pod's name cannot be read. */
  podUid?: string,
  /** The container around it, as people read it, where it is in one. */
  within?: string, };

/** The servers to query for debug files. */
export type DebugFileWish = "environment" | "always";

/** Parameters of `extrospect/debugFiles/fetch`. */
export type DebugFilesParams = {
  /** The process. */
  pid: number,
  /** The servers to query. */
  wish: DebugFileWish,
  /**
   * Addresses of servers, for `always`: `http://` or `https://`. Others are refused each by
   * itself.
   */
  servers?: Array<string>, };

/** Result of `extrospect/debugFiles/fetch`. Whatever it is, the process can be attached to as before. */
export type DebugFilesResult = {
  /** Objects that have their names now. */
  fetched: Array<FetchedDebugFile>,
  /** Objects whose debug files no server has. */
  nobodyHas: Array<string>,
  /** Objects whose debug files no server had some minutes ago; no server was queried again. */
  nobodyHad: Array<string>,
  /** The faults, once for each server and kind. */
  refused: Array<RefusedDebugFiles>, };

/** Parameters of `extrospect/detach`. Captures of that attachment end first. */
export type DetachParams = {
  /** From `extrospect/attach`. */
  attachmentId: number, };

/** A capture that continues without a client, or did. */
export type DetachedCapture = {
  /** Its name. */
  name: string,
  /** Whether it goes on. */
  state: DetachedState,
  /** Length of its file now, bytes; 0 when there is none. */
  fileBytes: number,
  /** Its own record of itself; null while it starts, and when it cannot be read. */
  facts: DetachedFacts | null, };

/** Why a detached capture ended. */
export type DetachedEnd = "duration" | "stopped" | "sizeLimit" | "targetGone" | "writeFailed" | "failed";

/** The record that a detached capture has of itself. */
export type DetachedFacts = {
  /** The VM's process id. */
  targetPid: number,
  /** The VM's node; empty when it is none. */
  node: string,
  /** Process id of what records. */
  recorderPid: number,
  /** When it began, milliseconds since 1970 by the clock of that machine. */
  begunUnixMs: number,
  /** When it ended; null while it runs. */
  endedUnixMs: number | null,
  /** Samples per second and thread. */
  frequencyHz: number,
  /** When it ends by itself, seconds after its start. */
  durationSeconds: number,
  /** How large its file becomes before it ends by itself, bytes. */
  maxFileBytes: number,
  /** How the Erlang stack under C code is obtained. */
  engine: EngineName,
  /**
   * Samples of processor time: while it runs, and after an unexpected end, as of the last few seconds; null when not
   * known yet, and where that is not recorded.
   */
  samples: number | null,
  /** The same of blocks, the times without a processor: each recorded one as often as it stands for. */
  blocks: number | null,
  /** The same of page faults: samples of them. */
  faultSamples: number | null,
  /** Why it ended; null while it runs. */
  end: DetachedEnd | null,
  /** The fault; null when there was none. */
  problem: ErrorData | null,
  /** For how long nothing of the VM ran, and why; absent while it records, and where the VM ran. */
  halted?: HaltedTime, };

/** Result of `extrospect/detached/list`. */
export type DetachedListResult = {
  /** Those of the user who runs the helper, by name. */
  captures: Array<DetachedCapture>, };

/** Parameters of `extrospect/detached/stop` and `extrospect/detached/remove`. */
export type DetachedParams = {
  /** Its name. */
  name: string, };

/** Parameters of `extrospect/detached/read`. */
export type DetachedReadParams = {
  /** Its name. */
  name: string,
  /** First byte of the file that is wanted. */
  from: number,
  /** How many bytes at most; the helper may give fewer. */
  maxBytes: number, };

/** Result of `extrospect/detached/read`. */
export type DetachedReadResult = {
  /** Bytes from `from` on, in base64; none beyond the end of the file. */
  base64: string,
  /** Length of the file as it is now, bytes. */
  fileBytes: number,
  /** Another text when the file is another: a clean end rewrites it, and it has to be read from 0 then. */
  fileId: string, };

/** Parameters of `extrospect/detached/start`. */
export type DetachedStartParams = {
  /** Its name: letters, digits and `. _ - + @`, the first one a letter or a digit, at most 64. */
  name: string,
  /** The process. */
  pid: number,
  /** How long, seconds; 0 until it is stopped, and a day at most. */
  durationSeconds: number,
  /** The sources that the target was built from, for the capture from its start. */
  origin?: OriginFacts,
  /** What counts the work of the target; none is counted when absent. */
  work?: WorkCounter,
  /** Samples per second and thread, 1 to `maxFrequencyHz`. */
  frequencyHz: number,
  /** Whether kernel frames are wanted. */
  includeKernel?: boolean,
  /** How the Erlang stack under C code shall be obtained; `auto` when absent. */
  engine?: EngineChoice,
  /** The types of samples to record, each one of `sampleTypes`; `cpu` when absent or empty. */
  types?: Array<string>,
  /**
   * How often the target is read as a whole (run queues, memory, mailboxes), and the condition of a flight recorder
   * looked at, milliseconds, 100 to 3,600,000; 1,000 when absent.
   */
  nodeEveryMs?: number,
  /**
   * Blocks of `off-cpu` that are shorter are counted without their stacks, microseconds, at most 60,000,000; all have
   * stacks when absent.
   */
  minBlockUs?: number, };

/** Whether a detached capture goes on. */
export type DetachedState = "starting" | "recording" | "ended" | "endedUnexpectedly";

/** Parameters of `extrospect/doctor`. */
export type DoctorParams = {
  /** Check this process too. */
  pid?: number, };

/** Result of `extrospect/doctor`. */
export type DoctorResult = {
  /** One row for each check, in the order of fixing them. */
  rows: Array<DoctorRow>, };

/** One check. */
export type DoctorRow = {
  /** The subject of the check. */
  check: string,
  /** How it came out. */
  status: DoctorStatus,
  /** The state found. */
  found: string,
  /** The required state. */
  needed: string,
  /** The fix, mostly a command; null when there is nothing to fix. */
  fix: string | null,
  /** Codes and arguments of the texts above that have words. */
  messages?: { [key in string]: Message },
  /** The shell command that fixes it; absent when there is none. */
  command?: string, };

/** How a check came out. */
export type DoctorStatus = "ok" | "warn" | "fail";

/** How the Erlang stack under C code shall be obtained. */
export type EngineChoice = "auto" | "bpf" | "readv";

/** The engine of a capture. */
export type EngineInUse = {
  /** Which. */
  name: EngineName,
  /** Why this one: one clause for people. */
  reason: string, };

/** How it is obtained. */
export type EngineName = "bpf" | "readv";

/** How Erlang stacks under C code were obtained. Text is empty in captures of older helpers. */
export type EngineQuality = {
  /** `bpf`: copied in the kernel at the sample; `readv`: read right after it. */
  name: string,
  /** Why this engine: one clause for people. */
  reason: string,
  /** The same as a code; not in captures of older helpers. */
  reason_code?: EngineReason,
  /** Samples of schedulers joined with the copy that was made at them; 0 with `readv`. */
  matched: number,
  /**
   * Samples of schedulers that could not be joined with a copy that was made at them: their Erlang
   * frames are not known.
   */
  unmatched: number,
  /** Copies of which the sample was lost. */
  orphaned: number,
  /** Copies that were dropped because their ring was full. */
  dropped: number,
  /** There may be more: they could not be counted by then. Absent where they could. */
  dropped_at_least?: boolean,
  /** Erlang stacks longer than the part that is copied. */
  cut: number,
  /**
   * Samples whose stack is not known as a whole because memory that was to be copied was not there. 0 in
   * captures of helpers that did not count them.
   */
  copy_failed: number, };

/** Why an engine was taken. */
export type EngineReason = "askedFor" | "accepted" | "bpfUnusable";

/** Samples taken in Erlang code. */
export type ErlangQuality = {
  /** Samples. */
  samples: number,
  /** Of those, walked to the bottom frame. */
  complete: number, };

/** What every error response of the helper carries in `data`. */
export type ErrorData = {
  /** The exit code that the same error has on the command line. */
  exitCode: number,
  /** What did not work, one line. */
  what: string,
  /** Why. */
  why: string,
  /** What to do. */
  fix: string,
  /** Codes and arguments of the texts above that have words. */
  messages?: { [key in string]: Message },
  /** The shell command that fixes it; absent when there is none. */
  command?: string, };

/** One ETS table. */
export type EtsTableMemory = {
  /** The name with which it was created; requests use it if `named`. */
  name: string,
  /** Requests can use its name. */
  named: boolean,
  /** The process that it ends with: `<0.42.0>`. */
  owner: string,
  /** `set`, `ordered_set`, `bag` or `duplicate_bag`. */
  type: string,
  /** How many objects are in it. */
  items: number,
  /** Its size, bytes. */
  bytes: number,
  /** `public`, `protected` or `private`. */
  protection: string, };

/** Text that may be at a place of a condition. */
export type Expected = "quantity" | "operator" | "number" | "byteUnit" | "noUnit" | "joiner" | "endOfText" | "endOfComparisons";

/** What did not work, why, and what to do. Displayed as one line. */
export type Explanation = {
  /** What did not work, one line. */
  what: string,
  /** Why. */
  why: string,
  /** What to do. */
  fix: string,
  /** Codes and arguments of the texts above that have words. */
  messages?: { [key in string]: Message },
  /** The shell command that fixes it; absent when there is none. */
  command?: string, };

/** The counts of the type `faults`. */
export type FaultsQuality = {
  /** Why it was not recorded: one clause for people. Absent where it was. */
  refused?: string,
  /** Page faults: each sample as often as it stands for. */
  faults: number,
  /** Samples of them in the capture. */
  samples: number,
  /** Those whose stack is whole. */
  whole: number,
  /** How long page faults were left out since there were too many, milliseconds. Samples of that time stand for these. */
  thinned_ms: number,
  /** Page faults that were left out. */
  left_out: number,
  /** Samples that were lost; with `off-cpu` beside it, those of schedulers alone. */
  lost: number,
  /** Threads that were not recorded, for a part of the capture at least. */
  threads: number,
  /** Why not, of the last one: one clause for people. */
  threads_reason: string, };

/** A debug file that is here now. */
export type FetchedDebugFile = {
  /** The object: `beam.smp`. */
  object: string,
  /** Absolute path of its debug file. */
  file: string,
  /** Length of that. */
  bytes: number,
  /** Who had it. */
  server: string, };

/** Parameters of `extrospect/flight/check`. */
export type FlightCheckParams = {
  /** A possible condition: `mailbox>10000 or runqueue>20 or memory>8GB`. */
  condition: string, };

/** Result of `extrospect/flight/check`. */
export type FlightCheckResult = {
  /** Why it is none; null when it is one. */
  fault: FlightFault | null, };

/** Why it ended. */
export type FlightEndReason = "duration" | "files" | "stopped" | "targetGone" | "shutdown" | "failed";

/** Parameters of `extrospect/flight/ended`, sent once; also the result of `extrospect/flight/stop`. */
export type FlightEndedParams = {
  /** Which. */
  flightId: number,
  /** Why it ended. */
  reason: FlightEndReason,
  /** The fault; null when there was none. */
  problem: ErrorData | null,
  /** Files that are complete. */
  files: number,
  /** Files that could not be written, or not to their end. */
  failed: number, };

/** Why a text is no condition. */
export type FlightFault = {
  /** Where, in characters; the first one is 1. */
  at: number,
  /** The kind of input that is allowed there. */
  expected: Expected,
  /** The words that may be there, where there are such. */
  options: Array<string>, };

/** Parameters of `extrospect/flight/looked`, about once a second. */
export type FlightLookedParams = {
  /** Which. */
  flightId: number,
  /** For how long it has watched, seconds. */
  elapsedSeconds: number,
  /** The condition came to hold: a file is being written. */
  isWriting: boolean,
  /** The quantities of the condition, as they were last read. */
  values: Array<FlightValue>,
  /** Those that this VM does not report, once that is certain: no condition on them ever holds. */
  unknown: Array<string>,
  /** Files that are complete. */
  files: number,
  /** Files that could not be written, or not to their end. */
  failed: number, };

/** Parameters of `extrospect/flight/start`. */
export type FlightStartParams = {
  /** From `extrospect/attach`. */
  attachmentId: number,
  /** The condition that must come to hold. */
  condition: string,
  /** The time to keep from before it held, seconds, 1 to 3,600. */
  beforeSeconds: number,
  /** The time to record after it held, seconds, 1 to 3,600. */
  afterSeconds: number,
  /** Files, 1 to 1,000; after the last one it ends. */
  maxFiles: number,
  /** How long it watches, seconds, more than 0 and a day at most. */
  durationSeconds: number,
  /**
   * What its files are named after: `/captures/shop.pb.gz` makes `/captures/shop.00001-TIME.pb.gz`; the helper
   * chooses when absent.
   */
  file?: string,
  /** The sources that the target was built from, for each file. */
  origin?: OriginFacts,
  /** Samples per second and thread, 1 to `maxFrequencyHz`. */
  frequencyHz: number,
  /** Whether kernel frames are wanted. */
  includeKernel?: boolean,
  /** How the Erlang stack under C code shall be obtained; `auto` when absent. */
  engine?: EngineChoice,
  /** The types of samples to record, each one of `sampleTypes`; `cpu` when absent or empty. */
  types?: Array<string>,
  /**
   * How often the target is read as a whole (run queues, memory, mailboxes), and the condition of a flight recorder
   * looked at, milliseconds, 100 to 3,600,000; 1,000 when absent.
   */
  nodeEveryMs?: number,
  /**
   * Blocks of `off-cpu` that are shorter are counted without their stacks, microseconds, at most 60,000,000; all have
   * stacks when absent.
   */
  minBlockUs?: number, };

/** Result of `extrospect/flight/start`. */
export type FlightStartResult = {
  /** Names it; never used again. */
  flightId: number,
  /** How the Erlang stack under C code is obtained. */
  engine: EngineInUse, };

/** Parameters of `extrospect/flight/stop`. */
export type FlightStopParams = {
  /** From `extrospect/flight/start`. */
  flightId: number, };

/** A reading of one quantity of a condition. */
export type FlightValue = {
  /** As the condition has it: `mailbox`. */
  quantity: string,
  /** The value read; null when unknown. */
  value: number | null,
  /** Whether it counts bytes. */
  isBytes: boolean,
  /** Whose it is: of a mailbox the pid, as the node prints it. */
  process?: string, };

/** Parameters of `extrospect/flight/written`: a file is complete. It can be read and removed as that of a capture. */
export type FlightWrittenParams = {
  /** Which. */
  flightId: number,
  /** Names the file for `extrospect/capture/read` and `extrospect/capture/remove`. */
  captureId: number,
  /** Where it is, absolute. */
  file: string,
  /** Its length. */
  fileBytes: number,
  /** What held. */
  found: Array<FlightValue>,
  /** When it begins, seconds after the flight recorder began. */
  fromSeconds: number,
  /** When the condition came to hold. */
  triggeredSeconds: number,
  /** When it ends. */
  untilSeconds: number, };

/** The kind of code that a frame is in. */
export type FrameKind = "erlang" | "bif" | "fragment" | "native" | "nif" | "kernel" | "marker";

/** A time in which nothing of a VM ran. */
export type HaltedTime = {
  /** Why. */
  reason: StandstillReason,
  /** For how long at least, milliseconds. */
  ms: number, };

/** A frame of a stack. */
export type HeapFrame = {
  /** `gen_server:loop/7`; null when unknown. */
  function: string | null,
  /** Source file, as the VM has it; null when unknown. */
  file: string | null,
  /** Line there; null when unknown. */
  line: number | null,
  /** How many such frames follow each other. */
  times: number, };

/** How much there is of a kind. */
export type HeapKind = {
  /** `list`, `tuple`, `map`, `binary outside of the heap`. */
  kind: string,
  /** How many: of lists, cells. */
  count: number,
  /** Their words. */
  words: number, };

/** Messages that wait. */
export type HeapMessages = {
  /** By shape, the most first, at most 50. */
  shapes: Array<MessageShape>,
  /** Shapes of the first ones, at most 5. */
  first: Array<string>,
  /** Shapes of the last ones, at most 5, the last of all at the end; none when `first` has all. */
  last: Array<string>,
  /** How many have memory of their own. */
  offHeap: number,
  /** How many have none: they are on the heap, or no more than a word. */
  onHeap: number,
  /** Those in the middle whose shape was not read, and those of other nodes that are not decoded yet. */
  unread: number, };

/** A part of the term that a root is. */
export type HeapPart = {
  /**
   * `element 2`, or `element 2, key cache` in it: of a map the value by its key, when that is an atom, else
   * `value 3` in the order of its keys.
   */
  part: string,
  /** Words of it. */
  words: number, };

/** The contents of a heap, and what keeps them alive. */
export type HeapResult = {
  /** The process. */
  pid: string,
  /** Words in use: heap, old heap and fragments, garbage among them, without the stack. */
  usedWords: number,
  /** Words that a full collection would leave. */
  liveWords: number,
  /** More messages wait than are followed, so more words than that may live. */
  liveWordsAtLeast: boolean,
  /** Words of the stack. */
  stackWords: number,
  /** Messages that wait. */
  mailbox: number,
  /** What keeps something alive, the most words first, at most 1,000. */
  roots: Array<HeapRoot>,
  /** Words that further roots keep alive: with those of `roots` they are all that live. */
  rootsLeftOutWords: number,
  /** Its contents by kind, including garbage, the most words first. */
  kinds: Array<HeapKind>,
  /**
   * Its stack, innermost first: equal frames that follow each other are one. Of a stack of more than 1,000 such
   * frames, 500 from either end.
   */
  stack: Array<HeapFrame>,
  /** How many frames of the stack there are, each for itself. */
  stackFrames: number,
  /** How many of these are in the middle that was left out, behind the first 500 of `stack`. */
  stackFramesLeftOut: number,
  /** Its messages, by shape. */
  messages: HeapMessages,
  /** Keys of its dictionary, at most 1,000: atoms as they are, of others the kind. */
  dictionary: Array<string>,
  /**
   * Its links, at most 1,000: `<0.83.0>`, `#Port<0.4>`, and `?` for those without a name here; null when
   * unknown.
   */
  links: Array<string> | null,
  /** How many links it has; null when that is not known. */
  linksCount: number | null,
  /** Its monitors, likewise. */
  monitors: Array<string> | null,
  /** How many monitors it has set; null when that is not known. */
  monitorsCount: number | null, };

/** Something that keeps things alive. */
export type HeapRoot = {
  /** Who holds it: `y3 of gen_server:loop/7`, `argument 1 of lists:map/2`, `dictionary key cache`, `mailbox`. */
  root: string,
  /** Words that no root before it in the VM's own order leads to. */
  words: number,
  /** Parts of its term, the most words first; at most 16. */
  parts: Array<HeapPart>, };

/** Sums over what processes hold. */
export type HeldBinaries = {
  /** Processes that hold some. */
  processes: number,
  /** References of all of them. */
  references: number,
  /** Binaries, each once. */
  binaries: number,
  /** Their bytes, each once. */
  bytes: number, };

/** What the helper can do on this machine. */
export type HelperCapabilities = {
  /** Highest sampling frequency it takes, samples per second and thread. */
  maxFrequencyHz: number,
  /** Whether `includeKernel` may be true. */
  kernelFrames: boolean,
  /**
   * The types of samples that `types` may name: `cpu`, `off-cpu`, `faults`. Earlier helpers do not have it, and record
   * `cpu`.
   */
  sampleTypes?: Array<string>,
  /** Whether `extrospect/pstack` works. */
  pstack: boolean,
  /** Longest message body it takes, bytes. */
  maxMessageBytes: number, };

/** What a client states about itself beyond the Language Server Protocol. */
export type InitializationOptions = {
  /** The `PROTOCOL_VERSION` the client was built with; another one than the helper's is refused. */
  protocolVersion: number,
  /** What the client can do; everything off when absent. */
  capabilities?: ClientCapabilities, };

/** Parameters of `initialize`. Other members that a language client sends are ignored. */
export type InitializeParams = {
  /** The client. */
  clientInfo?: PeerInfo,
  /** How much the helper logs of its own work from the start; off when absent. */
  trace?: TraceValue,
  /** The options beyond the Language Server Protocol. */
  initializationOptions: InitializationOptions, };

/** Result of `initialize`. */
export type InitializeResult = {
  /** The helper's name and version. */
  serverInfo: PeerInfo,
  /** The `PROTOCOL_VERSION` the helper was built with. */
  protocolVersion: number,
  /** What the helper can do. */
  capabilities: ServerCapabilities, };

/** Parameters of `extrospect/inside/binaries`. */
export type InsideBinariesParams = {
  /** From `extrospect/inside/open`. */
  insideId: number,
  /** The requested part. */
  wanted: BinariesWanted, };

/** Parameters of `extrospect/inside/heap`. */
export type InsideHeapParams = {
  /** From `extrospect/inside/open`. */
  insideId: number,
  /**
   * The process of the heap: its pid, as `<0.83.0>`, `0.83.0` or `#PID<0.83.0>`, or its registered name, as
   * either language writes it: `shop`, `Shop.Cart`. Anything else is an error of the parameters.
   */
  process: string, };

/** Result of `extrospect/inside/memory`. */
export type InsideMemoryResult = {
  /** What memory is for. */
  memory: MemoryResult,
  /** Carriers by address, at most 10,000, the largest. */
  carriers: Array<CarrierPlace>,
  /** How many further ones, smaller than those, there are. */
  carriersLeftOut: number,
  /** What this look took. */
  look: MemoryLook, };

/** Parameters of `extrospect/inside/node`. */
export type InsideNodeParams = {
  /** From `extrospect/inside/open`. */
  insideId: number,
  /**
   * How long to observe the schedulers, milliseconds, at most 1,000; 0: not at all, and none are
   * returned.
   */
  lookMs: number, };

/** Parameters of `extrospect/inside/open`. */
export type InsideOpenParams = {
  /** The process. */
  pid: number, };

/** Result of `extrospect/inside/open`. */
export type InsideOpenResult = {
  /** Names this until it is closed; never used again. */
  insideId: number,
  /** What the target is. */
  target: TargetFacts,
  /**
   * When its OS process started: clock ticks of 10 ms after the boot of its machine. With the process
   * id, it identifies the OS process among all others since.
   */
  startTicks: number, };

/** Parameters of `extrospect/inside/close` and `extrospect/inside/memory`. */
export type InsideParams = {
  /** From `extrospect/inside/open`. */
  insideId: number, };

/** Parameters of `extrospect/inside/processes`. */
export type InsideProcessesParams = {
  /** From `extrospect/inside/open`. */
  insideId: number,
  /**
   * Whether to look at the VM once more; else the answer is of the last look. The first time it looks in
   * any case.
   */
  look: boolean,
  /** Which processes, in which order. */
  query: ProcessQuery,
  /** The first line that is wanted, from 0 on. */
  first: number,
  /** How many lines are wanted, at most 1,000. */
  limit: number, };

/** Result of `extrospect/inside/processes`. */
export type InsideProcessesResult = {
  /** The lines that were wanted. */
  lines: Array<ProcessLine>,
  /** How many lines there are: processes that fit, or groups with those of open ones. */
  length: number,
  /** How many processes are known of. */
  processes: number,
  /** How many more the VM has: of those beyond 500,000 nothing is known. */
  leftOut: number,
  /** How many of them fit. */
  matching: number,
  /** How many lines have no known value in the sorted column: they come last in either order. */
  withoutValue: number,
  /** How many of all are alarming. */
  alarming: number,
  /** Of how many others that is not known: not all of a value below its limit was read. */
  mayAlarm: number,
  /** Entries of the VM's table that are none. */
  rejected: RejectedEntries,
  /** The look that this is of. */
  look: ProcessLook, };

/** Result of `extrospect/inside/waits/finish`. */
export type InsideWaitsResult = {
  /** The waits in the snapshots. */
  waits: WaitsResult,
  /** A capture of it: a gzip member with a profile of the time that processes waited, base64. */
  capture: string, };

/** A binary that is kept for less than half of it. */
export type KeptBinaryRow = {
  /** As of [`BinaryRow`]. */
  id: string,
  /** How long it is. */
  bytes: number,
  /** What of it live terms of these processes are, each byte once. */
  used_bytes: number,
  /** The number of references to it, by its own counter. */
  refc: number,
  /** References on the heaps of these processes, garbage among them. */
  references: number,
  /** Those of them that live; 0: a collection gives it back, as far as it is theirs. */
  live_references: number,
  /** Processes that keep it, at most five. */
  holders: Array<BinaryHolder>,
  /** How many further ones do. */
  holders_left_out: number, };

/**
 * Whether threads were sampled while they ran in the kernel. An ordinary user may not do so at the
 * usual setting of `perf_event_paranoid`: the samples are of user code alone then.
 */
export type KernelTime = {
  /** Time in the kernel is in the samples. */
  sampled: boolean,
  /**
   * Where it is not: processor time of the sampled threads by their own clocks, nanoseconds; at
   * least. Else 0.
   */
  cpu_ns: number,
  /**
   * The part of that time that no sample stands for since the thread was in the kernel,
   * nanoseconds; at least. Else 0.
   */
  missing_ns: number, };

/** Another node. */
export type KnownNode = {
  /** As it is called: `shop@host`. */
  name: string,
  /** How it is connected. */
  state: NodeState, };

/** Why a scheduler does not come to the time limits that it has to notice. */
export type LateCause = "process" | "throttled" | "waits_for_processor" | "blocked" | "offline" | "unknown";

/**
 * Processes whose time limit (`receive … after`) has passed, and timers of messages whose time is over, while the
 * scheduler that has to notice that does not come to it.
 */
export type LateTimeLimits = {
  /** The scheduler, a normal one. */
  scheduler: number,
  /** How many processes. */
  processes: number,
  /** Their names, those that are late the longest first, at most 5. */
  names: Array<string>,
  /** Their pids, likewise. */
  pids: Array<string>,
  /**
   * How many timers of `erlang:send_after/3` and `erlang:start_timer/3`, so also those of `gen_statem`, at least; null
   * where they were not looked at.
   */
  timers: number | null,
  /** The processes that these are for, as far as they are known, those that are late the longest first, at most 5. */
  receivers: Array<WaitedProcess>,
  /** How late the first of all of them is, at least, seconds. */
  late_s: number,
  /** Why the scheduler does not come to them. */
  cause: LateCause,
  /** The process that the scheduler runs all this time; null when that is not the cause. */
  holder: WaitedProcess | null,
  /** The native function that this process is in; null where that is not proven. */
  function: string | null,
  /** Who called that, `MODULE:FUNCTION/ARITY`, innermost first, at most 16 frames; empty where that is not proven. */
  stack: Array<string>, };

/** A process that may hold binaries and is in no sum. */
export type LeftOutHolder = {
  /** As the node prints it. */
  pid: string,
  /** Registered name, else label, else the function it was started with; null when unknown. */
  name: string | null,
  /**
   * Its activity at the last reading: `running`, `garbage_collecting`; anything else when it holds more
   * references than are read, or there was no room for them.
   */
  status: string, };

/** Limits of a part of a recording, during which they changed. */
export type LimitsSeen = {
  /**
   * When others were found; of the last ones, when they were. Milliseconds after the recording began, in a later file of
   * it after that file began.
   */
  until_ms: number,
  /** As of [`ProcessorLimits::allowed`]. */
  allowed: number | null,
  /** As of [`ProcessorLimits::affinity`]. */
  affinity?: Affinity, };

/** Result of `extrospect/list`. */
export type ListResult = {
  /** One row for each BEAM, by pid. */
  beams: Array<BeamRow>, };

/** Parameters of `window/logMessage`. */
export type LogMessageParams = {
  /** How grave: 1 error, 2 warning, 3 info, 4 log. */
  type: MessageType,
  /** The message. */
  message: string, };

/** Parameters of `$/logTrace`. */
export type LogTraceParams = {
  /** One line. */
  message: string, };

/** The result of reading heaps. */
export type LookedIntoHeaps = {
  /** Processes whose heaps were looked through. */
  processes: number,
  /** What of all that processes hold is theirs, bytes, each binary once. */
  bytes: number,
  /** Processes that were to be, and were not: they never rested, are too large, or it took too long. */
  given_up: number, };

/**
 * A suggestion from the numbers of one snapshot. One snapshot does not show whether the state
 * persists.
 */
export type MemoryAdvice = {
  /** The fault. */
  code: MemoryAdviceCode,
  /** The allocator that loses most. */
  allocator: string,
  /** What of its carriers is in memory and in no block, bytes. */
  lost_bytes: number,
  /** Its memory in blocks, bytes. */
  blocks_bytes: number,
  /** The emulator's flag to consider, with its value: `+MBlmbcs 512`. */
  flag: string, };

/** The fault. */
export type MemoryAdviceCode = "fragmented";

/** A look at what memory is for. */
export type MemoryLook = {
  /** How long it took, milliseconds. */
  tookMs: number,
  /** Processor time it took, milliseconds. */
  cpuMs: number,
  /**
   * After how long the next one would come, milliseconds: two seconds, and longer where looks would take
   * more than one part of a hundred of a processor.
   */
  nextMs: number, };

/** What the memory of a VM is for. */
export type MemoryResult = {
  /** The VM's allocators, in its own order. */
  allocators: Array<AllocatorMemory>,
  /**
   * Allocators that are disabled (`+MBe false`, `+Mea min`): `binary_alloc`. The VM does not manage their
   * memory. The C library's `malloc` has it, and no sum includes it except those of resident memory.
   */
  not_managed: Array<string>,
  /** What of the process is in memory, bytes, as `ps` shows it; null when the kernel does not say. */
  rss_bytes: number | null,
  /** What that is; null when the kernel does not say. */
  resident: ResidentMemory | null,
  /** The VM's own counts by purpose. */
  memory: MemorySplit,
  /** ETS tables, the largest first. */
  ets: Array<EtsTableMemory>,
  /** How many further ETS tables, smaller than those, were left out. */
  ets_left_out: number,
  /** What contradicted itself whenever it was read. */
  rejected: RejectedMemory,
  /** What the numbers suggest; null when they suggest nothing. */
  advice: MemoryAdvice | null,
  /** Code by module, the most first; null when the list of loaded code could not be read. */
  code: Array<ModuleMemory> | null,
  /**
   * How many further modules there are: smaller ones, and those of which it is not known which generation of
   * them is the newest.
   */
  code_left_out: number,
  /**
   * Libraries with NIFs or drivers that the VM has loaded. Their `malloc` is in no allocator of the VM, and no
   * figure has the part of each.
   */
  native_libraries: Array<NativeLibrary>, };

/** What `erlang:memory/0` counts, as far as it is read. */
export type MemorySplit = {
  /** All blocks but temporary ones, and code, bytes. */
  total: number,
  /** `total` is more than that: a part of it is not known. */
  total_at_least: boolean,
  /**
   * Heaps, stacks and messages of processes, bytes; `erlang:memory(processes)` counts their structs, too. Null
   * where the allocator for them is switched off, so that the VM does not count them.
   */
  process_heaps: number | null,
  /** Binaries that processes share, bytes; null likewise. */
  binary: number | null,
  /** ETS tables, bytes, with the table of their names if that was found; null likewise. */
  ets: number | null,
  /** Of `ets`, the table of names, bytes, which `+e` makes longer; null when it was not found, so that `ets` is more. */
  ets_names: number | null,
  /** What the JIT has made of loaded code, bytes; null where code is interpreted, and when it could not be read. */
  jit_code: number | null,
  /** Literals, bytes: constants of modules and persistent terms; null where the allocator for them is switched off. */
  literals: number | null, };

/** A text for people as code and arguments. */
export type Message = {
  /** Which text: a name of `HelperMessages`. */
  code: string,
  /**
   * The values of its placeholders, by name. Numbers as text; some are English (messages of a
   * system call or a parser), and names of a target may be among them.
   */
  arguments?: { [key in string]: string }, };

/** Messages that look alike. */
export type MessageShape = {
  /**
   * `{work, _, {retry, _}}`: an atom is shown if it is the first element of a tuple or the whole message; of
   * any other term, only the type is shown.
   */
  shape: string,
  /** How many. */
  count: number, };

/** How grave a log message is. */
export type MessageType = 1 | 2 | 3 | 4;

/** The samples after the last increment of a file are missing. */
export type MissingEnd = {
  /** Why. */
  reason: MissingEndReason,
  /** When the last increment was made, milliseconds since 1970; 0 when that is not known. */
  last_unix_ms: number, };

/** Why the end of a capture is not in its file. */
export type MissingEndReason = "notClosed" | "diskFull" | "writeFailed";

/** Code of one module. */
export type ModuleMemory = {
  /** The module. */
  module: string,
  /** Its code as loaded, bytes, without literals; of the newest generation. */
  bytes: number,
  /** Its literals, which are its constants, bytes; null when they could not be read. */
  literal_bytes: number | null, };

/** A library with NIFs or drivers. */
export type NativeLibrary = {
  /** The last part of its path. */
  file: string,
  /** The modules that it has NIFs of. */
  modules: Array<string>,
  /** The drivers that it has. */
  drivers: Array<string>, };

/** Samples taken in C code while a process was running. */
export type NativeQuality = {
  /** Samples. */
  samples: number,
  /** Of those, with at least one proven Erlang frame (validated or bracketed). */
  with_erlang: number,
  /** Of those, validated from the call into C down to the bottom frame. */
  complete: number,
  /**
   * Of those, with a part of the Erlang frames: the deep ones (bracketed), those below a function
   * that is not known, or the upper ones of a stack that is longer than the part that is copied.
   */
  bracketed: number,
  /** Of those, without a proven Erlang frame. */
  unproven: number, };

/** Parameters of methods that have none: absent, null or an object. */
export type NoParams = Record<symbol, never>;

/** Samples of schedulers that are in no process, without those of `scheduler`. */
export type NoProcessQuality = {
  /** A port ran, as a task of the scheduler. */
  port_tasks: number,
  /** It is not known what the scheduler ran. */
  unattributed: number, };

/** A node that the VM is connected to. */
export type NodeConnection = {
  /** As it is called: `shop@host`. */
  node: string,
  /** How it is connected. */
  state: NodeState,
  /** Bytes that wait to be sent to it; null when that is not known. */
  queueBytes: number | null,
  /** So much waits that who sends is suspended; null when that is not known. */
  busy: boolean | null, };

/** What a VM has counted since it started; null: that is not known. */
export type NodeCounters = {
  /** Collections, except those on dirty schedulers. */
  collections: number | null,
  /** Words that these gave back. */
  reclaimedWords: number | null,
  /** Reductions of its processes, as of when each was last scheduled. */
  reductions: number | null,
  /** How often a scheduler went from one process to another. */
  contextSwitches: number | null,
  /** Bytes that ports have read. */
  ioInBytes: number | null,
  /** Bytes that ports have written. */
  ioOutBytes: number | null, };

/** What a VM is like right now. */
export type NodeResult = {
  /** How long ago its process started, whole seconds; null when that is not known. */
  uptimeS: number | null,
  /** Its schedulers: normal ones by number, then dirty ones. Empty when nothing of it runs. */
  schedulers: Array<SchedulerShare>,
  /** Which of them may run; null when that is not known. */
  schedulersOnline: SchedulersOnline | null,
  /** How long the schedulers were looked at, milliseconds. */
  lookedMs: number,
  /** Processes and ports that wait to be run; null when that is not known. */
  runQueues: RunQueues | null,
  /** Processes. */
  processes: TableFill,
  /** Ports; null when their table was not found. */
  ports: TableFill | null,
  /** Atoms. */
  atoms: TableFill,
  /** Its counts since it started. */
  counters: NodeCounters,
  /**
   * Memory that it has given out in blocks, and code of the JIT: about `erlang:memory(total)`, bytes;
   * null when unknown.
   */
  memoryBytes: number | null,
  /** What of the process is in memory, bytes. */
  rssBytes: number | null,
  /** Data that waits in ports; null when unknown. */
  portQueues: PortQueues | null,
  /** Its ports by name and owner, the most first, at most 100; null when they are not known. */
  portKinds: Array<PortKind> | null,
  /** Programs that it runs below ports; null when they are not known. */
  children: PortChildren | null,
  /**
   * Timers that are set, of processes, ports and the VM itself; those that are due in more than 37 hours are one
   * for each scheduler. Null when that is not known.
   */
  timers: number | null,
  /** Functions that are traced; null when that is not known. */
  tracedFunctions: TracedFunctions | null,
  /** Processes whose messages or events are traced; null when that is not known, and in answers of older helpers. */
  tracedProcesses: TracedProcesses | null,
  /** Nodes it is connected to, or about to be; null when that is not known. */
  connections: Array<NodeConnection> | null,
  /**
   * The limits of its processor time now, and counts of the time in which the schedulers were looked at; null in answers of
   * older helpers.
   */
  processors: ProcessorLimits | null,
  /** Why something above is null. */
  unknown: Array<Unknown>,
  /** Why nothing of it runs and what resumes it; absent when it runs, and where `unknown` has `standstill`. */
  standstill?: Explanation, };

/** How a node is connected. */
export type NodeState = "visible" | "hidden" | "pending" | "notConnected";

/** Parameters of `extrospect/nodes`. */
export type NodesParams = {
  /** The process. */
  pid: number, };

/** Result of `extrospect/nodes`. */
export type NodesResult = {
  /** What the VM itself is called: `shop@host`; null when it is no node. */
  name: string | null,
  /** The others, by name. */
  nodes: Array<KnownNode>, };

/** A request's id, or a progress token: a 32-bit integer or a string. */
export type NumberOrString = number | string;

/** The counts of the type `off-cpu`. Times are sums over threads; each block counts, also one that goes on. */
export type OffCpuQuality = {
  /** Why it was not recorded: one clause for people. Absent where it was. */
  refused?: string,
  /** Times that a scheduler left a processor. */
  switches: number,
  /** The same, a second. */
  switches_per_s: number,
  /** Those of them with a process or a port: each recorded block as often as it stands for. */
  blocks: number,
  /** Those of these whose stack is whole. */
  whole: number,
  /** Shorter blocks are in no stack: microseconds; 0 where all are. */
  min_block_us: number,
  /** Blocks that were shorter. */
  short_blocks: number,
  /** Their time, which is in no other: milliseconds. */
  short_ms: number,
  /**
   * How long blocks were left out, since they were too many, milliseconds. Those that were recorded then stand for these,
   * too.
   */
  thinned_ms: number,
  /** Blocks that were left out. */
  left_out: number,
  /** Time of schedulers, while blocks were left out, of which no work was recorded: idle, or in such a block. Milliseconds. */
  idle_or_left_out_ms: number,
  /** Time in which schedulers with a process or a port waited, milliseconds. */
  blocked_ms: number,
  /** Time in which these would have run, but another thread had the processor, milliseconds. */
  preempted_ms: number,
  /** Time of schedulers without a process or a port, milliseconds. */
  idle_ms: number,
  /** Blocks that had not ended. */
  in_progress: number,
  /** Schedulers of which no switch was recorded: their work is not known. */
  unseen_threads: number,
  /** Blocks whose end was not recorded. */
  unmatched: number,
  /**
   * Records that were lost: of switches, and samples of other threads than schedulers. Lost samples of the processor
   * time of schedulers are in the `lost` of all.
   */
  lost: number,
  /** Times in which records may be missing. */
  losses: number,
  /** Time of schedulers of which it is therefore not known whether they ran, milliseconds. */
  unknown_ms: number,
  /** Schedulers that were not recorded, for a part of the capture at least. */
  threads: number,
  /** Why not, of the last one: one clause for people. */
  threads_reason: string, };

/** How many of a kind are online. */
export type OnlineCount = {
  /** How many are online, as `erlang:system_info(schedulers_online)` has it. */
  online: number,
  /** How many there are. */
  all: number, };

/**
 * The sources that the VM was built from, as far as the repository identifies them. Texts are empty
 * when the fact is not known; without a repository all of them are.
 */
export type OriginFacts = {
  /** Address of the remote, without user name, password and token; empty when there is none. */
  repository: string,
  /** Name of the commit, lower-case hex: 40 digits, 64 in repositories with SHA-256. */
  commit: string,
  /** Name of the branch; empty when no branch is checked out. */
  branch: string,
  /** Tracked files differ from the commit, or this could not be determined. */
  dirty: boolean,
  /** The output of `git describe --tags --always`. */
  describe: string,
  /**
   * From a source that the capture names (path below the top of the repository, with forward
   * slashes) to git's hash of the bytes that were on disk.
   */
  sources: { [key in string]: string },
  /** The user gave the commit afterwards. */
  assigned: boolean, };

/**
 * How the cost of sampling was kept low: by a lower sampling rate. Samples of that time stand for
 * more processor time each, so times and shares stay right; there are fewer of them.
 */
export type OverheadQuality = {
  /** The limit, percent of a core. */
  max_pct: number,
  /** Our own CPU time lately, percent of a core; measured. */
  own_pct: number,
  /** For how much of a core threads of the target were stopped lately, percent; estimated. */
  target_pct: number,
  /** The requested samples a second of CPU time. */
  asked_hz: number,
  /** Samples a second of CPU time now. */
  now_hz: number,
  /** When they were fewest. */
  lowest_hz: number,
  /** Times that the rate was changed. */
  changes: number,
  /** How long the rate was lower than requested, seconds. */
  lowered_s: number,
  /**
   * Loaded code was checked less often: where modules are loaded, more samples are
   * `[code reloaded: between readings]`.
   */
  seldom_looks: boolean,
  /** The recent cost was above the limit, and a lower sampling rate would not help. */
  not_kept: boolean, };

/** Name and version of one side. */
export type PeerInfo = {
  /** Name of the program. */
  name: string,
  /** Its version. */
  version?: string, };

/** The programs below the ports of a VM, and all that these have started, as far as it is still below them. */
export type PortChildren = {
  /** Processor time of the VM's own process since it started, milliseconds; null when that is not known. */
  vm_cpu_ms: number | null,
  /** Processor time of all programs, milliseconds. */
  cpu_ms: number,
  /** Resident memory of all, bytes; shared memory counts in each. */
  rss_bytes: number,
  /** Processes. */
  processes: number,
  /** Processor time of those that have ended, milliseconds, at least; null when that is not known. */
  ended_cpu_ms: number | null,
  /** The programs, the most processor time first, at most 100. */
  programs: Array<PortProgram>,
  /** Further programs. */
  more: number,
  /** Programs beyond 1,000, or beyond 10,000 processes, of which nothing is in the sums. */
  uncounted: number,
  /** Children of the VM that are below none of its ports, in no sum above; null when they are not known. */
  beside_ports: BesidePorts | null, };

/** Ports that are called the same and are one process's. */
export type PortKind = {
  /** The first word of their name: `tcp_inet`; of programs it is the program. */
  name: string,
  /** Whose they are; null when they are no process's, and when that is not known. */
  owner: string | null,
  /** How many there are. */
  ports: number, };

/** A program that a VM started, with all processes below it. */
export type PortProgram = {
  /** Its pid. */
  pid: number,
  /** Its port as the node prints it; null when that is not certain, or when the port is closed. */
  port: string | null,
  /** The first word of the port's name. */
  name: string | null,
  /** The port's owner. */
  owner: string | null,
  /** Processor time, milliseconds. */
  cpu_ms: number,
  /** Resident memory, bytes. */
  rss_bytes: number,
  /** Processes. */
  processes: number, };

/** What the programs below the ports of a VM use, and all that these have started. */
export type PortProgramsUse = {
  /** Processes that run. */
  processes: number,
  /** Processor time of all since the VM began, milliseconds; at least. */
  cpuMs: number,
  /** Resident memory of those that run, bytes; shared memory counts in each. */
  rssBytes: number, };

/** A port with a queue. */
export type PortQueue = {
  /** As the node prints it: `#Port<0.4>`. */
  port: string,
  /** The first word of its name: of a program it is the program. */
  name: string,
  /** Its owner; null when it has none, and when that is not known. */
  owner: string | null,
  /** Bytes that wait. */
  queueBytes: number,
  /** Bytes it has read. */
  inBytes: number,
  /** Bytes it was given to write. */
  outBytes: number,
  /** Who sends to it is suspended. */
  busy: boolean, };

/** Data that waits in ports to be written. */
export type PortQueues = {
  /** Ports with bytes that wait, or that are busy. */
  ports: number,
  /** Bytes that wait in all of them. */
  bytes: number,
  /** Those with the longest queues, the longest first; at most 20. */
  longest: Array<PortQueue>,
  /** Entries of the table that ended while it was read, or contradicted themselves. */
  rejected: number, };

/** From what on a process is alarming; null: never. */
export type ProcessAlarms = {
  /** Messages that wait. */
  mailbox: number | null,
  /** Bytes of memory. */
  memory: number | null, };

/** By what processes are sorted. */
export type ProcessColumn = "pid" | "name" | "current" | "status" | "mailbox" | "memory" | "heapUsed" | "binaries" | "reductions" | "collections" | "parent";

/** The groupings. */
export type ProcessGrouping = "none" | "name" | "initialCall" | "current" | "supervisor" | "application" | "tree";

/** Where a process is that is in C code in which the thread that runs it sleeps. */
export type ProcessInC = {
  /**
   * The function that it called, `prim_file:open_nif/2`, or the innermost that called C code; null where neither
   * is proven.
   */
  function: string | null,
  /** The thread, as the kernel counts. */
  threadId: number,
  /** What the kernel calls that thread. */
  threadName: string,
  /** For how long at least, seconds: since the first look that found it so. */
  seconds: number, };

/** A line of the list. */
export type ProcessLine = {
  /** The same as long as it is the same process or group. */
  key: string,
  /** 1 for rows in no group; in the tree, the depth. */
  level: number,
  /** Which of those beside it, from 1 on. */
  position: number,
  /** How many are beside it, itself among them. */
  siblings: number,
  /** Whether it is expanded; null for a row without rows below it. */
  open: boolean | null,
  /** What the group is called; null for a process. Empty: those of which it is not known. */
  group: string | null,
  /** Processes in it; of the tree, it and all below it. 1 for a process of no tree. */
  count: number,
  /** Of them, or of the process: messages that wait. */
  mailbox: number,
  /** There may be more messages than these. */
  mailboxAtLeast: boolean,
  /** Bytes of memory. */
  memory: number,
  /** It may be more than that. */
  memoryAtLeast: boolean,
  /** Of that, bytes of the messages that wait. */
  messageBytes: number,
  /** Words of heap. */
  heapWords: number,
  /** Words of heap in use. */
  heapUsedWords: number,
  /** Bytes of binaries, of those of which it is known, each process for itself; null when of none. */
  binaryBytes: number | null,
  /** Reductions for each second since the look before; null after the first. */
  reductionsPerSecond: number | null,
  /** Collections for each second since the look before, as far as they show; null after the first. */
  collectionsPerSecond: number | null,
  /** It is alarming, or one of the group is. */
  alarming: boolean,
  /** The process; null for a group. Of a tree `mailbox` and what follows it are the process's own. */
  process: ProcessRow | null,
  /** Where the process is when the thread that runs it sleeps in C code; null for all others and for a group. */
  inC: ProcessInC | null,
  /** The first of its ancestors, by name or pid; null for a group and when none is recorded. */
  supervisor: string | null,
  /** The last of its ancestors that has a name; null for a group and where there is none. */
  application: string | null, };

/** A look at all processes. */
export type ProcessLook = {
  /** The first is 1. */
  number: number,
  /** How long ago it ended, milliseconds. */
  ageMs: number,
  /** How long it took, milliseconds. */
  tookMs: number,
  /** Processor time it took, milliseconds. */
  cpuMs: number,
  /**
   * After how long the next one would come, milliseconds: a second, and longer where looks would take more
   * than one part of a hundred of a processor.
   */
  nextMs: number, };

/** Which processes, in which order. */
export type ProcessQuery = {
  /** Their sort order; groups by the sum of their processes, or by the largest. */
  sort: ProcessColumn,
  /** The most first. Unknown values come last in either order. */
  descending: boolean,
  /** Those that have this in their pid, name, label, initial call or function, in whatever case; empty: all. */
  filter: string,
  /** The grouping. */
  grouping: ProcessGrouping,
  /** Keys of groups, or of processes of the tree, that are open. */
  open: Array<string>,
  /** From what on a process is alarming. */
  alarms: ProcessAlarms,
  /** Those that are alarming, and no others. */
  onlyAlarming: boolean, };

/** A process. */
export type ProcessRow = {
  /** `<0.83.0>`. */
  pid: string,
  /** Registered name; null when it has none. */
  name: string | null,
  /** Label, as `proc_lib:set_label/1` sets it; null when it has none, or when that is not known. */
  label: string | null,
  /**
   * False when its label could not be read: it moved its data at each look, as a process that collects garbage all
   * the time does, or its dictionary is too long. The function it was started with is then the one of its first call,
   * `proc_lib:init_p/5`.
   */
  labelKnown: boolean,
  /** The function it was started with, as `proc_lib` has it if that started it. */
  initialCall: string | null,
  /** The function it is in; null while it runs, and when unknown. */
  current: string | null,
  /** Source file of that, as the VM has it; null when unknown. */
  file: string | null,
  /** Line there; null when unknown. */
  line: number | null,
  /** As `process_info(Pid, status)` has it. */
  status: string,
  /** As `process_info(Pid, priority)` has it. */
  priority: string,
  /** Messages that wait. */
  mailbox: number,
  /** There may be more messages: some wait in buffers that could not be read. */
  mailboxAtLeast: boolean,
  /**
   * Bytes as `process_info(Pid, memory)` counts them: struct, heaps, stack, dictionary, links and monitors, and
   * the messages that wait, with the data they carry outside the heap.
   */
  memory: number,
  /** It may be more: not all of that was read, as of a process that runs, or of one with millions of messages. */
  memoryAtLeast: boolean,
  /**
   * Bytes of the messages that wait, with the data they carry outside the heap. They are part of
   * `memory`.
   */
  messageBytes: number,
  /** Words of heap, old heap and fragments. */
  heapWords: number,
  /** Words of these in use, garbage among them; without the stack. */
  heapUsedWords: number,
  /** Reductions of its life, as of when it was last scheduled. */
  reductions: number,
  /** Minor collections since the last one of all. */
  minorGcs: number,
  /**
   * Bytes of the binaries outside its heap that it holds, each once; null when it ran during the
   * reading or holds too many to read.
   */
  binaryBytes: number | null,
  /** The process that started it; null when none did. */
  parent: string | null, };

/**
 * Threads that live for milliseconds end before they can be sampled, and so may work between two looks at the list of
 * threads. The clock of the process has their time all the same.
 */
export type ProcessTime = {
  /** Processor time of all threads since before the first sample, nanoseconds; at least. */
  cpu_ns: number,
  /** The part of it that no sample stands for, nanoseconds; at least: without what chance may do. */
  missing_ns: number, };

/** Limits in a time, and counts of that time. `null`: not known. */
export type ProcessorLimits = {
  /** The control groups of the target were read; if not, it is not known whether it has a quota. */
  groups_known: boolean,
  /** They were read up to the root of the tree; if not, a group around them may have a tighter quota. */
  whole_tree: boolean,
  /** As many processors all the time have the time that the tightest quota of that time allows; null without one. */
  allowed: number | null,
  /** Periods of the quota in which the group ran that was throttled the longest; null without a quota, too. */
  periods: number | null,
  /** Of these, periods in which it was throttled. */
  throttled_periods: number | null,
  /** For how long, of all processors together, milliseconds. */
  throttled_ms: number | null,
  /** Time of all processors that a hypervisor took while there was work, milliseconds. */
  stolen_ms: number | null,
  /** Time in which a thread of the machine waited for a processor, milliseconds (pressure). */
  pressure_ms: number | null,
  /** The same of the target's own control group; version 2 only. */
  group_pressure_ms: number | null,
  /** Where it might run, at the least; absent where that is not known, and in captures of helpers that did not look. */
  affinity?: Affinity, };

/** The programs of ports that have the same name and owner, with all that these have started. */
export type ProgramsOfPort = {
  /** The first word of the port's name; null where the port is closed or not certain. */
  name: string | null,
  /** Pid of the port's owner; null where it is not known. */
  owner: string | null,
  /** Processor time during the capture, milliseconds; at least. */
  cpu_ms: number,
  /** The most resident memory at a reading, bytes; shared memory counts in each. */
  rss_bytes: number, };

/** Parameters of `$/progress`. */
export type ProgressParams = {
  /** The token from the request. */
  token: NumberOrString,
  /** What happened. */
  value: WorkDoneProgress, };

/** One frame. */
export type PstackFrame = {
  /** As shown: `lists:sort/1`. */
  function: string,
  /** Kind of code. */
  kind: FrameKind,
  /** Source file as the VM reports it; null when unknown. */
  file: string | null,
  /** Line being run; null when unknown. */
  line: number | null,
  /** The object it lives in: `beam.smp`, `libc.so.6`, `[kernel]`, `[erlang]`. */
  object: string, };

/** Parameters of `extrospect/pstack`. */
export type PstackParams = {
  /** The process. */
  pid: number,
  /** Dirty schedulers and threads that are no schedulers, too. */
  all?: boolean, };

/** Result of `extrospect/pstack`. */
export type PstackResult = {
  /** Normal schedulers by number; with `all` then dirty ones, then other threads. */
  threads: Array<PstackThread>,
  /** Which schedulers may run; null when that is not known. */
  schedulers: SchedulersOnline | null,
  /**
   * Why nothing of the VM runs and what resumes it; absent when it runs, and with `standstillUnknown`. The frames of each
   * thread are where it was stopped or frozen.
   */
  standstill?: Explanation,
  /** Why it is not known whether anything of it runs; absent where that is known. */
  standstillUnknown?: Explanation,
  /** For how long nothing of the VM ran during the look; absent when it ran, and with `standstill`. */
  halted?: HaltedTime,
  /**
   * A thread has called `erlang:halt` or writes a crash dump: the VM is ending, and its other schedulers are kept from
   * running. Absent where none has.
   */
  ending?: boolean,
  /** The limits of its processor time now, and counts of the time of the look; null in answers of older helpers. */
  processors: ProcessorLimits | null, };

/** One thread and its stack. */
export type PstackThread = {
  /** Kernel thread id. */
  threadId: number,
  /** Thread name as the kernel has it. */
  threadName: string,
  /** Scheduler; null when the thread is none. */
  scheduler: SchedulerId | null,
  /** Whether it is a scheduler that may run; null when it is none, and where that is not known. */
  state: SchedulerState | null,
  /**
   * Whether it slept and ran no process: no sample could be taken, so there are no frames. Never while nothing of
   * the VM runs or while it is ending, and never of a scheduler that may not run.
   */
  idle: boolean,
  /**
   * Of a thread that slept in C code that a process called: for how long at least, seconds. Its frames are that
   * process's; null for any other.
   */
  sleepsInCS: number | null,
  /** Erlang pid of the process it ran; null when it ran none. */
  erlangPid: string | null,
  /** Registered name or initial call of that process; null when unknown. */
  processName: string | null,
  /** Its activity; null when idle. */
  class: SampleClass | null,
  /** How the Erlang frames are known; null when idle. */
  trust: Trust | null,
  /** Innermost first. */
  frames: Array<PstackFrame>, };

/** Counts that travel with every capture. All counts are samples unless the name states otherwise. */
export type QualityRecord = {
  /** Samples seen. */
  samples: number,
  /**
   * Samples that the kernel reports as dropped because a ring was full. It reports none of CPUs that are no longer read:
   * with `gaps.cpus`, there may be more.
   */
  lost: number,
  /**
   * Times the kernel paused the event because sampling cost too much; with `gaps.cpus`, at least. That is no quota of the
   * target: see `processors`.
   */
  throttled: number,
  /** Samples taken in Erlang code. */
  erlang: ErlangQuality,
  /** Samples taken in C code while a process was running. */
  native_in_process: NativeQuality,
  /** Samples of a scheduler that ran neither a process nor a port (scheduling, polling, idle spinning). */
  scheduler: number,
  /**
   * Those of them in functions of the emulator without names, where nothing shows whose work it is: whether it is the
   * scheduler's own, or a search for replaced persistent terms or purged code, is not known. Absent where there are none,
   * and in captures of helpers that did not count them.
   */
  scheduler_unnamed?: number,
  /** Samples of threads that are not schedulers. */
  other: number,
  /**
   * All other samples. Absent in captures of helpers that did not count them: there they are among
   * those of `scheduler` and `other`.
   */
  no_process?: NoProcessQuality,
  /**
   * The VM's processor time by its own clock, against the samples. Absent where it is not known, and in
   * captures of helpers that did not compare them.
   */
  process_time?: ProcessTime,
  /**
   * Processor time that the programs below the VM's ports (`open_port`, `os:cmd`) used during the capture, and all that
   * these have started, milliseconds; at least. They are no part of the VM, and in no sample. Absent where it is not
   * known, and in captures of helpers that did not look.
   */
  port_programs_ms?: number,
  /**
   * Those of them that ran when they were read, about once a second, by port and owner: the most time first, at most
   * ten. Programs that ended before they were read are in `port_programs_ms` alone. Absent where there are none, and in
   * captures of helpers that did not look.
   */
  port_programs?: Array<ProgramsOfPort>,
  /**
   * Processor time that children of the VM used during the capture that are below none of its ports, as those that a NIF has
   * started, and all below them, milliseconds; at least. They are in no sample. Absent where it is not known, and in
   * captures of helpers that did not look.
   */
  beside_ports_ms?: number,
  /** Frames (not samples) for which no function is known. */
  unresolved_frames: number,
  /** Frames (not samples) seen in all. */
  frames: number,
  /** Frames whose function bounds are known but whose name was stripped from the binary. */
  unnamed_static_frames: number,
  /** Samples whose stack was cut before its bottom: `[not copied]`, `[not unwound]` or `[unproven]` there. */
  truncated: number,
  /**
   * Samples whose stack lost the frames in its middle, since it was longer than a capture holds: a
   * frame `[too deep]` or `[shortened]` stands for them. 0 in captures of helpers that did not cut.
   */
  stacks_cut: number,
  /**
   * Those of them that are `[shortened]`: so many deep stacks waited to be written that only 128 frames of
   * further ones are kept. Absent where there are none.
   */
  stacks_shortened?: number,
  /**
   * Samples with a frame that is `[code reloaded: …]`: its address belonged to other code at about
   * that time. 0 in captures of helpers that did not count them.
   */
  reloaded: number,
  /**
   * Those by the reason of their innermost such frame. Absent where there are none, and in captures of helpers that
   * did not count them.
   */
  reloaded_by?: ReloadedBy,
  /**
   * Samples with a frame that is `[unknown function]`: the frames below it are known, and nothing shows which
   * function runs there. Mostly interpreted code that is being replaced. Absent where there are none, and in
   * captures of helpers that did not count them.
   */
  unknown_functions?: number,
  /**
   * Samples in calls that were traced (`dbg`, `eprof`, `tprof`), below them or in the tracing itself: it takes time of
   * its own. Only those that show it: a process that is traced but in no such call does not.
   */
  traced?: number,
  /**
   * Functions that were traced when the capture began, or when it ended if they were more then. Absent where that is not
   * known, as in later files of one capture, and in captures of helpers that did not look.
   */
  tracing?: TracedFunctions,
  /**
   * Processes whose messages or events were traced, of the same moments. Absent where that is not known, as in later
   * files of one capture, and in captures of helpers that did not look.
   */
  traced_processes?: TracedProcesses,
  /**
   * Processor time of the VM before sampling began, milliseconds: no sample stands for it. Only where a VM is
   * captured from its start.
   */
  before_sampling_ms?: number,
  /**
   * Samples whose C stack could not be unwound to its end, although no copy of it failed: no rule is
   * known for a frame, or the stack is longer than the part that is copied. 0 in captures of helpers
   * that did not count them.
   */
  unwind_failed: number,
  /** From the sample to the last remote read it depends on, microseconds. */
  skid_us: SkidMicros,
  /** Our own CPU time as a share of one core, percent. */
  self_cpu_pct: number,
  /** Our own peak resident set, bytes. */
  self_rss_bytes: number,
  /** The sampled event: `cycles` or `cpu-clock`. Empty where no processor time was sampled. */
  event: string,
  /** How Erlang stacks under C code were obtained. */
  engine: EngineQuality,
  /**
   * CPUs, threads and times without samples. Empty in captures of helpers that did not count
   * them.
   */
  gaps: SamplingGaps,
  /** How the cost of sampling was kept low; only where the user set a limit. */
  overhead?: OverheadQuality,
  /**
   * Whether time in the kernel is in the samples. Absent in captures of helpers that did not
   * record it.
   */
  kernel?: KernelTime,
  /** What kept the target from processors. Absent in captures of helpers that did not look. */
  processors?: ProcessorLimits,
  /**
   * The limits in the order in which they were found. Absent where they did not change, and in captures of helpers that
   * did not note that.
   */
  limits_seen?: Array<LimitsSeen>,
  /** Which schedulers might run. Absent in captures of helpers that did not look. */
  schedulers_online?: SchedulersSeen,
  /** Of the type `off-cpu`; all other counts of samples are of processor time. Absent where it was not requested. */
  off_cpu?: OffCpuQuality,
  /** Of the type `faults`. Absent where it was not requested. */
  faults?: FaultsQuality,
  /**
   * Long collections and calls. Absent where they were not looked for: with an emulator without a JIT, where the fields of
   * processes that show them are not known, and in captures of helpers that did not look.
   */
  stays?: StaysQuality,
  /**
   * Facts of the whole capture that were looked for and are not known. Absent where there are none, before the capture
   * has ended, except in later files of one capture, and in captures of helpers that did not record them.
   */
  not_known?: Array<UnknownFact>, };

/** Objects that have no debug file for one reason. */
export type RefusedDebugFiles = {
  /** The server that was queried; null when there was none. */
  server: string | null,
  /** The reason, in English; it can contain texts of a server or a program. */
  reason: string,
  /** Code and arguments of `reason`, unless it consists of such texts alone. */
  messages?: { [key in string]: Message },
  /** The objects; none when it is about all. */
  objects: Array<string>, };

/** The missing parts. */
export type RejectedBinaries = {
  /** Processes that worked whenever they were looked at, or hold more than 262,144 references. */
  restless: number,
  /**
   * Messages that wait and could not be read, at least: their process worked whenever it was looked at, they came from
   * another node and are not decoded yet, or there are too many. The binaries of these are only in the sums of blocks, so
   * with any of them the sums are "at least".
   */
  messages: number,
  /** Entries of the table of processes that are none. */
  entries: RejectedEntries, };

/** Entries of a table that were left out. */
export type RejectedEntries = {
  /** They ended while the table was read. */
  freed: number,
  /** They contradicted themselves each time they were looked at. */
  torn: number, };

/** What contradicted itself whenever it was read, as it does when it changes. */
export type RejectedMemory = {
  /** Instances of allocators that are in no sum. */
  allocators: number,
  /**
   * Instances of allocators that are in the sums, but whose carriers were not all found: a larger free
   * block may be in another.
   */
  carriers: number,
  /** ETS tables that are not shown. */
  tables: number, };

/** Samples in code that was replaced, by the reason why it is not known which version ran. */
export type ReloadedBy = {
  /** It was replaced between the readings of the list of code before and after the sample. */
  between_readings: number,
  /** It was just purged, and may have run a moment longer than it was listed. */
  just_purged: number,
  /** The process was ending, so its stack may have addresses of code that was purged before. */
  process_ending: number,
  /** The sample is older than all readings that are kept. */
  before_readings: number,
  /** Its machine code, which shows where its callers are, is gone, or nothing proves that it is this version's. */
  code_gone: number, };

/** Memory by where it is. */
export type ResidentMemory = {
  /**
   * Memory in no file, bytes, without the part that was returned: carriers, stacks of threads, memory of no
   * carrier. The JIT's code is shared memory, so it is not included.
   */
  anonymous_bytes: number,
  /**
   * Memory that was returned but that the kernel has not taken yet, bytes. It is part of
   * `rss_bytes`.
   */
  lazily_freed_bytes: number,
  /** Memory that is on disk instead, bytes. */
  swapped_bytes: number,
  /**
   * Memory in no file and in no carrier, bytes: stacks of threads, and memory of NIFs, drivers and the C
   * library. Null when the kernel does not report it.
   */
  unexplained_bytes: number | null,
  /** Of that, stacks of threads, bytes; null when not each thread has one where the C library puts them. */
  thread_stacks_bytes: number | null,
  /**
   * Of these, segments that the VM has freed and keeps (the cache of `mseg_alloc`, or the part of its super carrier
   * in no carrier); null when unknown.
   */
  cached_segments_bytes: number | null,
  /**
   * Of that, heaps of the C library's `malloc`, bytes, without pieces that are so large that it maps them by
   * themselves; null when the kernel does not say.
   */
  malloc_bytes: number | null,
  /**
   * Shared memory with what the JIT has made, bytes. It is mapped twice, and counts in each mapping as in
   * `rss_bytes`. Null where code is interpreted, and when the kernel does not say.
   */
  jit_code_bytes: number | null, };

/** Processes and ports that wait to be run. */
export type RunQueues = {
  /** For normal schedulers. */
  normal: number,
  /** For dirty CPU schedulers. */
  dirtyCpu: number,
  /** For dirty I/O schedulers. */
  dirtyIo: number, };

/** The activity at a sample, one class per sample; see `classify` for the order of precedence. */
export type SampleClass = "erlang" | "gc" | "copy" | "compare" | "ets" | "binary" | "lock" | "alloc" | "nif" | "bif" | "runtime" | "port" | "scheduler" | "idle" | "busy_wait" | "kernel" | "other_thread";

/** CPUs, threads and times without samples, and why; all empty when everything was sampled. */
export type SamplingGaps = {
  /** CPUs whose samples were read no more before the capture ended. */
  cpus: Array<number>,
  /** Why not, of the last one: one clause for people. */
  cpus_reason: string,
  /** Threads of the target of which no samples were taken, for a part of the capture at least. */
  threads: number,
  /** Why not, of the last one: one clause for people. */
  threads_reason: string,
  /** The same as a code, where it is one that is known. */
  threads_reason_code?: ThreadsReason,
  /** Times that reading samples failed and went on. One that was lost by it is in `lost`. */
  reader_failures: number,
  /** Times that the target's threads could not be listed: new ones are sampled later. */
  failed_looks: number,
  /**
   * For how long, at least, nothing of the target ran, milliseconds. Absent where it ran all the time, and in
   * captures of helpers that did not look.
   */
  standstill_ms?: number,
  /** Why, at the last reading that found it so; absent when none did. With 0 milliseconds, it was a short time. */
  standstill_reason?: StandstillReason,
  /**
   * A reading did not show whether the target ran: the kernel shows neither its control group nor where it waits. In
   * later files of a recording, any reading since that began. Absent where all of them did.
   */
  standstill_unknown?: boolean,
  /**
   * Samples that are left out because the capture was not written: a disk hung, or the process that writes was
   * stopped, and there was no room in memory for more. Absent where there are none.
   */
  unwritten?: number,
  /**
   * The process that samples exited before the capture ended: all counts are as of its last increment. Absent where it
   * did not.
   */
  ended_early?: boolean,
  /**
   * The samples after the last increment are missing in the file. Only of a file that was read, never in one: absent
   * where its writer closed it with all that there was, and in files of helpers that did not mark the end.
   */
  missing_end?: MissingEnd, };

/** A process that blocks multi-scheduling. */
export type SchedulerBlocker = {
  /** `<0.79.0>`. */
  pid: string,
  /** Registered name, label or initial call; null when unknown. */
  name: string | null, };

/** Which scheduler thread a sample is from. */
export type SchedulerId = { "type": "normal", "number": number } | { "type": "dirty_cpu", "number": number } | { "type": "dirty_io", "number": number };

/** How much of the time a scheduler ran something. */
export type SchedulerShare = {
  /** Which. */
  scheduler: SchedulerId,
  /** 0 to 1, from looking many times: it is no count, and spread by a few hundredths. */
  busy: number,
  /** Whether it may run; null when that is not known. */
  state: SchedulerState | null, };

/** Whether a scheduler may run. */
export type SchedulerState = "online" | "offline" | "blocked";

/** What multi-scheduling is blocked for. */
export type SchedulersBlocked = "all" | "normal";

/** Which schedulers may run. */
export type SchedulersOnline = {
  /** Normal schedulers. */
  normal: OnlineCount,
  /** Dirty CPU schedulers. */
  dirtyCpu: OnlineCount,
  /** What multi-scheduling is blocked for; null when it is not blocked. */
  blocked: SchedulersBlocked | null,
  /** The processes that block it, at most 16. */
  blockers: Array<SchedulerBlocker>, };

/** Which schedulers might run when a time began, and when they were last read in it. `null`: not known. */
export type SchedulersSeen = {
  /** When it began. */
  at_start: SchedulersOnline | null,
  /** At the last reading: at its end, or before it if the VM had ended by then. */
  at_end: SchedulersOnline | null, };

/** The evidence for what the helper reads in the target. */
export type SelfCheck = {
  /** How the layout of the VM's structures was found. */
  layout: string,
  /** Atoms decoded, each valid UTF-8; null where they could not be read: the row `atoms` has the reason. */
  atoms: number | null,
  /** Modules found. */
  modules: number,
  /** Each check. */
  rows: Array<DoctorRow>,
  /** How long attaching took, milliseconds. */
  tookMs: number, };

/** The Language Server Protocol's place for what a server can do; ours is all `experimental`. */
export type ServerCapabilities = {
  /** What the helper can do. */
  experimental: HelperCapabilities, };

/** Parameters of `$/setTrace`. */
export type SetTraceParams = {
  /** How much from now on. */
  value: TraceValue, };

/** Distribution of the reading delay, microseconds. */
export type SkidMicros = {
  /** Median. */
  p50: number,
  /** 99th percentile. */
  p99: number,
  /** Maximum. */
  max: number, };

/** A process that is in C code in which the thread that runs it sleeps. */
export type SleepingInC = {
  /** As the node prints it. */
  pid: string,
  /** Its name; null when unknown. */
  name: string | null,
  /** The function that it called: `prim_file:open_nif/2`; null where that is not proven. */
  function: string | null,
  /** Who called that, `MODULE:FUNCTION/ARITY`, innermost first, at most 16 frames; empty where that is not proven. */
  stack: Array<string>,
  /** The scheduler that runs it. */
  scheduler: SchedulerId,
  /** That scheduler's thread, as the kernel counts. */
  thread_id: number,
  /** What the kernel calls that thread. */
  thread_name: string,
  /** For how long at least, seconds: since the first look that found it so. */
  seconds: number, };

/** Why nothing of the target ran. */
export type StandstillReason = "stopped" | "traced" | "frozen";

/** Counts of the stays of a capture. Times are from the first sample of each to its last. */
export type StaysQuality = {
  /**
   * Two samples of a thread were so far apart at the lowest sampling rate so far, microseconds of processor time: each
   * collection or call that is twice as long has two.
   */
  period_us: number,
  /** Collections. */
  collections: number,
  /** Their time, milliseconds. */
  collections_ms: number,
  /** Calls from Erlang code on a normal scheduler. */
  calls: number,
  /** Their time, milliseconds. */
  calls_ms: number,
  /** Stays that are counted alone, since there were longer ones in the same part of the capture. */
  left_out: number, };

/** How full a table is. */
export type TableFill = {
  /** How many there are. */
  count: number,
  /** How many there may be. */
  limit: number, };

/** What the target is. */
export type TargetFacts = {
  /** Process id, as the helper sees it. */
  pid: number,
  /** OTP release (`25`). */
  otp: string,
  /** Version of the runtime system (`13.1.5`). */
  erts: string,
  /** `jit` or `emu`. */
  flavor: string,
  /** Node name; null when the VM is not distributed. */
  node: string | null,
  /** GNU build id of the emulator, hex; null when it has none. */
  buildId: string | null,
  /** Host name. */
  host: string,
  /** The command line. */
  command: string,
  /** Normal schedulers. */
  schedulers: number,
  /** Dirty CPU schedulers. */
  dirtyCpuSchedulers: number,
  /** Dirty I/O schedulers. */
  dirtyIoSchedulers: number, };

/** Why threads were not sampled. */
export type ThreadsReason = "denied" | "noSuchEvent" | "tooManyFiles";

/** How much the helper logs of its own work by `$/logTrace`. */
export type TraceValue = "off" | "messages" | "verbose";

/** Functions with a breakpoint, by what happens at a call of one. */
export type TracedFunctions = {
  /** Functions of loaded modules, all of which were looked at. */
  looked_at: number,
  /** Functions with a breakpoint. */
  traced: number,
  /** Their calls are reported to a tracer. */
  reported: number,
  /** Their calls are counted. */
  counted: number,
  /** The time of their calls is added up. */
  timed: number,
  /** The memory that their calls take is added up. */
  measured: number, };

/**
 * Processes of which messages or events are reported to a tracer, by kind. Calls are not among it: see
 * [`TracedFunctions`].
 */
export type TracedProcesses = {
  /** Processes that were looked at. */
  looked_at: number,
  /** Further ones, of which nothing is known: there are too many to look at. */
  left_out: number,
  /** Processes of which something is reported. */
  traced: number,
  /** The messages that they send. */
  sends: number,
  /** The messages that they receive. */
  receives: number,
  /** Their starts, links, names and ends. */
  events: number,
  /** When they begin and stop to run. */
  scheduling: number,
  /** Their garbage collections. */
  collections: number, };

/** How the Erlang part of a sample is known. */
export type Trust = "captured" | "validated" | "bracketed" | "unproven" | "no_process";

/** Why something is not known. */
export type Unknown = {
  /** What: the name of its member in the JSON of the command line, as `schedulers_online`. */
  what: string,
  /** Why, one clause for people. */
  why: string, };

/** Processes with the same name that wait in the same function, which is no call that is known. */
export type UnknownCall = {
  /** Their name. */
  waiters: string,
  /** How many. */
  processes: number,
  /** Their pids, at most 5. */
  pids: Array<string>,
  /** The function they wait in. */
  call: string,
  /**
   * The process that they monitor, whose reference is in the frame in which they wait: they likely wait for it,
   * but that is not proven. Null when there is none, or more than one.
   */
  monitors: WaitedProcess | null,
  /**
   * The process in whose mailbox a message waits that names them, and in no other one's: they likely sent it a
   * request, but that is not proven. Null when there is none, or more than one.
   */
  asked: WaitedProcess | null,
  /** The only process whose pid is in the frame in which they wait; null when there is none, or more than one. */
  keeps: WaitedProcess | null, };

/** A fact of a capture that can be not known. */
export type UnknownFact = "tracing" | "processTracing" | "processTime" | "portPrograms" | "schedulersOnline" | "standstill";

/** A lock of mnesia that processes wait for. */
export type WaitedLock = {
  /** The table. */
  table: string,
  /** The shape of the record's key, without its values: `{user, _}`; null for a lock on the whole table. */
  key: string | null,
  /** They want to write, so nothing else may be done with it at the same time; else to read. */
  is_write: boolean,
  /** How many processes have a lock that does not go together with this one: the one that is named, and others. */
  holders: number,
  /** The process that is named has no lock yet: its own request for one comes first. */
  is_ahead: boolean, };

/** A port or a connection that suspends who sends to it. */
export type WaitedPort = {
  /** Whose it is; null when that is not known. */
  owner: WaitedProcess | null,
  /** Bytes that wait to be written or sent; null when that is not known. */
  bytes: number | null, };

/** A process, a port, or the connection to a node, that another one waits for. */
export type WaitedProcess = {
  /**
   * As the node prints it: `<0.83.0>`, `#Port<0.12>`; `{name,node}` of a process with a name on another node;
   * of a connection its node.
   */
  pid: string,
  /** Its name, of a port its driver; null when unknown. */
  name: string | null,
  /** Its node, when it is another one; else null. */
  node: string | null, };

/** Processes that wait for the same one. */
export type WaitingEdge = {
  /** Their name. */
  waiters: string,
  /** How many. */
  processes: number,
  /** How many of them wait no longer than they say. */
  limited: number,
  /** Their pids, at most 5. */
  pids: Array<string>,
  /** The call they wait in: `gen:do_call/4`. */
  call: string,
  /** The process they wait for. */
  target: WaitedProcess,
  /**
   * The process that they called, where that one waits for whatever comes and `target` has their request: it was
   * handed on. Null for most.
   */
  via: WaitedProcess | null,
  /**
   * `target` has or had their request, and which of both is not known: it waits for whatever comes, too, or not all
   * processes that may have the request were searched. Absent where it has it, and without `via`.
   */
  has_or_had?: boolean,
  /** The lock of mnesia for which they wait; null for any other call. */
  lock: WaitedLock | null, };

/** One that others wait for. */
export type WaitingEnd = {
  /** Which. */
  process: WaitedProcess,
  /** How many wait for it. */
  direct: number,
  /** How many wait for it or for one that waits for it. */
  all: number,
  /**
   * Its activity: `running`, `waiting`; `in C`: a scheduler runs it, in C code in which the scheduler's thread sleeps;
   * `gone`: it has ended; `busy`: a port or a connection that suspends its senders. Null for one of another node.
   */
  status: string | null,
  /**
   * Where it is, `MODULE:FUNCTION/ARITY`, innermost first, at most 16 frames; empty when it runs, has ended,
   * or is another node's.
   */
  stack: Array<string>,
  /**
   * It waits for whatever comes, with nothing in its mailbox, so it is not at work on their requests: it keeps them, or
   * has handed them on to a process that is not known.
   */
  idle: boolean,
  /**
   * It is idle by the name of its function alone, which has `loop` in it: it may wait for an answer there. Absent where
   * its loop is known to receive any message.
   */
  idle_by_name?: boolean,
  /** Of a port or a connection; else null. */
  port: WaitedPort | null, };

/** Processes that waited at the same place. */
export type WaitingGroup = {
  /** How long all of them together, seconds. */
  seconds: number,
  /** How many there were in the last look. */
  processes: number,
  /** Their names, the most frequent first; at most 5. */
  names: Array<string>,
  /** `MODULE:FUNCTION/ARITY`, innermost first. */
  stack: Array<string>, };

/**
 * Which process waits for which, in the last snapshot: processes in a call that leads to one process and no other,
 * and those that send to a busy port.
 */
export type WaitsGraph = {
  /**
   * Those with the same name, the same call and the same process that they wait for, the most first; at most
   * 1,000.
   */
  edges: Array<WaitingEdge>,
  /**
   * Processes that wait for each other in a circle: each waits for the next one, the last one for the first. None
   * of them goes on before one of them gives up. At most 100.
   */
  cycles: Array<Array<WaitedProcess>>,
  /** Of each circle, how many of its processes wait no longer than they say: with none, they wait for ever. */
  cycle_limits: Array<number>,
  /**
   * Processes in calls that are not known: each waits in a function that another one called, or keeps a reference in
   * the frame in which it waits, so an answer with it is expected, or is suspended; the most first, at most 200.
   */
  unknown_calls: Array<UnknownCall>,
  /** How many processes are in such calls. */
  in_unknown_calls: number,
  /**
   * Processes that wait for an answer, or for whatever comes, and which of both is not known: each waits in a function
   * that another one called and that has `loop` in its name. Likewise; absent without such.
   */
  maybe_calls?: Array<UnknownCall>,
  /** How many processes these are; absent without such. */
  in_maybe_calls?: number,
  /**
   * Processes that are in C code in which their thread sleeps, the longest first: a scheduler runs them, and they use
   * no processor.
   */
  in_c: Array<SleepingInC>,
  /**
   * Processes whose time limit has passed and timers whose messages are not sent, as their scheduler does not come to
   * notice that, by scheduler, those that are late the longest first.
   */
  late: Array<LateTimeLimits>,
  /** Whether there are such could not be read. Absent where it could. */
  late_unknown?: boolean,
  /**
   * Those that others wait for and that wait for no process themselves, the most waiting first; at most
   * 100.
   */
  ends: Array<WaitingEnd>,
  /** How many more edges, cycles and ends there are. */
  more: number,
  /** Processes in such a call whose target cannot be proven, and those beyond the limit, which may be in none. */
  unproven: number,
  /** Processes in such a call that went on before that could be looked up. */
  moved: number,
  /**
   * Processes that called one that waits for whatever comes, and of which it is not known who works on the request: no
   * process that was searched has it, or more than one, or not all that may have it were searched (too many, too large,
   * or not readable), or its reference is not known.
   */
  not_searched: number, };

/** A look at where processes wait. */
export type WaitsLook = {
  /** Processes that the VM had. */
  processes: number,
  /** Those that waited, and whose stack is known. */
  waiting: number,
  /** Those that worked, or that ended during the reading. */
  restless: number,
  /** Those that rested, and whose stack is not believed. */
  unproven: number,
  /** Of those that waited, how many have a longer stack than was read. */
  cut: number,
  /** No more fits into the capture. */
  full: boolean,
  /**
   * After how long the next look would come, milliseconds: so that looks take no more than one part of a
   * hundred of a processor.
   */
  nextMs: number, };

/** What the looks at where processes wait have seen. */
export type WaitsResult = {
  /** By stack, the most time first; at most 1,000. */
  waits: Array<WaitingGroup>,
  /** How many further stacks there are. */
  leftOut: number,
  /** The processes they wait for. */
  graph: WaitsGraph,
  /** Which schedulers may run at the end; null when that is not known. */
  schedulers: SchedulersOnline | null,
  /**
   * The limits of its processor time at the last look, and counts of the time until then; null in answers of older
   * helpers.
   */
  processors: ProcessorLimits | null,
  /** Why nothing of the VM runs and what resumes it; absent when it runs, and with `standstillUnknown`. */
  standstill?: Explanation,
  /** Why it is not known whether anything of it runs; absent where that is known. */
  standstillUnknown?: Explanation, };

/**
 * A counter of the work that the target does. It is read when the capture begins and when it has
 * ended, by a process that has none of the helper's rights.
 */
export type WorkCounter = {
  /** The unit of work: `orders`; when absent, the name of the metric or the program. */
  name?: string,
  /** Where the number comes from. */
  source: WorkSource, };

/** One step of progress. There is one `begin`, then any number of `report`s, then one `end`. */
export type WorkDoneProgress = { "kind": "begin",
  /** The work. */
  title: string, } | { "kind": "report",
  /** The current step. */
  message: string,
  /** The part that is done, 0 to 100; absent when unknown. */
  percentage?: number, } | { "kind": "end", };

/** What any request's parameters may carry besides their own. */
export type WorkDoneProgressParams = {
  /** The client wants `$/progress` under this token until the request is answered. */
  workDoneToken?: NumberOrString, };

/** Where the number comes from. */
export type WorkSource = { "type": "command",
  /** The program and its arguments. No shell runs it. */
  command: Array<string>, } | { "type": "metric",
  /** `NAME` or `NAME{label="value"}`. */
  metric: string,
  /** Address of the page, of http or https, without name and password. */
  url: string, };
