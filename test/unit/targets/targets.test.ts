import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeMarkdown, plainText } from "../../../contract/plain-text.js";
import type { BeamRow, DoctorRow } from "../../../contract/protocol.generated.js";
import {
  byUsefulness,
  commandName,
  targetDescription,
  targetName,
  targetTooltip,
  distinguishingWords,
  withDifferences,
} from "../../../extension/src/targets/target-description.js";
import { commandsOf, doctorReport } from "../../../extension/src/targets/doctor-report.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const BEAM: BeamRow = {
  pid: 4242,
  otp: "25",
  erts: "13.1.5",
  flavor: "jit",
  node: "shop@localhost",
  attachable: true,
  reason: null,
  command: "/usr/lib/erlang/erts-13.1.5/bin/beam.smp -sname shop",
  schedulers: 2,
  container: null,
  uid: 1000,
  cpuPct: 12.4,
};
const ROW: DoctorRow = { check: "perf_event_paranoid", status: "ok", found: "2", needed: "2 or less", fix: null };

test("VMs are named by their node, else by what they run", () => {
  const emulator =
    "/usr/lib/erlang/erts-13.1.5/bin/beam.smp -- -root /usr/lib/erlang -bindir /usr/lib/erlang/erts-13.1.5/bin -progname erl --";
  assert.equal(targetName(BEAM), "shop@localhost");
  assert.equal(targetName({ ...BEAM, node: null }), "shop");
  for (const [command, name] of [
    [`${emulator} -s rabbit boot`, "rabbit"],
    [
      `${emulator} -noshell -pa /srv/demo/ebin -eval {ok, _} = application:ensure_all_started(shop_app), ok.`,
      "shop_app",
    ],
    [`${emulator} -noshell -pa /srv/_build/default/lib/cart/ebin`, "cart"],
    [`${emulator} -boot /opt/store/releases/1.0/start -mode embedded`, "store"],
    [`${emulator} -extra /usr/bin/mix phx.server`, "mix phx.server"],
    [emulator, "beam.smp"],
    ["", ""],
  ])
    assert.equal(commandName(command ?? ""), name, command);
  assert.equal(targetName({ node: null, command: "", pid: 7 }), "7");
});

test("the description has release, load and process, or the reason for none", () => {
  assert.equal(targetDescription(BEAM, ENGLISH, "en"), "OTP 25 · 12% CPU · pid 4242");
  const refused = {
    ...BEAM,
    otp: null,
    cpuPct: null,
    attachable: false,
    reason: "it belongs to user 107",
    container: "docker 3f",
  };
  assert.equal(targetDescription(refused, ENGLISH, "en"), "pid 4242 · docker 3f · it belongs to user 107");
});

test("a VM of which nothing runs is shown as such, with what resumes it", () => {
  const messages = {
    what: { code: "vmStopped", arguments: { pid: "4242" } },
    fix: { code: "toResume", arguments: { command: "kill -CONT 4242" } },
  };
  const standstill = {
    what: "process 4242 is halted: a signal has stopped it",
    why: "",
    fix: "resume it: kill -CONT 4242",
    messages,
    command: "kill -CONT 4242",
  };
  assert.equal(targetDescription({ ...BEAM, standstill }, ENGLISH, "en"), "OTP 25 · 12% CPU · pid 4242 · halted");
  assert.match(
    targetTooltip({ ...BEAM, standstill }, ENGLISH, "en").replaceAll("\\", ""),
    /\n\nprocess 4242 is halted: a signal has stopped it; resume it: kill -CONT 4242\n\n/,
  );
  assert.match(targetTooltip({ ...BEAM, standstill }, GERMAN, "de"), /Prozess 4242 steht still/);
});

test("a VM of which it is not known whether it runs is shown as that", () => {
  const what =
    "it is not known whether process 4242 is halted: the kernel shows neither its control group nor where it waits";
  const messages = { what: { code: "whetherHaltedUnknown", arguments: { pid: "4242" } } };
  const unknown = { ...BEAM, standstillUnknown: { what, why: "", fix: "root sees where it waits", messages } };
  assert.match(targetDescription(unknown, ENGLISH, "en"), /pid 4242 · whether it is halted is not known$/);
  assert.ok(targetTooltip(unknown, ENGLISH, "en").replaceAll("\\", "").includes(what));
  assert.match(targetTooltip(unknown, GERMAN, "de"), /ob Prozess 4242 stillsteht, ist nicht bekannt/);
});

