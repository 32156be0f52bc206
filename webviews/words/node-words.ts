// Words that describe a node as a whole.

import type { SchedulerId, StandstillReason } from "../../contract/protocol.generated.js";
import { l10n } from "./l10n.js";

export const NODE_WORDS = {
  label: l10n.t("The node as a whole"),
  process: (pid: number) => l10n.t("Process {0}", pid),
  processId: (pid: number) => l10n.t("process {0}", pid),
  release: (otp: string, flavor: string) =>
    flavor === "jit" ? l10n.t("OTP {0} with JIT", otp) : l10n.t("OTP {0}, interpreted", otp),
  restoredLabel: l10n.t("The window was reloaded"),
  restored: l10n.t("The window was reloaded. Nothing of this VM is read until you read it again."),
  lookAgain: l10n.t("Read Again"),
  lookAgainHelp: l10n.t("Attach again, also to a VM of the same name that has started since then"),
  uptime: l10n.t("Up for"),
  uptimeHelp: (since: string) => l10n.t("Its process was started {0}", since),
  standstill: (code: string) =>
    code === "vmStopped"
      ? l10n.t("a signal has stopped it")
      : code === "vmTraced"
        ? l10n.t("a debugger holds it")
        : l10n.t("its control group is frozen"),
  halted: (reason: StandstillReason, seconds: string) =>
    reason === "stopped"
      ? l10n.t("The VM did not run for at least {0} s: a signal had stopped it", seconds)
      : reason === "traced"
        ? l10n.t("The VM did not run for at least {0} s: a debugger held it", seconds)
        : l10n.t("The VM did not run for at least {0} s: its control group was frozen", seconds),
  haltedShortly: {
    stopped: l10n.t("The VM did not run for a time: a signal had stopped it"),
    traced: l10n.t("The VM did not run for a time: a debugger held it"),
    frozen: l10n.t("The VM did not run for a time: its control group was frozen"),
  } satisfies Record<StandstillReason, string>,
  standstillUnknown: l10n.t(
    "It is not known whether this VM is halted: the kernel shows neither its control group nor where it waits.",
  ),
  standstillLine: (why: string) => l10n.t("This VM is halted: {0}.", why),
  resume: (command: string) => l10n.t("Resume it: {0}", command),
  schedulers: {
    normal: l10n.t("Schedulers"),
    dirty_cpu: l10n.t("Dirty CPU"),
    dirty_io: l10n.t("Dirty I/O"),
  } satisfies Record<SchedulerId["type"], string>,
  schedulerHelp: (shares: string) => l10n.t("Share of a short time in which each of them ran work: {0}", shares),
  online: (online: string, all: string) => l10n.t("{0} of {1} schedulers online", online, all),
  dirtyOnline: (online: string, all: string) => l10n.t("{0} of {1} dirty CPU schedulers online", online, all),
  onlineUnknown: l10n.t("Which schedulers were online is not known"),
  blocked: l10n.t("Multi-scheduling is blocked; by which process is not known"),
  blockedBy: (names: string) => l10n.t("Multi-scheduling is blocked by {0}", names),
  traced: (traced: string, all: string) =>
    l10n.t("Call tracing is on, and takes time of its own: {0} of {1} functions have a breakpoint", traced, all),
  processesTraced: (traced: string, all: string) =>
    l10n.t("Process tracing is on, and takes time of its own: messages or events of {0} of {1} processes", traced, all),
  processesNotLookedAt: (others: string) => l10n.t("Whether {0} further processes are traced is not known", others),
  quota: (processors: string) => l10n.t("A quota of its control group limits its processors to {0}", processors),
  quotaAtMost: (processors: string) =>
    l10n.t("A quota of its control group limits its processors to at most {0}", processors),
  affinity: (allowed: string, all: string, schedulers: string) =>
    l10n.t("It may run on {0} of {1} processors, with {2} schedulers online", allowed, all, schedulers),
  throttled: (ms: string) => l10n.t("throttled in the last snapshot, for {0} ms of all processors", ms),
  throttledAtLeast: (ms: string) => l10n.t("throttled in the last snapshot, for at least {0} ms of all processors", ms),
  notThrottled: (periods: string) => l10n.t("not throttled in {0} periods of the last snapshot", periods),
  notThrottledInSight: (periods: string) =>
    l10n.t("not throttled by the control groups in sight in {0} periods of the last snapshot", periods),
  throttledInWatch: (parts: string, all: string, seconds: string) =>
    l10n.t("The quota of its control group throttled the VM in {0} of {1} periods, for {2} s", parts, all, seconds),
  throttledInWatchAtLeast: (parts: string, all: string, seconds: string) =>
    l10n.t(
      "The quota of its control group throttled the VM in at least {0} of {1} periods, for at least {2} s",
      parts,
      all,
      seconds,
    ),
  stolen: (seconds: string) => l10n.t("A hypervisor took {0} s of this machine's processor time", seconds),
  waitedOfGroup: (allowed: string, all: string, seconds: string) =>
    l10n.t(
      "The VM may run on {0} of {1} processors, and threads of its control group waited {2} s for one",
      allowed,
      all,
      seconds,
    ),
  waitedOfMachine: (allowed: string, all: string, seconds: string) =>
    l10n.t(
      "The VM may run on {0} of {1} processors, and threads of the machine waited {2} s for one",
      allowed,
      all,
      seconds,
    ),
  throttlingUnknown: l10n.t("whether it was throttled is not known"),
  schedulerState: { offline: l10n.t("offline"), blocked: l10n.t("blocked") },
  runQueue: l10n.t("Run queue"),
  runQueueHelp: (normal: string, dirtyCpu: string, dirtyIo: string) =>
    l10n.t(
      "Processes and ports that wait to be run: {0} normal, {1} dirty CPU, {2} dirty I/O",
      normal,
      dirtyCpu,
      dirtyIo,
    ),
  processes: l10n.t("Processes"),
  ports: l10n.t("Ports"),
  atoms: l10n.t("Atoms"),
  ofLimit: (there: string, limit: string, part: string) => l10n.t("{0} of at most {1} ({2})", there, limit, part),
  eachSecond: (rate: string) => l10n.t("{0}/s", rate),
  collections: l10n.t("Collections"),
  collectionsHelp: (bytes: string) =>
    l10n.t(
      "Garbage collections between the last two snapshots, which freed {0} per second. Collections on dirty schedulers are not counted",
      bytes,
    ),
  reductions: l10n.t("Reductions"),
  reductionsHelp: (switches: string) =>
    l10n.t(
      "Work between the last two snapshots, about one for each call; schedulers switched {0} times per second from one process to another",
      switches,
    ),
  io: l10n.t("IO"),
  ioHelp: l10n.t("Bytes per second that ports read and wrote between the last two snapshots"),
  inAndOut: (input: string, output: string) => l10n.t("{0}/s in, {1}/s out", input, output),
  memory: l10n.t("Memory"),
  memoryHelp: l10n.t("Memory that the VM has handed out in blocks, and its code: about erlang:memory(total)"),
  memoryAndRss: (rss: string) =>
    l10n.t(
      "Memory that the VM has handed out in blocks, and its code: about erlang:memory(total). {0} of the process are in memory",
      rss,
    ),
  portQueues: l10n.t("Queued output"),
  portQueuesHelp: l10n.t("Bytes that wait in ports to be written; a process that sends to a busy port is suspended"),
  inPorts: (bytes: string, ports: number, shown: string) =>
    ports === 1 ? l10n.t("{0} in 1 port", bytes) : l10n.t("{0} in {1} ports", bytes, shown),
  busyPorts: (ports: number, shown: string) =>
    ports === 1 ? l10n.t("1 port is busy:") : l10n.t("{0} ports are busy:", shown),
  portQueue: (port: string, name: string, owner: string, bytes: string) =>
    l10n.t("{0} {1} of {2}: {3}", port, name, owner, bytes),
  portsRejected: (ports: string) => l10n.t("{0} more could not be read", ports),
  programs: l10n.t("Programs"),
  programsValue: (seconds: string, bytes: string) => l10n.t("{0} s of CPU time, {1}", seconds, bytes),
  programsHelp: (seconds: string) =>
    l10n.t(
      "Processor time and resident memory of the programs that the VM runs below ports, and of what these have started. The VM itself has used {0} s",
      seconds,
    ),
  program: (program: string, owner: string, seconds: string, bytes: string) =>
    l10n.t("{0} of {1}: {2} s, {3}", program, owner, seconds, bytes),
  programsMore: (programs: string) => l10n.t("{0} more programs", programs),
  besidePorts: (processes: string, seconds: string, bytes: string) =>
    l10n.t(
      "Children of the VM that belong to no port, including those that ended: {0} running, {1} s, {2}",
      processes,
      seconds,
      bytes,
    ),
  connections: l10n.t("Other nodes"),
  connectionsHelp: l10n.t(
    "Nodes to which it is connected, and data that waits to be sent to them; a process that sends to a busy node is suspended",
  ),
  busyNodes: (nodes: number, shown: string) => (nodes === 1 ? l10n.t("1 is busy:") : l10n.t("{0} are busy:", shown)),
  nodeQueue: (node: string, bytes: string) => l10n.t("{0}: {1}", node, bytes),
  nearLimit: (part: string) => l10n.t("{0} of the limit", part),
} as const;
