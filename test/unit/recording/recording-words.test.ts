import assert from "node:assert/strict";
import { test } from "node:test";
import {
  captureFileName,
  copyName,
  freeName,
  importedName,
  renamedTo,
} from "../../../extension/src/captures/capture-file.js";
import { figuresAsMarkdown, qualityFigures, qualityProblems } from "../../../extension/src/captures/quality.js";
import { addedAmounts, recordedAmount } from "../../../extension/src/captures/recorded-amount.js";
import { RefreshCost } from "../../../extension/src/recording/refresh-cost.js";
import { endText, progressText } from "../../../extension/src/recording/status-text.js";
import { settingValue } from "../../../extension/src/setting-values.js";
import { attachArguments, pidFromText } from "../../../extension/src/targets/attach-arguments.js";
import { clock } from "../../../extension/src/text/clock.js";
import type {
  OffCpuQuality,
  ProgramsOfPort,
  QualityRecord,
  SchedulersOnline,
} from "../../../contract/protocol.generated.js";
import { GERMAN } from "../german.js";
import { ENGLISH, qualityOf } from "./fakes.js";

const samples = (amount: number) => ({ amount, unit: "samples" });

/** Of a capture without processor time. Two more blocks were too short for the stacks. */
const blockedAlone = (blocks: number, blockedMs = 519) =>
  qualityOf(0, {
    event: "",
    off_cpu: {
      switches: 9,
      switches_per_s: 1,
      blocks: blocks + 2,
      whole: 0,
      min_block_us: 100,
      short_blocks: 2,
      short_ms: 0,
      thinned_ms: 0,
      left_out: 0,
      idle_or_left_out_ms: 0,
      blocked_ms: blockedMs,
      preempted_ms: blockedMs === 0 ? 0 : 1154,
      idle_ms: 19_400,
      in_progress: 0,
      unseen_threads: 0,
      unmatched: 0,
      lost: 0,
      losses: 0,
      unknown_ms: 0,
      threads: 0,
      threads_reason: "",
    },
  });

test("arguments of attach: what is known is taken, what makes no sense is named", () => {
  assert.deepEqual(attachArguments(undefined, ENGLISH), {});
  assert.deepEqual(attachArguments("4242", ENGLISH), {});
  assert.deepEqual(attachArguments({ pid: 4242, node: "shop", attachable: true }, ENGLISH), { pid: 4242 });
  const types = ["cpu", "off-cpu"];
  const all = { pid: 1, durationSeconds: 0, frequencyHz: 10_000, kernelFrames: false, engine: "bpf", types };
  assert.deepEqual(attachArguments(all, ENGLISH), all);
  assert.deepEqual(attachArguments({ host: "web" }, ENGLISH), { host: { ssh: "web" } });
  const container = { command: "docker", values: { container: "shop-1" } };
  assert.deepEqual(attachArguments({ host: { ...container, program: "rm" } }, ENGLISH), { host: container });
  for (const [name, values] of Object.entries({
    pid: [0, -1, 1.5, "1", Infinity, null, 2 ** 23],
    durationSeconds: [-1, NaN, "5"],
    frequencyHz: [0, 10_001, 1.5],
    kernelFrames: ["yes", 1],
    engine: ["ebpf", 1],
    types: ["cpu", [], ["cpu", "cpu"], ["alloc"], [1]],
    host: [1, null, {}, { command: "docker" }, { command: "docker", values: { container: 1 } }],
  })) {
    for (const value of values)
      assert.throws(() => attachArguments({ [name]: value }, ENGLISH), {
        name: "RangeError",
        message: new RegExp(`extrospect\\.attach: ${name} must be `),
      });
  }
});

test("typed process ids and odd settings", () => {
  assert.equal(pidFromText(" 4242 "), 4242);
  for (const wrong of ["", "0", "-1", "1e3", "0x10", "12 13", "99999999", "pid"])
    assert.equal(pidFromText(wrong), undefined, wrong);
  assert.equal(settingValue("capture.frequencyHz", 499), 499);
  for (const wrong of [0, "499", null, 20_000]) assert.equal(settingValue("capture.frequencyHz", wrong), 99);
});

