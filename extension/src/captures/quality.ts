// How far a capture can be believed, in words. No vscode in here.

import { count, dateAndTime, decimal, memorySize, percent } from "../../../contract/figures.js";
import { escapeMarkdown, plainText, type Words } from "../../../contract/plain-text.js";
import { SAMPLES } from "../../../contract/sample-type-words.js";
import type { CaptureFacts } from "../capture/questions.js";
import { helperText } from "../messages/helper-text.js";
import { haltedText } from "../text/halted-text.js";
import { areSchedulersDisturbed, seenSchedulersText } from "../text/shown-schedulers.js";
import { accountedShare } from "./process-time.js";
import { missingKernelTime, missingShare } from "./kernel-time.js";
import { recordedAmount, recordedText } from "./recorded-amount.js";
import type {
  EngineQuality,
  OffCpuQuality,
  ProcessorLimits,
  ProgramsOfPort,
  QualityRecord,
  SamplingGaps,
  SchedulersOnline,
  ThreadsReason,
  UnknownFact,
} from "../../../contract/protocol.generated.js";

/** Above these shares something is wrong with the capture rather than with the VM. */
const LIMITS = {
  lost: 0.01,
  unattributed: 0.01,
  unproven: 0.2,
  incomplete: 0.15,
  truncated: 0.05,
  reloaded: 0.1,
  unresolved: 0.05,
  selfCpuPct: 25,
};
/** Shares of fewer samples are chance. */
const FEWEST_SAMPLES = 50;
/** Below this share of the VM's processor time samples lack work that matters. */
const LEAST_ACCOUNTED = 0.95;
/** From this much processor time on, programs beside the VM are named: milliseconds, and a share of that of the VM. */
const MUCH_BESIDE = { ms: 100, share: 0.1 };

export interface QualityFigure {
  readonly name: string;
  readonly value: string;
}

/** Why the figures of a capture should not be trusted; empty when they can be. */
export function qualityProblems(quality: QualityRecord, l10n: Words, language?: string): string[] {
  const rough = (share: number) => percent(share, 1, language, "rough");
  const {
    samples,
    lost,
    native_in_process: native,
    truncated,
    reloaded,
    unresolved_frames: unresolved,
    frames,
    throttled,
    self_cpu_pct: ownCpu,
  } = quality;
  const kernel = missingKernelTime(quality, l10n, language);
  const problems = [
    ...(kernel === "" ? [] : [kernel]),
    ...processTimeProblem(quality, l10n, language),
    ...gapProblems(quality, l10n, language),
    ...standstillProblem(quality, l10n, language),
    ...tracingProblem(quality, l10n, language),
    ...processTracingProblem(quality, l10n, language),
    ...processorProblems(quality.processors, l10n, language),
    ...(areSchedulersDisturbed(quality.schedulers_online) ? schedulersState(quality, l10n, language) : []),
    ...overheadProblems(quality, l10n, language),
    ...portProgramsProblem(quality, l10n, language),
    ...offCpuProblem(quality, l10n, language),
    ...faultsProblem(quality, l10n, language),
  ];
  if (samples + lost < FEWEST_SAMPLES) return problems;
  const lostShare = share(lost, samples + lost);
  if (lostShare > LIMITS.lost)
    problems.push(l10n.t("{0} of the samples were lost: sample less often", rough(lostShare)));
  if (throttled > 0)
    problems.push(
      l10n.t("The kernel paused sampling {0} times because it cost too much: sample less often", throttled),
    );
  problems.push(...unattributedProblem(quality, l10n, language));
  const unprovenShare = share(native.unproven, native.samples);
  if (unprovenShare > LIMITS.unproven && native.samples >= 50)
    problems.push(l10n.t("No Erlang caller is proven for {0} of the samples in C code", rough(unprovenShare)));
  problems.push(...incompleteProblem(quality, l10n, language));
  const truncatedShare = share(truncated, samples);
  if (truncatedShare > LIMITS.truncated)
    problems.push(l10n.t("{0} of the stacks are cut before their bottom", rough(truncatedShare)));
  const reloadedShare = share(reloaded, samples);
  if (reloadedShare > LIMITS.reloaded)
    problems.push(
      l10n.t(
        "{0} of the samples ran code that was just being reloaded: it could be of either version",
        rough(reloadedShare),
      ),
    );
  const unresolvedShare = share(unresolved, frames);
  if (unresolvedShare > LIMITS.unresolved)
    problems.push(l10n.t("{0} of the frames have no function", rough(unresolvedShare)));
  if (ownCpu > LIMITS.selfCpuPct) problems.push(l10n.t("The helper itself uses {0} of a core", rough(ownCpu / 100)));
  return problems;
}