test("a VM in a container is shown with it, and with both its process ids", () => {
  const id = "9552a960e4234f5b".repeat(4);
  const uid = "7d4424e6-bb13-42f4-a47a-45a4828bf54d";
  const facts = { runtime: "docker", id, name: "shop-1", image: "registry/shop:1.2@sha256:4f1d" };
  const inDocker: BeamRow = {
    ...BEAM,
    container: "docker shop-1 (registry/shop:1.2)",
    containerFacts: facts,
    pidInside: 7,
  };
  assert.equal(
    targetDescription(inDocker, ENGLISH, "en"),
    "OTP 25 · 12% CPU · pid 4242 (7 inside) · docker shop-1 (registry/shop:1.2)",
  );
  assert.match(targetDescription(inDocker, GERMAN, "de"), /PID 4242 \(innen 7\)/);
  const rowsOf = (beam: BeamRow) => targetTooltip(beam, ENGLISH, "en").replaceAll("\\", "");
  const shown = rowsOf(inDocker);
  for (const row of [
    "| Process id inside | 7 |",
    "| Container | docker shop-1 (registry/shop:1.2) |",
    `| Container id | ${id} |`,
    "| Image | registry/shop:1.2@sha256:4f1d |",
  ])
    assert.ok(shown.includes(row), `${row} is not in ${shown}`);
  assert.doesNotMatch(shown, /Pod|undefined/);
  const inPod = {
    ...BEAM,
    containerFacts: { ...facts, runtime: "containerd", pod: "shop-7d9f-x2x", namespace: "market", podUid: uid },
  };
  assert.match(rowsOf(inPod), /\| Pod \| shop-7d9f-x2x \|\n\| Namespace of the pod \| market \|/);
  const unread = { ...BEAM, containerFacts: { runtime: "kubernetes", id, podUid: uid } };
  assert.ok(rowsOf(unread).includes(`| Pod | ${uid} |`), "where the name cannot be read");
  assert.doesNotMatch(rowsOf(BEAM), /Container|inside/);
});

test("programs below ports are beside the VM: none is known to be none, and what is not known is no number", () => {
  const shown = (portPrograms: BeamRow["portPrograms"], words = ENGLISH, language = "en") =>
    /^\| (?:Programs below ports|Programme unter Ports) \| (.*) \|$/m.exec(
      targetTooltip({ ...BEAM, ...(portPrograms && { portPrograms }) }, words, language).replaceAll("\\", ""),
    )?.[1];
  assert.equal(shown(undefined), "not known");
  assert.equal(shown({ processes: 0, cpuMs: 0, rssBytes: 0 }), "none");
  assert.equal(
    shown({ processes: 3, cpuMs: 12_345, rssBytes: 45_000_000 }),
    "3 running, 12.35 s of processor time so far, 45.0 MB",
  );
  assert.equal(shown({ processes: 0, cpuMs: 20, rssBytes: 0 }), "0 running, 0.02 s of processor time so far, 0 B");
  assert.equal(shown(undefined, GERMAN, "de"), "nicht bekannt");
});