test("capture files are named after node, time and commit, whatever the node is called", () => {
  const at = new Date(2026, 10, 21, 14, 3, 12);
  assert.equal(captureFileName("shop@localhost", 4242, at), "shop-20261121-140312.pb.gz");
  assert.equal(captureFileName("shop@localhost", 4242, at, "ab12cd3456789"), "shop-20261121-140312-ab12cd3.pb.gz");
  assert.equal(captureFileName(null, 4242, at), "beam-4242-20261121-140312.pb.gz");
  assert.equal(captureFileName("../../etc/passwd\0", 4242, at), "etc_passwd-20261121-140312.pb.gz");
  assert.equal(captureFileName("///", 4242, at), "beam-4242-20261121-140312.pb.gz");
  assert.equal(captureFileName("käse@höhle", 1, at), "käse-20261121-140312.pb.gz");
  assert.ok(captureFileName("x".repeat(1e6), 1, at).length < 100);
  const taken = new Set(["a.pb.gz", "a-2.pb.gz"]);
  assert.equal(
    freeName("a.pb.gz", (name) => taken.has(name)),
    "a-3.pb.gz",
  );
});

test("files of other tools keep their endings, copied or as captures", () => {
  for (const [name, next] of [
    ["a.speedscope.json", "a-2.speedscope.json"],
    ["shop-1.2.folded.gz", "shop-1.2-2.folded.gz"],
    ["a", "a-2"],
  ] as const)
    assert.equal(
      freeName(name, (taken) => taken === name),
      next,
    );
  for (const [name, capture] of [
    ["a.pb.gz", "a.pb.gz"],
    ["a.pb", "a.pb.gz"],
    ["a.pprof.gz", "a.pb.gz"],
    ["go-cpu.gz", "go-cpu.pb.gz"],
    ["a.folded.gz", "a.folded.pb.gz"],
    ["profile.json", "profile.json.pb.gz"],
  ] as const)
    assert.equal(importedName(name), capture);
});

test("the copy of a capture has the ending of captures, once", () => {
  for (const [chosen, name] of [
    ["copy.pb.gz", "copy.pb.gz"],
    ["copy.gz", "copy.pb.gz"],
    ["copy.pb", "copy.pb.gz"],
    ["copy", "copy.pb.gz"],
    ["2.1", "2.1.pb.gz"],
    [".gz", ".gz.pb.gz"],
  ] as const)
    assert.equal(copyName(chosen), name);
});

test("new names keep the ending and stay in their folder", () => {
  assert.deepEqual(renamedTo(" before fix "), { name: "before fix.pb.gz" });
  assert.deepEqual(renamedTo("a.pb.gz"), { name: "a.pb.gz" });
  for (const wrong of ["", "  ", ".pb.gz", "..", "a/b", "a\\b", "a\0"])
    assert.deepEqual(renamedTo(wrong), { problem: "impossible" }, wrong);
  assert.deepEqual(renamedTo("x".repeat(200)), { name: `${"x".repeat(200)}.pb.gz` });
  assert.deepEqual(renamedTo(`${"x".repeat(201)}.pb.gz`), { problem: "tooLong" });
});

test("the clock and the status bar", () => {
  assert.deepEqual([0, 12_999, 61_000, 3_723_000, -5].map(clock), ["0:00", "0:12", "1:01", "1:02:03", "0:00"]);
  assert.equal(progressText(12_000, samples(1234), ENGLISH, "en"), "0:12 · 1,234 samples");
  assert.equal(
    progressText(12_000, recordedAmount(blockedAlone(4210)), ENGLISH, "en"),
    "0:12 · 1,673 ms of blocked time in 4,210 blocks",
  );
});

test("every end has its words, and names the kept data", () => {
  for (const reason of ["targetGone", "shutdown", "writeFailed", "failed", "helperGone"] as const) {
    const { text, isTrouble } = endText(reason, "the disk is full", "shop", samples(1234), ENGLISH, "en");
    assert.ok(isTrouble);
    assert.match(text, /shop.*The 1,234 samples captured so far are kept\.$/);
    assert.equal(text.includes("the disk is full"), !["targetGone", "shutdown"].includes(reason));
  }
  assert.match(endText("targetGone", "", "shop", samples(0), ENGLISH, "en").text, /No sample was taken yet/);
  assert.deepEqual(endText("windowGone", "", "shop", samples(7), ENGLISH, "en"), {
    text: "The capture of shop ended when its window was reloaded or closed. The 7 samples captured so far are kept.",
    isTrouble: true,
  });
  assert.deepEqual(endText("stopped", "", "shop", samples(10), ENGLISH, "en"), {
    text: "Captured 10 samples of shop.",
    isTrouble: false,
  });
});