/** Samples of which it is not known whose they are. */
function unattributedProblem(
  { samples, lost, no_process: rest }: QualityRecord,
  l10n: Words,
  language?: string,
): string[] {
  const unattributed = share(rest?.unattributed ?? 0, samples);
  if (samples + lost < FEWEST_SAMPLES || unattributed <= LIMITS.unattributed) return [];
  return [
    l10n.t(
      "{0} of the samples are not attributed to a process, a port or the scheduler",
      percent(unattributed, 1, language, "rough"),
    ),
  ];
}

/** Stacks that were read too late, most often: the reason names what gives them. */
function incompleteProblem(quality: QualityRecord, l10n: Words, language?: string): string[] {
  const { erlang, native_in_process: native, engine } = quality;
  const all = erlang.samples + native.samples;
  const incomplete = share(all - erlang.complete - native.complete, all);
  if (all < 50 || incomplete <= LIMITS.incomplete) return [];
  const lacking = percent(incomplete, 1, language, "rough");
  if (engine.name !== "readv")
    return [l10n.t("{0} of the samples in a process lack a part of their Erlang stack", lacking)];
  return [
    engine.reason_code === "bpfUnusable"
      ? l10n.t(
          "{0} of the samples in a process lack a part of their Erlang stack, which is read after the sample: “Check Permissions and Setup” shows what the engine bpf requires, which copies it at the sample",
          lacking,
        )
      : l10n.t(
          "{0} of the samples in a process lack a part of their Erlang stack, which is read after the sample: the engine bpf copies it at the sample",
          lacking,
        ),
  ];
}

/** What the VM itself was like: why its figures are few, of something else, or of a part of the time. */
export function stateProblems(quality: QualityRecord, l10n: Words, language?: string): string[] {
  return [
    ...endedEarlyProblem(quality, l10n),
    ...missingEndProblem(quality, l10n, language),
    ...processTimeProblem(quality, l10n, language),
    ...standstillProblem(quality, l10n, language),
    ...tracingProblem(quality, l10n, language),
    ...processTracingProblem(quality, l10n, language),
    ...processorProblems(quality.processors, l10n, language),
    ...schedulersState(quality, l10n, language),
    ...unattributedProblem(quality, l10n, language),
    ...incompleteProblem(quality, l10n, language),
    ...portProgramsProblem(quality, l10n, language),
  ];
}

/** Where a VM leaves its work to programs, its samples show none of it. */
function portProgramsProblem(
  { port_programs_ms: belowPorts, beside_ports_ms: besidePorts, process_time: time }: QualityRecord,
  l10n: Words,
  language?: string,
): string[] {
  if (time === undefined) return [];
  const isMuch = (ms = 0) => ms >= MUCH_BESIDE.ms && ms >= (time.cpu_ns / 1e6) * MUCH_BESIDE.share;
  const seconds = (ms = 0) => decimal(ms / 1000, language, 1);
  return [
    ...(isMuch(belowPorts)
      ? [
          l10n.t(
            "Programs below the VM's ports used at least {0} s of processor time, which is in no sample",
            seconds(belowPorts),
          ),
        ]
      : []),
    ...(isMuch(besidePorts)
      ? [
          l10n.t(
            "Children of the VM below no port used at least {0} s of processor time, which is in no sample",
            seconds(besidePorts),
          ),
        ]
      : []),
  ];
}

/** Threads that live for milliseconds are in no sample, and in no count of lost ones. */
function processTimeProblem({ process_time: time }: QualityRecord, l10n: Words, language?: string): string[] {
  const accounted = accountedShare(time);
  if (accounted === undefined || accounted >= LEAST_ACCOUNTED) return [];
  return [
    l10n.t(
      "Samples account for at most {0} of the VM's processor time: threads that live only briefly, for example, are not sampled",
      percent(accounted, 1, language, "rough"),
    ),
  ];
}

/** A capture without its end. */
function endedEarlyProblem({ gaps }: QualityRecord, l10n: Words): string[] {
  return gaps.ended_early === true
    ? [l10n.t("Sampling ended early, as its process exited: the counts are as of the second before")]
    : [];
}

/** A file without its end. */
function missingEndProblem(
  { gaps: { missing_end: missing } }: QualityRecord,
  l10n: Words,
  language?: string,
): string[] {
  if (missing === undefined) return [];
  const { reason, last_unix_ms: last } = missing;
  const after = last > 0 ? dateAndTime(last, language, "seconds") : l10n.t("the last increment");
  switch (reason) {
    case "notClosed":
      return [
        l10n.t(
          "The file was not closed (it is still being written, is a copy from that time, or its writer was ended): the samples after {0} are missing",
          after,
        ),
      ];
    case "diskFull":
      return [l10n.t("The disk was full: the samples after {0} are missing", after)];
    case "writeFailed":
      return [l10n.t("Writing the file failed: the samples after {0} are missing", after)];
  }
}