test("the tooltip of a hostile VM holds no markup", () => {
  const evil = "[click](command:evil) <img src=x> **b** `c` | $(x) \u202e\u0007";
  const containerFacts = { runtime: evil, id: evil, name: evil, image: evil.repeat(5_000), pod: evil, namespace: evil };
  const tooltip = targetTooltip(
    {
      ...BEAM,
      node: evil,
      command: evil.repeat(50_000),
      attachable: false,
      reason: evil,
      container: evil,
      containerFacts,
      workingDirectory: `/${evil}`,
      user: evil,
    },
    ENGLISH,
    "en",
  );
  assert.ok(tooltip.length < 10_000);
  assert.doesNotMatch(tooltip, /(?<!\\)[[<`]|(?<!\\)\$\(|\u202e|\u0007/);
  assert.doesNotMatch(tooltip, /(?<![\\*\n])\*(?!\*)/);
});

test("attachable and busy ones come first", () => {
  const rows = [
    { ...BEAM, pid: 1, attachable: false, cpuPct: 99 },
    { ...BEAM, pid: 2, cpuPct: null },
    { ...BEAM, pid: 3, cpuPct: 50 },
  ];
  assert.deepEqual(
    byUsefulness(rows).map(({ pid }) => pid),
    [3, 2, 1],
  );
});

test("the report names every failing check with what mends it", () => {
  const rows: DoctorRow[] = [
    ROW,
    {
      ...ROW,
      check: "Yama",
      status: "fail",
      found: "2",
      needed: "0",
      fix: "sudo sysctl kernel.yama.ptrace_scope=0",
      command: "sudo sysctl kernel.yama.ptrace_scope=0",
    },
    { ...ROW, check: "event", status: "warn", fix: "extrospect list" },
  ];
  const report = doctorReport(rows, "Needs", ENGLISH);
  assert.match(report, /^Needs\n\n1 of 3 checks fail\.\n/);
  assert.match(report, /missing +Yama +2\n +needed: 0\n +to fix: sudo sysctl kernel\.yama\.ptrace_scope=0\n/);
  assert.doesNotMatch(report, /extrospect list/);
  assert.match(doctorReport([ROW], "Needs", ENGLISH), /All requirements of sampling are met/);
  assert.deepEqual(commandsOf(rows), ["sudo sysctl kernel.yama.ptrace_scope=0"]);
  assert.deepEqual(
    commandsOf([
      { ...ROW, status: "warn", command: "sudo a" },
      { ...ROW, command: "sudo b" },
    ]),
    ["sudo a"],
  );
  assert.deepEqual(
    commandsOf([
      { ...ROW, status: "fail", fix: "leave the container" },
      { ...ROW, status: "warn", command: "sudo b" },
    ]),
    [],
    "a command for a remark mends no failure",
  );
  assert.deepEqual(commandsOf([ROW]), []);
  assert.deepEqual(
    commandsOf([{ ...ROW, status: "fail", fix: "sudo rm -rf /" }]),
    [],
    "a command is only what stands in its field",
  );
});

test("text of others becomes one short line", () => {
  assert.equal(plainText("a\nb\u0000c\u202ed\u061ce"), "a b c d e");
  assert.equal(plainText("x".repeat(1e6), 10), "xxxxxxxxx…");
  assert.equal(escapeMarkdown("a|b\n# c"), "a\\|b \\# c");
});

test("VMs of one name are distinguished by the words that not all of them have", () => {
  const emulator =
    "/usr/lib/erlang/erts-13.1.5/bin/beam.smp -sbwt none -- -root /usr/lib/erlang -progname erl -- -home /h --";
  const vm = (pid: number, rest: string) => ({ ...BEAM, pid, node: null, command: `${emulator} ${rest}` });
  const differencesOf = (...beams: BeamRow[]) => withDifferences(beams).map(({ difference }) => difference);
  assert.deepEqual(
    differencesOf(
      vm(1, "-s shop -port 80"),
      vm(2, "-s shop -port 81 -setcookie secret"),
      vm(3, "-s shop -port 80"),
      vm(4, "-s till"),
    ),
    ["80", "81", "80", undefined],
  );
  assert.deepEqual(differencesOf(vm(1, "-s shop"), vm(2, "-s shop")), [undefined, undefined], "nothing differs");
  assert.equal(distinguishingWords(vm(1, "-s shop").command).join(" "), "-sbwt none -s shop");
  assert.match(targetDescription({ ...BEAM, difference: "81" }, ENGLISH), /^81 · OTP 25 · /);
});

test("VMs of one name are distinguished by their working directories, as shortly as that goes", () => {
  const emulator = "/usr/lib/erlang/erts-15/bin/beam.smp";
  const vm = (pid: number, folder: string | undefined, command = `${emulator} -s shop -port ${pid}`) => ({
    ...BEAM,
    pid,
    node: null,
    command,
    ...(folder !== undefined && { workingDirectory: folder }),
  });
  const differencesOf = (...beams: BeamRow[]) => withDifferences(beams).map(({ difference }) => difference);
  assert.deepEqual(differencesOf(vm(1, "/srv/orders"), vm(2, "/srv/stock"), vm(3, "/")), ["orders", "stock", "/"]);
  assert.deepEqual(differencesOf(vm(1, "/srv/blue/current"), vm(2, "/srv/green/current")), [
    "blue/current",
    "green/current",
  ]);
  assert.deepEqual(
    differencesOf(vm(1, "/srv/a"), vm(2, "/srv/a"), vm(3, "/srv/b"), vm(4, "/srv/b", `${emulator} -s till`)),
    ["a · 1", "a · 2", "b", undefined],
    "the words where the folder is that of another, too",
  );
  assert.deepEqual(differencesOf(vm(1, "/srv/a"), vm(2, "/srv/a")), ["1", "2"], "no folder that all have");
  assert.deepEqual(
    differencesOf(vm(1, "/srv/a"), vm(2, "/srv/b"), vm(3, undefined)),
    ["a · 1", "b · 2", "3"],
    "one that is not known may be any of them",
  );
  assert.deepEqual(differencesOf(vm(1, "/srv/shop", emulator)), ["shop"], "only its program names it");
  assert.deepEqual(differencesOf(vm(1, "/", emulator)), [undefined]);
  assert.deepEqual(differencesOf({ ...vm(1, "/srv/shop", emulator), node: "shop@a" }), [undefined]);
  const [hostile] = withDifferences([vm(1, `/${"a/".repeat(2000)}\u202e\u001b[2J${"x".repeat(99)}`, emulator)]);
  assert.match(hostile?.difference ?? "", /^[^\u202e\u001b]{1,60}$/);
});

test("the tooltip has the whole working directory and the name of the user, as far as they are known", () => {
  const shown = (more: Partial<BeamRow>, words = ENGLISH, language = "en") =>
    targetTooltip({ ...BEAM, ...more }, words, language).replaceAll("\\", "");
  assert.match(shown({ workingDirectory: "/srv/blue/current" }), /\| Working directory \| \/srv\/blue\/current \|/);
  assert.match(shown({}), /\| Working directory \| not known \|/);
  assert.match(shown({}, GERMAN, "de"), /\| Arbeitsverzeichnis \| nicht bekannt \|/);
  assert.match(shown({ user: "shop" }), /\| User \| shop \(1000\) \|/);
  assert.match(shown({}), /\| User \| 1000 \|/);
});