test("a capture of blocked time alone ends with that, not with samples", () => {
  const text = (reason: "stopped" | "targetGone", blocks: number) =>
    endText(reason, "", "shop", recordedAmount(blockedAlone(blocks)), ENGLISH, "en").text;
  assert.equal(text("stopped", 4210), "Captured 1,673 ms of blocked time in 4,210 blocks of shop.");
  assert.equal(
    text("targetGone", 1),
    "shop exited. The samples captured so far are kept: 1,673 ms of blocked time in 1 block.",
  );
  const nothing = recordedAmount(blockedAlone(0, 0));
  assert.match(endText("targetGone", "", "shop", nothing, ENGLISH, "en").text, /No sample was taken yet/);
  const short = recordedAmount(blockedAlone(3, 0));
  assert.match(endText("targetGone", "", "shop", short, ENGLISH, "en").text, /0 ms of blocked time in 3 blocks/);
  assert.deepEqual(qualityFigures(blockedAlone(7), ENGLISH, "en")[0], {
    name: "Recorded",
    value: "1,673 ms of blocked time in 7 blocks",
  });
  // With processor time beside it, samples are those of that.
  const both = qualityOf(12, { off_cpu: blockedAlone(7).off_cpu as OffCpuQuality });
  assert.deepEqual(recordedAmount(both), samples(12));
});

/** Of a capture of page faults alone, or with others that were refused. */
const faultsAlone = (faults: number, more: Parameters<typeof qualityOf>[1] = {}) => {
  const none = { samples: faults, whole: faults, thinned_ms: 0, left_out: 0, lost: 0, threads: 0, threads_reason: "" };
  return qualityOf(0, { event: "", faults: { faults, ...none }, ...more });
};

test("a capture of page faults alone ends with these, not with samples", () => {
  const text = (quality: QualityRecord) => endText("stopped", "", "shop", recordedAmount(quality), ENGLISH, "en").text;
  assert.equal(text(faultsAlone(4210)), "Captured 4,210 page faults of shop.");
  const nothing = recordedAmount(faultsAlone(0));
  assert.match(endText("targetGone", "", "shop", nothing, ENGLISH, "en").text, /No sample was taken yet/);
  assert.equal(progressText(12_000, recordedAmount(faultsAlone(1)), ENGLISH, "en"), "0:12 · 1 page fault");
  const blocked = blockedAlone(7).off_cpu as OffCpuQuality;
  const refused = { ...blocked, refused: "the kernel does not accept the program for it" };
  assert.equal(text(faultsAlone(2, { off_cpu: refused })), "Captured 2 page faults of shop.");
  // Beside these, figures are of the first type.
  assert.deepEqual(recordedAmount(faultsAlone(2, { off_cpu: blocked })), recordedAmount(blockedAlone(7)));
  assert.deepEqual(recordedAmount({ ...faultsAlone(2), event: "cpu-clock", samples: 12 }), samples(12));
});

test("captures of one session add up in the unit of those that have something", () => {
  const blocked = recordedAmount(blockedAlone(5));
  const both = { amount: 3346, unit: "ms of blocked time", blocks: 10 };
  assert.deepEqual(addedAmounts([recordedAmount(undefined), blocked, blocked]), both);
  assert.deepEqual(addedAmounts([samples(3), recordedAmount(undefined), samples(4)]), samples(7));
  const faults = recordedAmount(faultsAlone(3));
  assert.deepEqual(addedAmounts([faults, recordedAmount(undefined), faults]), { amount: 6, unit: "page faults" });
  assert.deepEqual(addedAmounts([]), samples(0));
});

test("bad quality is reported, good quality and a handful of samples are not", () => {
  assert.deepEqual(qualityProblems(qualityOf(10_000), ENGLISH, "en"), []);
  assert.deepEqual(qualityProblems(qualityOf(5, { lost: 5 }), ENGLISH, "en"), []);
  const native = { samples: 1000, with_erlang: 500, complete: 500, bracketed: 0, unproven: 500 };
  const problems = (more: Parameters<typeof qualityOf>[1]) =>
    qualityProblems(qualityOf(10_000, more), ENGLISH, "en").join();
  assert.match(problems({ lost: 1000 }), /9\.1% of the samples were lost/);
  assert.match(problems({ throttled: 3 }), /paused sampling 3 times/);
  assert.match(problems({ native_in_process: native }), /50% of the samples in C code/);
  assert.match(problems({ truncated: 2000 }), /20% of the stacks/);
  assert.match(problems({ reloaded: 1500 }), /15% of the samples ran code that was just being reloaded/);
  assert.match(problems({ unresolved_frames: 50_000 }), /50% of the frames/);
  assert.match(problems({ self_cpu_pct: 80 }), /80% of a core/);
});