/** Problems of samples that are missing altogether. Unlike shares, each is a problem however short the capture is. */
function gapProblems(quality: QualityRecord, l10n: Words, language?: string): string[] {
  const { gaps } = quality;
  const problems = [...endedEarlyProblem(quality, l10n), ...missingEndProblem(quality, l10n, language)];
  if (gaps.unwritten !== undefined && gaps.unwritten > 0)
    problems.push(
      l10n.t(
        "Samples left out because the capture could not be written for a time: {0}",
        count(gaps.unwritten, language),
      ),
    );
  if (gaps.cpus.length > 0)
    problems.push(
      l10n.t(
        "The samples of CPU {0} were not read completely: {1}",
        gaps.cpus.join(", "),
        plainText(gaps.cpus_reason, 200),
      ),
    );
  if (gaps.threads > 0) {
    const why = plainText(threadsReason(gaps, l10n), 200);
    problems.push(
      gaps.threads === 1
        ? l10n.t("1 thread was not sampled: {0}", why)
        : l10n.t("{0} threads were not sampled: {1}", gaps.threads, why),
    );
  }
  return problems;
}

/** Where there are few samples or none, this is why. */
export function standstillProblem(
  { gaps: { standstill_ms: ms = 0, standstill_reason: reason } }: QualityRecord,
  l10n: Words,
  language?: string,
): string[] {
  const text = reason === undefined ? undefined : haltedText({ reason, ms }, l10n, language);
  return text === undefined ? [] : [text];
}

/** Less stolen time than this is no reason to doubt a capture: the kernel counts ticks of 10 ms. */
const LEAST_STOLEN_MS = 100;

/** The time that the VM could not use: its schedulers had work then. Sampling was not paused for that. */
export function processorProblems(limits: ProcessorLimits | undefined, l10n: Words, language?: string): string[] {
  if (limits === undefined) return [];
  const { periods, throttled_periods: throttled, throttled_ms: throttledMs } = limits;
  const seconds = (ms: number) => decimal(ms / 1000, language, 1);
  // A group that is not in sight may have throttled it, too.
  const throttledText = (parts: string, all: string, time: string) =>
    limits.whole_tree
      ? l10n.t("The quota of its control group throttled the VM in {0} of {1} periods, for {2} s", parts, all, time)
      : l10n.t(
          "The quota of its control group throttled the VM in at least {0} of {1} periods, for at least {2} s",
          parts,
          all,
          time,
        );
  return [
    ...(periods === null || throttled === null || throttledMs === null || throttled === 0
      ? []
      : [throttledText(count(throttled, language), count(periods, language), seconds(throttledMs))]),
    ...(limits.stolen_ms === null || limits.stolen_ms < LEAST_STOLEN_MS
      ? []
      : [l10n.t("A hypervisor took {0} s of this machine's processor time", seconds(limits.stolen_ms))]),
    ...waitedProblem(limits, l10n, language),
  ];
}

/** Each thread waits now and then on a busy machine: less than this is no reason to name the processors of a VM. */
const LEAST_WAITED_MS = 1000;

/** Waiting for all processors of a machine is its load; that for a part of them is the limit of the VM. */
function waitedProblem(limits: ProcessorLimits, l10n: Words, language?: string): string[] {
  const { affinity, group_pressure_ms: groupMs, pressure_ms: machineMs } = limits;
  const ms = groupMs ?? machineMs ?? 0;
  if (affinity === undefined || affinity.allowed >= affinity.online || ms < LEAST_WAITED_MS) return [];
  const figures = [
    count(affinity.allowed, language),
    count(affinity.online, language),
    decimal(ms / 1000, language, 1),
  ] as const;
  return [
    groupMs === null
      ? l10n.t("The VM may run on {0} of {1} processors, and threads of the machine waited {2} s for one", ...figures)
      : l10n.t(
          "The VM may run on {0} of {1} processors, and threads of its control group waited {2} s for one",
          ...figures,
        ),
  ];
}

/** A scheduler that may not run is in no sample, whatever work there was for it: a fact, not always a problem. */
function schedulersState({ schedulers_online: seen }: QualityRecord, l10n: Words, language?: string): string[] {
  const text = seenSchedulersText(seen, l10n, language);
  return text === "" ? [] : [text];
}

/** Only where both readings have them: see `unknownFigures` for others. */
function schedulersFigures(
  { schedulers_online: seen }: QualityRecord,
  l10n: Words,
  language?: string,
): [string, string][] {
  const [start, end] = [seen?.at_start ?? null, seen?.at_end ?? null];
  if (start === null || end === null) return [];
  const figure = ({ normal }: SchedulersOnline) => `${count(normal.online, language)} / ${count(normal.all, language)}`;
  return [[l10n.t("Schedulers online"), [...new Set([figure(start), figure(end)])].join(" → ")]];
}

/** Only where the capture contains it. Unknown values have no row. */
function processorFigures({ processors }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  if (processors === undefined) return [];
  const { groups_known: known, whole_tree: whole, allowed, periods, throttled_periods: throttled } = processors;
  const ms = (name: string, value: number | null): [string, string][] =>
    value === null ? [] : [[name, l10n.t("{0} ms", count(value, language))]];
  const figure = decimal(allowed ?? 0, language, 3, 0);
  const quota = !known
    ? l10n.t("not known")
    : allowed !== null
      ? whole
        ? l10n.t("in processors: {0}", figure)
        : l10n.t("in processors: at most {0}", figure)
      : whole
        ? l10n.t("none")
        : l10n.t("none in the control groups in sight");
  return [
    [l10n.t("Quota of processor time"), quota],
    ...(allowed === null
      ? []
      : ([
          [
            l10n.t("… periods throttled / all"),
            throttled === null || periods === null
              ? l10n.t("not known")
              : `${count(throttled, language)} / ${count(periods, language)}`,
          ],
          ...ms(l10n.t("… throttled"), processors.throttled_ms),
        ] satisfies [string, string][])),
    ...(processors.affinity === undefined
      ? []
      : ([
          [
            l10n.t("Processors that the VM may run on / all"),
            `${count(processors.affinity.allowed, language)} / ${count(processors.affinity.online, language)}`,
          ],
        ] satisfies [string, string][])),
    ...ms(l10n.t("Processor time that a hypervisor took"), processors.stolen_ms),
    ...ms(l10n.t("Threads of the machine waited for a processor"), processors.pressure_ms),
    ...ms(l10n.t("Threads of the control group waited for a processor"), processors.group_pressure_ms),
  ];
}

/** A lowered rate makes no figure wrong, only less certain; it explains to the user why there are few samples. */
function overheadProblems({ overhead }: QualityRecord, l10n: Words, language?: string): string[] {
  if (overhead === undefined) return [];
  const rough = (percents: number) => percent(percents, 100, language, "rough");
  const problems: string[] = [];
  if (overhead.changes > 0) {
    problems.push(
      l10n.t(
        "For {0} s the sampling rate was as low as {1} per second instead of {2}, so that sampling costs at most {3} of a core",
        count(Math.round(overhead.lowered_s), language),
        count(overhead.lowest_hz, language),
        count(overhead.asked_hz, language),
        rough(overhead.max_pct),
      ),
    );
  }
  if (overhead.not_kept) {
    const cost = Math.max(overhead.own_pct, overhead.target_pct);
    problems.push(
      l10n.t(
        "Sampling costs {0} of a core, more than the {1} allowed; a lower rate would not change that",
        rough(cost),
        rough(overhead.max_pct),
      ),
    );
  }
  return problems;
}

/** Only where a limit was set. */
function overheadFigures({ overhead }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  if (overhead === undefined) return [];
  const rough = (percents: number) => percent(percents, 100, language, "rough");
  return [
    [l10n.t("Cost allowed, of a core"), rough(overhead.max_pct)],
    [l10n.t("Recent cost for the VM, estimated"), rough(overhead.target_pct)],
    [
      l10n.t("Samples per second: requested / lowest"),
      `${count(overhead.asked_hz, language)} / ${count(overhead.lowest_hz, language)}`,
    ],
    [l10n.t("Seconds at a lower rate"), count(Math.round(overhead.lowered_s), language)],
  ];
}

/** Only where processor time was sampled. */
const eventFigures = ({ event }: QualityRecord, l10n: Words): [string, string][] =>
  event === "" ? [] : [[l10n.t("Sampled"), plainText(event, 40)]];

/** Characters of the reason why times without a processor were not recorded. */
const LONGEST_REFUSAL = 300;

function offCpuProblem({ off_cpu: offCpu }: QualityRecord, l10n: Words, language?: string): string[] {
  if (offCpu?.refused !== undefined)
    return [l10n.t("Time without a processor was not recorded: {0}", plainText(offCpu.refused, LONGEST_REFUSAL))];
  return offCpu === undefined || !(offCpu.left_out > 0) ? [] : [leftOutText(offCpu.left_out, l10n, language)];
}

function leftOutText(blocks: number, l10n: Words, language?: string): string {
  return l10n.t(
    "There were too many blocks: {0} were left out. Those that were recorded stand for the ones below 100 ms, and longer ones count once, below [left out] without a stack",
    count(blocks, language),
  );
}

function faultsProblem({ faults }: QualityRecord, l10n: Words, language?: string): string[] {
  if (faults?.refused !== undefined)
    return [l10n.t("Page faults were not recorded: {0}", plainText(faults.refused, LONGEST_REFUSAL))];
  return faults === undefined || !(faults.left_out > 0) ? [] : [faultsLeftOutText(faults.left_out, l10n, language)];
}