test("stacks of processes that lack a part are a problem, with what gives them", () => {
  const problems = (more: Partial<QualityRecord["engine"]>, complete: number) => {
    const { engine } = qualityOf(1000);
    const erlang = { samples: 1000, complete };
    const native_in_process = { samples: 0, with_erlang: 0, complete: 0, bracketed: 0, unproven: 0 };
    return qualityProblems(
      qualityOf(1000, { erlang, native_in_process, engine: { ...engine, ...more } }),
      ENGLISH,
      "en",
    );
  };
  assert.deepEqual(problems({ name: "readv" }, 850), []);
  const start = /^45% of the samples in a process lack a part of their Erlang stack/;
  const [late = ""] = problems({ name: "readv", reason_code: "bpfUnusable" }, 550);
  assert.match(late, start);
  assert.match(late, /“Check Permissions and Setup” shows what the engine bpf requires/);
  const [chosen = ""] = problems({ name: "readv", reason_code: "askedFor" }, 550);
  assert.match(chosen, start);
  assert.match(chosen, /the engine bpf copies it at the sample$/);
  assert.deepEqual(problems({ name: "bpf", reason_code: "accepted" }, 550), [
    "45% of the samples in a process lack a part of their Erlang stack",
  ]);
});

test("stacks that were shortened, and functions that are not known, have a figure of their own where there are some", () => {
  const named = (more: Parameters<typeof qualityOf>[1]) =>
    qualityFigures(qualityOf(10, more), ENGLISH, "en").filter(({ name }) => name.startsWith("… shortened"));
  assert.deepEqual(named({ stacks_cut: 3 }), []);
  assert.deepEqual(
    named({ stacks_cut: 3, stacks_shortened: 2 }).map(({ value }) => value),
    ["2"],
  );
  const figures = qualityFigures(qualityOf(10, { unknown_functions: 7 }), ENGLISH, "en");
  assert.equal(figures.find(({ name }) => name === "In a function that is not known")?.value, "7");
});

test("the sampled event has a figure where processor time was sampled", () => {
  const sampled = (event: string) =>
    qualityFigures(qualityOf(10, { event }), ENGLISH, "en").filter(({ name }) => name === "Sampled");
  assert.deepEqual(
    sampled("cpu-clock").map(({ value }) => value),
    ["cpu-clock"],
  );
  assert.deepEqual(sampled(""), []);
});

test("schedulers in functions without names have a figure where there are some", () => {
  const named = (more: Parameters<typeof qualityOf>[1]) =>
    qualityFigures(qualityOf(10, more), ENGLISH, "en").filter(({ name }) => name.startsWith("… without names"));
  assert.deepEqual(named({ scheduler: 3 }), []);
  assert.deepEqual(
    named({ scheduler: 3, scheduler_unnamed: 2 }).map(({ name, value }) => `${name}: ${value}`),
    ["… without names: own work, as freeing memory, or for replaced persistent terms or purged code: 2"],
  );
});

test("each reason why the version of code is not known has a figure where there is one", () => {
  const shown = (more: Parameters<typeof qualityOf>[1]) => {
    const figures = qualityFigures(qualityOf(20, more), ENGLISH, "en");
    const from = figures.findIndex(({ name }) => name === "In code that was being reloaded");
    const to = figures.findIndex(({ name }) => name === "Frames without a function");
    return figures.slice(from, to).map(({ name, value }) => `${name}: ${value}`);
  };
  assert.deepEqual(shown({ reloaded: 9 }), ["In code that was being reloaded: 9"]);
  const all = { between_readings: 1, just_purged: 2, process_ending: 3, before_readings: 4, code_gone: 5 };
  assert.deepEqual(shown({ reloaded: 15, reloaded_by: all }), [
    "In code that was being reloaded: 15",
    "… replaced between two readings of the list of code: 1",
    "… just purged: 2",
    "… of a process that was ending: 3",
    "… before the first reading that is kept: 4",
    "… whose machine code is gone: 5",
  ]);
  const some = shown({ reloaded: 2, reloaded_by: { ...all, just_purged: 0, process_ending: 0, code_gone: 0 } });
  assert.equal(some.length, 3);
});