function faultsLeftOutText(faults: number, l10n: Words, language?: string): string {
  return l10n.t(
    "There were too many page faults: {0} were left out, and those that were recorded stand for them",
    count(faults, language),
  );
}

/** What limits numbers of page faults, for texts with such numbers; empty where nothing does. Of several VMs that of all together. */
export function pageFaultsRemark(
  { quality, nodes }: Pick<CaptureFacts, "quality" | "nodes">,
  l10n: Words,
  language?: string,
): string {
  const all = (nodes?.map((node) => node.quality) ?? [quality]).flatMap((record) => record?.faults ?? []);
  const leftOut = all.reduce((sum, { left_out: faults }) => sum + faults, 0);
  if (leftOut > 0) return faultsLeftOutText(leftOut, l10n, language);
  return all.some(({ lost, threads }) => lost + threads > 0)
    ? l10n.t("Some page faults are in no stack: there were at least as many as shown")
    : "";
}

/** What limits figures of blocked time, for texts with such figures; empty where nothing does. Of several VMs that of all together. */
export function blockedTimeRemark(
  { quality, nodes }: Pick<CaptureFacts, "quality" | "nodes">,
  l10n: Words,
  language?: string,
): string {
  const all = (nodes?.map((node) => node.quality) ?? [quality]).flatMap((record) => record?.off_cpu ?? []);
  const leftOut = all.reduce((sum, { left_out: blocks }) => sum + blocks, 0);
  if (leftOut > 0) return leftOutText(leftOut, l10n, language);
  return all.some(lacksBlocks) ? l10n.t("Some blocks are in no stack: blocked time is at least the time shown") : "";
}

/** Blocks are known, or may be, whose time is in no stack. */
function lacksBlocks(offCpu: OffCpuQuality): boolean {
  const { short_blocks: short, unmatched, losses, threads } = offCpu;
  return offCpu.refused === undefined && short + unmatched + losses + threads > 0;
}

/** Of times without a processor, where they were to be recorded. */
function offCpuFigures({ off_cpu: offCpu }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  if (offCpu === undefined) return [];
  if (offCpu.refused !== undefined)
    return [
      [l10n.t("Time without a processor"), l10n.t("not recorded: {0}", plainText(offCpu.refused, LONGEST_REFUSAL))],
    ];
  const number = (value: number) => count(value, language);
  return [
    [
      l10n.t("Time without a processor: blocked / preempted / idle"),
      `${number(offCpu.blocked_ms)} / ${number(offCpu.preempted_ms)} / ${number(offCpu.idle_ms)} ms`,
    ],
    [l10n.t("Blocks: whole stack / all"), `${number(offCpu.whole)} / ${number(offCpu.blocks)}`],
    ...missingBlocks(offCpu, l10n, number),
    ...(offCpu.unknown_ms > 0
      ? [[l10n.t("Time of which it is not known"), `${number(offCpu.unknown_ms)} ms`] as [string, string]]
      : []),
  ];
}

/** Of page faults, where they were to be recorded. */
function faultsFigures({ faults }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  if (faults === undefined) return [];
  if (faults.refused !== undefined)
    return [[l10n.t("Page Faults"), l10n.t("not recorded: {0}", plainText(faults.refused, LONGEST_REFUSAL))]];
  const number = (value: number) => count(value, language);
  const rows: [string, string][] = [
    [l10n.t("Page Faults"), number(faults.faults)],
    [l10n.t("Samples of page faults: whole stack / all"), `${number(faults.whole)} / ${number(faults.samples)}`],
  ];
  if (faults.left_out > 0)
    rows.push([
      l10n.t("Page faults left out, in this time"),
      `${number(faults.left_out)}, ${number(faults.thinned_ms)} ms`,
    ]);
  if (faults.lost > 0) rows.push([l10n.t("Lost samples of page faults"), number(faults.lost)]);
  return rows;
}

/** Of long collections and calls, where there were any. */
function staysFigures({ stays }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  const text = (times: number, ms: number) =>
    l10n.t("{0}, at least {1} ms together", count(times, language), count(ms, language));
  const rows: [string, string][] = [];
  if (stays !== undefined && stays.collections > 0)
    rows.push([l10n.t("Long garbage collections"), text(stays.collections, stays.collections_ms)]);
  if (stays !== undefined && stays.calls > 0)
    rows.push([l10n.t("Long calls of C code"), text(stays.calls, stays.calls_ms)]);
  return rows;
}

/** Blocks that are in no stack. A helper of an earlier version reports none of them. */
function missingBlocks(offCpu: OffCpuQuality, l10n: Words, number: (value: number) => string): [string, string][] {
  const ms = (value: number) => `${number(value)} ms`;
  const rows: [string, string][] = [];
  if (offCpu.left_out > 0)
    rows.push([l10n.t("Blocks left out, in this time"), `${number(offCpu.left_out)}, ${ms(offCpu.thinned_ms)}`]);
  if (offCpu.idle_or_left_out_ms > 0)
    rows.push([l10n.t("Idle, or in a block that was left out"), ms(offCpu.idle_or_left_out_ms)]);
  if (offCpu.short_blocks > 0)
    rows.push([l10n.t("Shorter blocks, in no stack"), `${number(offCpu.short_blocks)}, ${ms(offCpu.short_ms)}`]);
  if (offCpu.lost > 0) rows.push([l10n.t("Lost records of switches"), number(offCpu.lost)]);
  return rows;
}

/** The figures of a quality record, for tables. */
export function qualityFigures(quality: QualityRecord, l10n: Words, language?: string): QualityFigure[] {
  const number = (value: number) => count(value, language);
  const { erlang, native_in_process: native } = quality;
  // A CPU that is no longer read reports neither losses nor pauses.
  const isRead = quality.gaps.cpus.length === 0 && quality.gaps.ended_early !== true;
  const recorded = recordedAmount(quality);
  const figures: [string, string][] = [
    recorded.unit === SAMPLES
      ? [l10n.t("Samples"), number(quality.samples)]
      : [l10n.t("Recorded"), recordedText(recorded, l10n, language)],
    [l10n.t("Lost"), asFarAsKnown(quality.lost, isRead, l10n, number)],
    [l10n.t("Times that sampling was paused"), asFarAsKnown(quality.throttled, isRead, l10n, number)],
    [l10n.t("In Erlang code"), number(erlang.samples)],
    [l10n.t("In C code for a process"), number(native.samples)],
    [l10n.t("… Erlang caller proven"), number(native.with_erlang)],
    [l10n.t("… Erlang caller unproven"), number(native.unproven)],
    [l10n.t("Scheduler without a process"), number(quality.scheduler)],
    ...unnamedFigures(quality, l10n, number),
    [l10n.t("Other threads"), number(quality.other)],
    ...noProcessFigures(quality, l10n, number),
    [l10n.t("Stacks cut before their bottom"), number(quality.truncated)],
    [l10n.t("… C stack not unwound"), number(quality.unwind_failed)],
    [l10n.t("Stacks too deep to keep their middle"), number(quality.stacks_cut)],
    ...shortenedFigures(quality, l10n, number),
    [l10n.t("In code that was being reloaded"), number(quality.reloaded)],
    ...reloadedFigures(quality, l10n, number),
    ...nameless(quality, l10n, number),
    [l10n.t("Frames without a function"), `${number(quality.unresolved_frames)} / ${number(quality.frames)}`],
    ...tracedFigures(quality, l10n, language),
    ...beforeFigures(quality, l10n, language),
    ...engineFigures(quality, l10n, number),
    ...gapFigures(quality, l10n, number),
    [l10n.t("CPU of the helper"), percent(quality.self_cpu_pct, 100, language, "rough")],
    ...overheadFigures(quality, l10n, language),
    ...eventFigures(quality, l10n),
    ...offCpuFigures(quality, l10n, language),
    ...faultsFigures(quality, l10n, language),
    ...staysFigures(quality, l10n, language),
    ...kernelFigures(quality, l10n, language),
    ...processorFigures(quality, l10n, language),
    ...schedulersFigures(quality, l10n, language),
    ...processTimeFigures(quality, l10n, language),
    ...portProgramsFigures(quality, l10n, language),
    ...unknownFigures(quality, l10n),
  ];
  return figures.map(([name, value]) => ({ name, value }));
}

/** Facts that the helper looked for: without a row they would pass for none. */
function unknownFigures({ not_known: facts = [] }: QualityRecord, l10n: Words): [string, string][] {
  const texts: Record<UnknownFact, string> = {
    tracing: l10n.t("Functions with call tracing"),
    processTracing: l10n.t("Processes whose messages or events are traced"),
    processTime: l10n.t("Processor time of the VM in samples"),
    portPrograms: l10n.t("Processor time of programs below ports, in no sample"),
    schedulersOnline: l10n.t("Schedulers online"),
    standstill: l10n.t("Whether the VM was halted"),
  };
  return facts.map((fact) => [texts[fact], l10n.t("not known")]);
}

/** A count that may have ended before the capture. */
function asFarAsKnown(value: number, isWhole: boolean, l10n: Words, number: (value: number) => string): string {
  if (isWhole) return number(value);
  return value === 0 ? l10n.t("not known") : l10n.t("at least {0}", number(value));
}

/** Only where so many deep stacks waited to be written that further ones were cut shorter. */
function shortenedFigures(
  { stacks_shortened: shortened = 0 }: QualityRecord,
  l10n: Words,
  number: (value: number) => string,
): [string, string][] {
  return shortened === 0
    ? []
    : [[l10n.t("… shortened because too many deep stacks waited to be written"), number(shortened)]];
}