test("a quota and stolen time are distinguished from pauses of sampling", () => {
  const limits = {
    groups_known: true,
    whole_tree: false,
    allowed: 0.5,
    periods: 20,
    throttled_periods: 12,
    throttled_ms: 1250,
    stolen_ms: 400,
    pressure_ms: null,
    group_pressure_ms: 7,
  };
  const problems = (processors?: QualityRecord["processors"]) =>
    qualityProblems(qualityOf(10_000, processors && { processors }), ENGLISH, "en");
  assert.deepEqual(problems(limits), [
    "The quota of its control group throttled the VM in at least 12 of 20 periods, for at least 1.3 s",
    "A hypervisor took 0.4 s of this machine's processor time",
  ]);
  assert.deepEqual(problems({ ...limits, whole_tree: true, stolen_ms: null }), [
    "The quota of its control group throttled the VM in 12 of 20 periods, for 1.3 s",
  ]);
  assert.deepEqual(problems({ ...limits, throttled_periods: 0, stolen_ms: 99 }), []);
  const unknown = { ...limits, periods: null, throttled_periods: null, throttled_ms: null, stolen_ms: null };
  assert.deepEqual(problems(unknown), []);
  const rows = (processors: Parameters<typeof qualityOf>[1]) =>
    new Map(qualityFigures(qualityOf(5, processors), ENGLISH, "en").map(({ name, value }) => [name, value]));
  const limited = rows({ processors: limits });
  assert.equal(limited.get("Quota of processor time"), "in processors: at most 0.5");
  assert.equal(limited.get("… periods throttled / all"), "12 / 20");
  assert.equal(limited.get("Threads of the control group waited for a processor"), "7 ms");
  assert.ok(!limited.has("Threads of the machine waited for a processor"));
  assert.equal(rows({ processors: unknown }).get("… periods throttled / all"), "not known");
  const quota = (more: object) =>
    rows({ processors: { ...limits, allowed: null, ...more } }).get("Quota of processor time");
  assert.equal(quota({}), "none in the control groups in sight");
  assert.equal(quota({ whole_tree: true }), "none");
  assert.equal(quota({ groups_known: false }), "not known");
  assert.ok(!rows({}).has("Quota of processor time"), "a capture of an older helper");
  const bound = { ...unknown, affinity: { allowed: 2, online: 8 }, pressure_ms: 9000, group_pressure_ms: 5130 };
  assert.equal(rows({ processors: bound }).get("Processors that the VM may run on / all"), "2 / 8");
  assert.deepEqual(problems(bound), [
    "The VM may run on 2 of 8 processors, and threads of its control group waited 5.1 s for one",
  ]);
  assert.deepEqual(problems({ ...bound, group_pressure_ms: null }), [
    "The VM may run on 2 of 8 processors, and threads of the machine waited 9.0 s for one",
  ]);
  assert.deepEqual(problems({ ...bound, affinity: { allowed: 8, online: 8 } }), []);
  assert.deepEqual(problems({ ...bound, group_pressure_ms: 900 }), []);
});

test("samples of no process and time that is in no sample are shown where they were counted, and are no figure elsewhere", () => {
  const figures = (more: object) =>
    Object.fromEntries(
      qualityFigures(qualityOf(1000, more), ENGLISH, "en").map(({ name, value }) => [name, value] as const),
    );
  const problems = (more: object, words = ENGLISH) =>
    qualityProblems(qualityOf(1000, more), words, words === GERMAN ? "de" : "en");
  const old = figures({});
  for (const name of ["Ports, as tasks of a scheduler", "Not attributed", "Processor time of the VM in samples"])
    assert.ok(!(name in old), name);
  const few = { no_process: { port_tasks: 30, unattributed: 2 }, process_time: { cpu_ns: 1000, missing_ns: 10 } };
  assert.equal(figures(few)["Ports, as tasks of a scheduler"], "30");
  assert.equal(figures(few)["Not attributed"], "2");
  assert.equal(figures(few)["Processor time of the VM in samples"], "at most 99%");
  assert.deepEqual(problems(few), []);
  const many = { no_process: { port_tasks: 0, unattributed: 120 }, process_time: { cpu_ns: 1280, missing_ns: 1240 } };
  assert.deepEqual(problems(many), [
    "Samples account for at most 4% of the VM's processor time: threads that live only briefly, for example, are not sampled",
    "12% of the samples are not attributed to a process, a port or the scheduler",
  ]);
  assert.match(problems(many, GERMAN).join(), /^Die Samples machen höchstens 4\s?% der Prozessorzeit der VM aus/);
  const all = { no_process: { port_tasks: 0, unattributed: 0 }, process_time: { cpu_ns: 1280, missing_ns: 0 } };
  assert.ok(!("Processor time of the VM in samples" in figures(all)));
  assert.deepEqual(problems(all), []);
});

test("processor time of programs below ports is a figure where it is known, none among it", () => {
  const figure = (more: object) => {
    const name = "Processor time of programs below ports, in no sample";
    return qualityFigures(qualityOf(1000, more), ENGLISH, "en").find((each) => each.name === name)?.value;
  };
  assert.equal(figure({}), undefined);
  assert.equal(figure({ port_programs_ms: 0 }), "0 ms");
  assert.equal(figure({ port_programs_ms: 1920 }), "1,920 ms");
  const much = { port_programs_ms: 1920, process_time: { cpu_ns: 1e9, missing_ns: 0 } };
  assert.match(qualityProblems(qualityOf(10, much), GERMAN, "de").join(), /^Programme unter den Ports der VM .* 1,9 s/);
});

test("processor time of children below no port is a figure, and a problem where it is much", () => {
  const name = "Processor time of children that belong to no port, in no sample";
  const figure = (more: object) =>
    qualityFigures(qualityOf(1000, more), ENGLISH, "en").find((each) => each.name === name)?.value;
  assert.equal(figure({}), undefined);
  assert.equal(figure({ beside_ports_ms: 0 }), "0 ms");
  assert.equal(figure({ beside_ports_ms: 340, port_programs_ms: 0 }), "340 ms");
  const much = { port_programs_ms: 0, beside_ports_ms: 1920, process_time: { cpu_ns: 1e9, missing_ns: 0 } };
  const problems = (words: typeof ENGLISH, language: string) => qualityProblems(qualityOf(10, much), words, language);
  assert.match(problems(ENGLISH, "en").join(), /^Children of the VM below no port .* 1\.9 s/);
  assert.match(problems(GERMAN, "de").join(), /^Kindprozesse der VM unter keinem Port .* 1,9 s/);
});

test("programs below ports are named by port and owner, as far as these are known", () => {
  const figures = (port_programs: ProgramsOfPort[], words = ENGLISH, language = "en") => {
    const all = qualityFigures(qualityOf(1000, { port_programs_ms: 1920, port_programs }), words, language);
    return all.filter(({ name }) => /^… (?:sh|port|cat|Port)/.test(name)).map(({ name, value }) => [name, value]);
  };
  const used = { cpu_ms: 1500, rss_bytes: 3_456_000 };
  const ports = [
    { name: "sh", owner: "<0.80.0>", ...used },
    { name: null, owner: null, ...used },
    { name: "cat", owner: null, cpu_ms: 0, rss_bytes: 0 },
  ];
  assert.deepEqual(figures(ports), [
    ["… sh of <0.80.0>", "1,500 ms, up to 3.46 MB of memory"],
    ["… port not known", "1,500 ms, up to 3.46 MB of memory"],
    ["… cat", "0 ms, up to 0 B of memory"],
  ]);
  assert.deepEqual(figures(ports, GERMAN, "de")[0], ["… sh von <0.80.0>", "1.500 ms, bis zu 3,46 MB Speicher"]);
  assert.deepEqual(figures([]), []);
});

test("missing samples are reported, however short the capture is, with their figures", () => {
  const none = qualityOf(5).gaps;
  const gaps = {
    ...none,
    cpus: [3, 7],
    cpus_reason: "a mistake",
    threads: 12,
    threads_reason: "too many open files",
    reader_failures: 4,
    failed_looks: 2,
    unwritten: 1200,
  };
  const problems = qualityProblems(qualityOf(5, { gaps }), ENGLISH, "en");
  assert.deepEqual(problems, [
    "Samples left out because the capture could not be written for a time: 1,200",
    "The samples of CPU 3, 7 were not read completely: a mistake",
    "12 threads were not sampled: too many open files",
  ]);
  const figures = Object.fromEntries(
    qualityFigures(qualityOf(5, { gaps }), ENGLISH, "en").map(({ name, value }) => [name, value]),
  );
  assert.equal(figures["CPUs not read completely"], "3, 7");
  // These CPUs report no losses and no pauses.
  assert.deepEqual([figures["Lost"], figures["Times that sampling was paused"]], ["not known", "not known"]);
  assert.equal(figures["Threads not sampled"], "12");
  assert.equal(figures["Times that reading samples failed"], "4");
  assert.equal(figures["Failed listings of threads"], "2");
  assert.equal(figures["Left out while the capture was not written"], "1,200");
  const before = qualityFigures(qualityOf(5), ENGLISH, "en").map(({ name }) => name);
  assert.ok(!before.includes("Threads not sampled"), "there is no text where nothing is missing");
});