/** Only where functions of the emulator have no names, as of OTP 29. */
function unnamedFigures(
  { scheduler_unnamed: unnamed = 0 }: QualityRecord,
  l10n: Words,
  number: (value: number) => string,
): [string, string][] {
  return unnamed === 0
    ? []
    : [
        [
          l10n.t("… without names: own work, as freeing memory, or for replaced persistent terms or purged code"),
          number(unnamed),
        ],
      ];
}

/** Why it is not known which version of replaced code ran: each reason that there is. */
function reloadedFigures(
  { reloaded_by: by }: QualityRecord,
  l10n: Words,
  number: (value: number) => string,
): [string, string][] {
  const figures: [string, number][] = [
    [l10n.t("… replaced between two readings of the list of code"), by?.between_readings ?? 0],
    [l10n.t("… just purged"), by?.just_purged ?? 0],
    [l10n.t("… of a process that was ending"), by?.process_ending ?? 0],
    [l10n.t("… before the first reading that is kept"), by?.before_readings ?? 0],
    [l10n.t("… whose machine code is gone"), by?.code_gone ?? 0],
  ];
  return figures.filter(([, samples]) => samples > 0).map(([name, samples]) => [name, number(samples)]);
}

/** Only where the function that ran is not known, above a stack that is. */
function nameless(
  { unknown_functions: samples = 0 }: QualityRecord,
  l10n: Words,
  number: (value: number) => string,
): [string, string][] {
  return samples === 0 ? [] : [[l10n.t("In a function that is not known"), number(samples)]];
}

/** Where no look at all of them succeeded, whether any is traced is not known: see `unknownFigures`. */
function tracedFigures(
  { tracing, traced_processes: processes, traced = 0 }: QualityRecord,
  l10n: Words,
  language?: string,
): [string, string][] {
  const number = (value: number) => count(value, language);
  const share = (found: { readonly traced: number; readonly looked_at: number }) =>
    `${number(found.traced)} / ${number(found.looked_at)}`;
  const figures: [string, string | undefined][] = [
    [l10n.t("Functions with call tracing"), tracing && share(tracing)],
    [l10n.t("Processes whose messages or events are traced"), processes && share(processes)],
    [l10n.t("In or below traced calls"), traced === 0 ? undefined : number(traced)],
  ];
  return figures.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]));
}

/** Breakpoints take time of their own, which is that of the functions that have them. */
function tracingProblem({ tracing, traced = 0 }: QualityRecord, l10n: Words, language?: string): string[] {
  const number = (value: number) => count(value, language);
  // It began after the look at the begin of the capture, and ended before that at its end; or no look succeeded.
  if (tracing === undefined || tracing.traced === 0)
    return traced === 0
      ? []
      : [
          l10n.t(
            "Call tracing was on, and took time of its own (samples in or below traced calls: {0})",
            number(traced),
          ),
        ];
  return [
    l10n.t(
      "Call tracing is on, and takes time of its own: {0} functions have breakpoints (reported: {1}, counted: {2}, timed: {3}, memory measured: {4})",
      number(tracing.traced),
      number(tracing.reported),
      number(tracing.counted),
      number(tracing.timed),
      number(tracing.measured),
    ),
  ];
}

/** Those that were not looked at may be traced, too. */
function processTracingProblem(
  { traced_processes: processes }: QualityRecord,
  l10n: Words,
  language?: string,
): string[] {
  const { traced = 0, looked_at: all = 0, left_out: others = 0 } = processes ?? {};
  const number = (value: number) => count(value, language);
  return [
    ...(traced === 0
      ? []
      : [
          l10n.t(
            "Process tracing is on, and takes time of its own: messages or events of {0} of {1} processes",
            number(traced),
            number(all),
          ),
        ]),
    ...(others === 0 ? [] : [l10n.t("Whether {0} further processes are traced is not known", number(others))]),
  ];
}

/** Only of a VM that was captured from its start. */
function beforeFigures(
  { before_sampling_ms: before = 0 }: QualityRecord,
  l10n: Words,
  language?: string,
): [string, string][] {
  return before === 0
    ? []
    : [[l10n.t("Processor time before sampling began"), l10n.t("{0} ms, without samples", count(before, language))]];
}

/** Not in captures of helpers that did not count them: there they are among the others. */
function noProcessFigures(
  { no_process: rest }: QualityRecord,
  l10n: Words,
  number: (value: number) => string,
): [string, string][] {
  if (rest === undefined) return [];
  return [
    [l10n.t("Ports, as tasks of a scheduler"), number(rest.port_tasks)],
    [l10n.t("Not attributed"), number(rest.unattributed)],
  ];
}

/** Only where samples lack time that the VM's own clock has. */
function processTimeFigures({ process_time: time }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  const accounted = accountedShare(time);
  return accounted === undefined
    ? []
    : [
        [
          l10n.t("Processor time of the VM in samples"),
          l10n.t("at most {0}", percent(accounted, 1, language, "rough")),
        ],
      ];
}

/** Only where it is known: then none is a figure, too. */
function portProgramsFigures(
  { port_programs_ms: ms, port_programs: ports = [], beside_ports_ms: beside }: QualityRecord,
  l10n: Words,
  language?: string,
): [string, string][] {
  const besideFigures: [string, string][] =
    beside === undefined
      ? []
      : [
          [
            l10n.t("Processor time of children that belong to no port, in no sample"),
            l10n.t("{0} ms", count(beside, language)),
          ],
        ];
  if (ms === undefined) return besideFigures;
  const ofPort = ({ name, owner }: ProgramsOfPort) => {
    if (name === null) return l10n.t("… port not known");
    const program = plainText(name, 80);
    return owner === null ? `… ${program}` : l10n.t("… {0} of {1}", program, plainText(owner, 40));
  };
  return [
    [l10n.t("Processor time of programs below ports, in no sample"), l10n.t("{0} ms", count(ms, language))],
    ...ports.map((port): [string, string] => [
      ofPort(port),
      l10n.t("{0} ms, up to {1} of memory", count(port.cpu_ms, language), memorySize(port.rss_bytes, language)),
    ]),
    ...besideFigures,
  ];
}

/** Only where the capture contains it. */
function kernelFigures({ kernel }: QualityRecord, l10n: Words, language?: string): [string, string][] {
  if (kernel === undefined) return [];
  const share = missingShare(kernel);
  const missing =
    share === undefined ? l10n.t("not in it") : l10n.t("not in it: at least {0}", percent(share, 1, language, "rough"));
  return [[l10n.t("Time in the kernel"), kernel.sampled ? l10n.t("in it") : missing]];
}

/** Figures that only one of the engines has. Captures of older helpers do not name their engine. */
function engineFigures(
  { engine, skid_us: skid }: QualityRecord,
  l10n: Words,
  number: (value: number) => string,
): [string, string][] {
  const name: [string, string][] =
    engine.name === "" ? [] : [[l10n.t("Engine"), plainText(`${engine.name}: ${engineReason(engine, l10n)}`, 300)]];
  if (engine.name !== "bpf")
    return [
      ...name,
      [l10n.t("Read after the sample, median / 99 %"), l10n.t("{0} µs / {1} µs", number(skid.p50), number(skid.p99))],
    ];
  const dropped = asFarAsKnown(engine.dropped, engine.dropped_at_least !== true, l10n, number);
  return [
    ...name,
    [l10n.t("Samples with / without a copied stack"), `${number(engine.matched)} / ${number(engine.unmatched)}`],
    [l10n.t("Copies dropped / failed"), `${dropped} / ${number(engine.copy_failed)}`],
  ];
}

/** The clause itself is English: what the kernel did is in it. */
function engineReason({ reason, reason_code: code }: EngineQuality, l10n: Words): string {
  switch (code) {
    case "askedFor":
      return l10n.t("requested");
    case "accepted":
      return l10n.t("the kernel accepts its program");
    default:
      return reason;
  }
}

/** The helper's message for each reason. */
const THREADS_REASONS = {
  denied: "openDenied",
  noSuchEvent: "openNoSuchEvent",
  tooManyFiles: "openTooManyFiles",
} as const satisfies Record<ThreadsReason, string>;

function threadsReason({ threads_reason: reason, threads_reason_code: code }: SamplingGaps, l10n: Words): string {
  return helperText(reason, code && { code: THREADS_REASONS[code] }, l10n);
}

/** Only where something could not be sampled. */
function gapFigures({ gaps }: QualityRecord, l10n: Words, number: (value: number) => string): [string, string][] {
  const figures: [string, string | number][] = [
    [l10n.t("CPUs not read completely"), gaps.cpus.join(", ")],
    [l10n.t("Threads not sampled"), gaps.threads],
    [l10n.t("Times that reading samples failed"), gaps.reader_failures],
    [l10n.t("Failed listings of threads"), gaps.failed_looks],
    [l10n.t("Left out while the capture was not written"), gaps.unwritten ?? 0],
  ];
  return figures
    .filter(([, value]) => value !== 0 && value !== "")
    .map(([name, value]) => [name, typeof value === "number" ? number(value) : plainText(value, 100)]);
}

/** A Markdown table of figures. */
export function figuresAsMarkdown(figures: readonly QualityFigure[]): string {
  const rows = figures.map(({ name, value }) => `| ${escapeMarkdown(name)} | ${escapeMarkdown(value)} |`);
  return ["| | |", "|:--|--:|", ...rows].join("\n");
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