test("facts that the helper looked for and does not know have a row each, and others have none", () => {
  const unknown = (not_known?: QualityRecord["not_known"]) =>
    qualityFigures(qualityOf(5, not_known && { not_known }), ENGLISH, "en").filter(
      ({ value }) => value === "not known",
    );
  assert.deepEqual(unknown(), []);
  const names = unknown([
    "tracing",
    "processTracing",
    "processTime",
    "portPrograms",
    "schedulersOnline",
    "standstill",
  ]).map(({ name }) => name);
  assert.deepEqual(names, [
    "Functions with call tracing",
    "Processes whose messages or events are traced",
    "Processor time of the VM in samples",
    "Processor time of programs below ports, in no sample",
    "Schedulers online",
    "Whether the VM was halted",
  ]);
});

test("schedulers online are a figure where both readings have them", () => {
  const online = (count: number) => ({
    normal: { online: count, all: 4 },
    dirtyCpu: { online: 4, all: 4 },
    blocked: null,
    blockers: [],
  });
  const figure = (schedulers_online?: QualityRecord["schedulers_online"]) =>
    qualityFigures(qualityOf(5, schedulers_online && { schedulers_online }), ENGLISH, "en").find(
      ({ name }) => name === "Schedulers online",
    )?.value;
  assert.equal(figure(), undefined);
  assert.equal(figure({ at_start: null, at_end: online(4) }), undefined);
  assert.equal(figure({ at_start: online(4), at_end: online(4) }), "4 / 4");
  assert.equal(figure({ at_start: online(4), at_end: online(2) }), "4 / 4 → 2 / 4");
});

test("schedulers that were blocked, or whose number changed, are a problem; fewer online all the time are not", () => {
  const online = (count: number, blocked: SchedulersOnline["blocked"] = null): SchedulersOnline => ({
    normal: { online: count, all: 4 },
    dirtyCpu: { online: 4, all: 4 },
    blocked,
    blockers: [],
  });
  const problems = (at_start: SchedulersOnline | null, at_end: SchedulersOnline | null) =>
    qualityProblems(qualityOf(5, { schedulers_online: { at_start, at_end } }), ENGLISH, "en");
  assert.deepEqual(problems(online(4), online(2)), [
    "When the capture began: all schedulers online; at the last reading: 2 of 4 schedulers online",
  ]);
  assert.match(problems(null, online(4, "all")).join(), /^At the last reading: Multi-scheduling is blocked/);
  assert.match(problems(online(2, "all"), online(2, "all")).join(), /2 of 4 schedulers online · Multi-scheduling is/);
  // As a VM with a quota begins.
  const few = online(2);
  for (const [start, end] of [
    [few, few],
    [few, null],
    [null, few],
    [null, null],
  ] as const)
    assert.deepEqual(problems(start, end), []);
});

test("counts that ended before the capture are at least so many, or not known, and those of all CPUs are known", () => {
  const figures = (cpus: number[], lost: number, dropped: number, more: object = {}) => {
    const base = qualityOf(5);
    const engine = { ...base.engine, name: "bpf", dropped, copy_failed: 4, ...more };
    const all = qualityFigures(qualityOf(5, { lost, engine, gaps: { ...base.gaps, cpus } }), ENGLISH, "en");
    const found = new Map(all.map(({ name, value }) => [name, value]));
    return [found.get("Lost"), found.get("Copies dropped / failed")];
  };
  assert.deepEqual(figures([], 0, 0), ["0", "0 / 4"]);
  assert.deepEqual(figures([3], 16, 0), ["at least 16", "0 / 4"]);
  const early = qualityOf(5, { gaps: { ...qualityOf(5).gaps, ended_early: true } });
  assert.equal(qualityFigures(early, ENGLISH, "en").find(({ name }) => name === "Lost")?.value, "not known");
  assert.match(qualityProblems(early, ENGLISH, "en").join(), /^Sampling ended early, as its process exited/);
  assert.deepEqual(figures([], 0, 0, { dropped_at_least: true }), ["0", "not known / 4"]);
  assert.deepEqual(figures([], 0, 2, { dropped_at_least: true }), ["0", "at least 2 / 4"]);
});

test("a VM of which nothing ran is why there are no samples", () => {
  const problems = (more: object, words = ENGLISH) =>
    qualityProblems(qualityOf(0, { gaps: { ...qualityOf(0).gaps, ...more } }), words, words === GERMAN ? "de" : "en");
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems({ standstill_ms: 1960, standstill_reason: "stopped" }), [
    "The VM did not run for at least 1 s: a signal had stopped it",
  ]);
  assert.deepEqual(problems({ standstill_reason: "frozen" }), [
    "The VM did not run for a time: its control group was frozen",
  ]);
  assert.match(
    problems({ standstill_ms: 1000, standstill_reason: "traced" }, GERMAN).join(),
    /^Die VM lief mindestens 1 s lang nicht: ein Debugger/,
  );
});

test("a lowered rate is reported, with the former one", () => {
  const overhead = {
    max_pct: 1,
    own_pct: 0.9,
    target_pct: 0.4,
    asked_hz: 99,
    now_hz: 24.8,
    lowest_hz: 12.4,
    changes: 2,
    lowered_s: 54.6,
    seldom_looks: true,
    not_kept: false,
  };
  assert.deepEqual(
    qualityProblems(qualityOf(10_000, { overhead: { ...overhead, changes: 0, lowest_hz: 99 } }), ENGLISH, "en"),
    [],
  );
  assert.match(
    qualityProblems(qualityOf(5, { overhead }), ENGLISH, "en").join(),
    /^For 55 s the sampling rate was as low as 12.* per second instead of 99, so that sampling costs at most 1(\.0)?% of a core$/,
  );
  assert.match(
    qualityProblems(
      qualityOf(5, { overhead: { ...overhead, changes: 0, own_pct: 3, not_kept: true } }),
      ENGLISH,
      "en",
    ).join(),
    /costs 3(\.0)?% of a core, more than the 1(\.0)?%/,
  );
  const figures = Object.fromEntries(
    qualityFigures(qualityOf(5, { overhead }), ENGLISH, "en").map(({ name, value }) => [name, value]),
  );
  assert.match(figures["Samples per second: requested / lowest"] ?? "", /^99 \/ 12/);
  assert.equal(figures["Seconds at a lower rate"], "55");
});

test("reasons that have a code are shown in the user's language, others as the helper wrote them", () => {
  const { gaps, engine } = qualityOf(5);
  const problem = (code: "denied" | undefined) =>
    qualityProblems(
      qualityOf(5, {
        gaps: { ...gaps, threads: 3, threads_reason: "as it was", ...(code && { threads_reason_code: code }) },
      }),
      GERMAN,
      "de",
    ).join();
  assert.match(problem("denied"), /3 .*: der Kernel erlaubt kein Sampling dieses Threads$/);
  assert.match(problem(undefined), /3 .*: as it was$/);
  const engineLine = (code: "accepted" | "bpfUnusable") =>
    qualityFigures(
      qualityOf(5, { engine: { ...engine, name: "bpf", reason: "as it was", reason_code: code } }),
      GERMAN,
      "de",
    ).find(({ value }) => value.startsWith("bpf: "))?.value;
  assert.equal(engineLine("accepted"), "bpf: der Kernel nimmt das Programm an");
  assert.equal(engineLine("bpfUnusable"), "bpf: as it was");
});

test("figures become a table without markup of others", () => {
  const table = figuresAsMarkdown(
    qualityFigures(qualityOf(1234, { event: "a|b<script>", reloaded: 17 }), ENGLISH, "en"),
  );
  assert.match(table, /\| Samples \| 1,234 \|/);
  assert.match(table, /\| In code that was being reloaded \| 17 \|/);
  assert.match(table, /a\\\|b\\<script\\>/);
});

test("what refreshes cost", () => {
  const cost = new RefreshCost();
  assert.ok(Number.isNaN(cost.medianMs));
  for (const ms of [5, 1, 3]) cost.add(ms);
  assert.deepEqual([cost.lastMs, cost.medianMs, cost.maxMs, cost.count], [3, 3, 5, 3]);
  cost.clear();
  assert.equal(cost.count, 0);
});
