// A command that is started and captured: every VM that it becomes or starts, from the first moment to the end.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { assertRefused, HELPER, helperJson, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

/**
 * Erlang that sorts until something is written of its capture, then so many times, and ends with an exit code. On a busy
 * machine a VM could otherwise end before anything is attached to it. Fifteen times take some hundred milliseconds of
 * processor time.
 * @param {number} code @param {string} file @param {number} times
 */
const sorting = (code, file, times) =>
  `L = [erlang:phash2(X) || X <- lists:seq(1, 100000)], W = fun W(0) -> ok; W(N) -> lists:sort(L), filelib:file_size("${file}") > 0 orelse W(N - 1) end, W(3000), lists:foreach(fun(_) -> lists:sort(L) end, lists:seq(1, ${times})), halt(${code}).`;
/** @param {number} code @param {string} file @param {number} [times] @returns {string} words for a shell that starts such a VM */
const vm = (code, file, times = 15) => `erl -noshell -eval '${sorting(code, file, times)}'`;

test("a VM that lives for a moment is in the capture, and its exit code is passed on", async (t) => {
  const file = join(temporaryFolder(t), "vm.pb.gz");
  const run = await runHelper([
    "record",
    "-F",
    499,
    "-o",
    file,
    "--json",
    "--",
    "sh",
    "-c",
    `echo begun; ${vm(7, file)}`,
  ]);
  assert.equal(run.code, 7, run.stderr);
  assert.match(run.stderr, /^begun\n/, "what the command prints is not in the JSON");
  const {
    exit_code: code,
    command_cpu_s: total,
    captured_cpu_s: captured,
    before_sampling_cpu_s: before,
    vms,
    missed,
  } = JSON.parse(run.stdout);
  assert.equal(code, 7);
  assert.deepEqual(missed, []);
  assert.deepEqual(
    vms.map((/** @type {any} */ it) => [it.file, it.ended]),
    [[file, "target gone"]],
  );
  const { functions, samples } = await helperJson(["top", file, "-n", 0]);
  const names = functions.map((/** @type {{function: string}} */ row) => row.function);
  assert.ok(names.includes("lists:split_1/5"), names.join());
  const [{ quality }] = vms;
  // Time before the first sample is a fact beside the samples, and none of them.
  assert.ok(quality.before_sampling_ms > 0);
  assert.equal(before, quality.before_sampling_ms / 1000);
  assert.ok(!names.includes("[before sampling]"), names.join());
  assert.equal(samples, quality.samples);
  assert.ok(captured > 0 && captured + before <= total * 1.05 + 0.1, `${captured} s of ${total} s`);
  measured(
    t,
    "processor time of a short command in its samples and before them, percent",
    (100 * (captured + before)) / total,
  );
});

/** Seconds of processor time from which on a command is in its samples: until then its VM starts and is attached to. */
const UNTIL_SAMPLED_S = 0.5;
/** Of the time that it uses from then on, at least. */
const IN_SAMPLES = 0.95;

test("of the processor time of a command from half a second on, 95 % is in its samples; what came before them is named", async (t) => {
  const file = join(temporaryFolder(t), "vm.pb.gz");
  const run = await runHelper(["record", "-F", 499, "-o", file, "--json", "--", "sh", "-c", vm(0, file, 200)]);
  assert.equal(run.code, 0, run.stderr);
  const { command_cpu_s: total, captured_cpu_s: captured, before_sampling_cpu_s: before } = JSON.parse(run.stdout);
  assert.ok(total >= 4 * UNTIL_SAMPLED_S, `${total} s`);
  const all = `${captured} s, and ${before} s before sampling, of ${total} s`;
  // Of `wait4`. The shell, which is no VM, is in it. A capture that begins late has less in its samples, whatever it names: the
  // share of the samples alone is asserted, by night, since beside other work a VM runs on while it is attached to.
  assert.ok(captured >= IN_SAMPLES * (total - UNTIL_SAMPLED_S), all);
  assert.ok(captured + before >= IN_SAMPLES * total, all);
});

/** VMs that are sampled at a time. */
const MOST_AT_A_TIME = 64;

test("more VMs than are sampled at a time wait for the end of one, and each is named once", async (t) => {
  const folder = temporaryFolder(t);
  const [program, list, over] = [join(folder, "beam.smp"), join(folder, "pids"), join(folder, "over")];
  // By its name it is a VM that has no tables yet: attaching to it is tried until it ends.
  copyFileSync("/bin/sleep", program);
  chmodSync(program, 0o755);
  const starts = `'${program}' 600 </dev/null >/dev/null 2>&1 & echo $! >>'${list}'`;
  const script = `for i in $(seq ${MOST_AT_A_TIME + 2}); do ${starts}; done; while [ ! -e '${over}' ]; do sleep 0.05; done`;
  const programs = () => (existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean).map(Number) : []);
  const runs = (/** @type {number} */ pid) => nameOf(`/proc/${pid}`) === "beam.smp";
  t.after(() => {
    for (const pid of programs().filter(runs)) process.kill(pid, "SIGKILL");
  });
  /** @type {number[]} */
  let waiting = [];
  const run = await runHelper(["record", "--json", "-o", join(folder, "many.pb.gz"), "--", "sh", "-c", script], {
    onStart: (child) =>
      void (async () => {
        const record = Number(child.pid);
        await untilIn(child, "all run", () => programs().filter(runs).length === MOST_AT_A_TIME + 2);
        await untilIn(child, "as many are sampled as may be", () => sampledBy(record).size === MOST_AT_A_TIME);
        const [first = 0] = sampledBy(record);
        const others = programs().filter((pid) => !sampledBy(record).has(pid));
        process.kill(first, "SIGKILL");
        await untilIn(child, "one that waited is sampled", () => others.some((pid) => sampledBy(record).has(pid)));
        waiting = others.filter((pid) => !sampledBy(record).has(pid));
        writeFileSync(over, "");
      })(),
  });
  assert.equal(run.code, 0, run.stderr);
  const { vms, missed, left_behind: left } = JSON.parse(run.stdout);
  assert.deepEqual(vms, []);
  /** @type {Map<number, string>} */
  const reasons = new Map(missed.map((/** @type {any} */ { pid, reason }) => [pid, reason]));
  const inOrder = (/** @type {number[]} */ pids) => pids.toSorted((a, b) => a - b);
  assert.deepEqual(inOrder([...reasons.keys(), ...left]), inOrder(programs()));
  assert.equal(missed.length, reasons.size);
  assert.equal(waiting.length, 1, waiting.join());
  const [last = 0] = waiting;
  const most = `${MOST_AT_A_TIME} VMs were sampled at the same time, the most`;
  // It may have been found after the last look at the command.
  assert.equal(left.includes(last) ? most : reasons.get(last), most);
});

/** The name of a process or a thread; empty where it has ended. @param {string} folder */
function nameOf(folder) {
  try {
    return readFileSync(join(folder, "comm"), "utf8").trim();
  } catch {
    return "";
  }
}

/** The VMs that a helper samples or tries to attach to, each by a thread with its name. @param {number} record */
function sampledBy(record) {
  const tasks = existsSync(`/proc/${record}/task`) ? readdirSync(`/proc/${record}/task`) : [];
  const names = tasks.map((tid) => nameOf(`/proc/${record}/task/${tid}`));
  return new Set(names.flatMap((name) => /^vm (\d+)$/.exec(name)?.slice(1) ?? []).map(Number));
}

test("every VM has a file, one that a shell has orphaned too", async (t) => {
  const file = join(temporaryFolder(t), "all.pb.gz");
  const second = file.replace(".pb.gz", ".2.pb.gz");
  const script = `(setsid ${vm(0, second)} &) ; ${vm(3, second)}; status=$?; while pgrep -f '[h]alt(0)' >/dev/null; do sleep 0.1; done; exit $status`;
  const run = await runHelper(["record", "-o", file, "--", "sh", "-c", script]);
  assert.equal(run.code, 3, run.stderr);
  for (const each of [file, second]) {
    assert.ok(existsSync(each), `${each}: ${run.stderr}`);
    const { functions } = await helperJson(["top", each, "-n", 0]);
    assert.ok(functions.length > 0);
  }
  assert.match(run.stderr, /% *\); next: extrospect top /);
  const [, captured, total] = /([\d.]+) s of the command's ([\d.]+) s/.exec(run.stderr) ?? [];
  assert.ok(Number(captured) > 0 && Number(total) > 0, run.stderr);
});

test("a command without a VM has no capture, and its exit code is passed on", async (t) => {
  const file = join(temporaryFolder(t), "none.pb.gz");
  const codes = { true: 0, "exit 42": 42, "kill -TERM $$": 143 };
  for (const [script, code] of Object.entries(codes)) {
    const run = await runHelper(["record", "-o", file, "--", "sh", "-c", script]);
    assert.equal(run.code, code, run.stderr);
    assert.match(run.stderr, /started no Erlang VM/);
    assert.ok(!existsSync(file));
  }
  assertRefused(await runHelper(["record", "--", "/no/such/program"]), 127);
  assertRefused(await runHelper(["record", "--", "/etc/passwd"]), 126);
  const both = await runHelper(["record", 1, "--", "true"]);
  assert.equal(both.code, 2, both.stderr);
});

test("of a command that leaves a program behind it is not claimed that it starts no VM", async (t) => {
  const script = "setsid sleep 600 </dev/null >/dev/null 2>&1 &";
  const run = await runHelper(["record", "-o", join(temporaryFolder(t), "none.pb.gz"), "--", "sh", "-c", script]);
  const left = /it left 1 program running \(\S+ (\d+)\), which may start one/.exec(run.stderr);
  assert.ok(left, run.stderr);
  process.kill(Number(left[1]), "SIGKILL");
  assert.equal(run.code, 0, run.stderr);
  assert.doesNotMatch(run.stderr, /started no Erlang VM, so/);
});

test("a VM that begins when its command has ended is named, with the command that records it", async (t) => {
  const file = join(temporaryFolder(t), "none.pb.gz");
  const run = await runHelper([
    "record",
    "-o",
    file,
    "--",
    "erl",
    "-detached",
    "-noinput",
    "-eval",
    "timer:sleep(60000), halt().",
  ]);
  const pid = Number(/VM (\d+)/.exec(run.stderr)?.[1]);
  assert.ok(pid > 1, run.stderr);
  t.after(() => process.kill(pid, "SIGKILL"));
  assert.equal(run.code, 0, run.stderr);
  // By chance it was up already: then it is captured until the command ends, or missed.
  assert.match(
    run.stderr,
    /ended before the sampling of VM \d+ began, which runs on and is in no capture: extrospect record \d+$|still runs: its capture ended with the command|is in no capture: /m,
  );
});

test("signals that end other programs reach the command, which decides", async (t) => {
  const folder = temporaryFolder(t);
  const ready = join(folder, "ready");
  const script = `trap 'echo ended >${ready}; exit 5' TERM; echo >${ready}; while true; do sleep 0.05; done`;
  const run = await runHelper(["record", "--", "sh", "-c", script], {
    onStart: (child) => void until("the command runs", () => existsSync(ready)).then(() => child.kill("SIGTERM")),
  });
  assert.equal(run.code, 5, run.stderr);
  assert.equal(readFileSync(ready, "utf8"), "ended\n");
});

test("a file that is there is not written over: the command is not even started", async (t) => {
  const file = join(temporaryFolder(t), "there.pb.gz");
  writeFileSync(file, "mine");
  const run = await runHelper(["record", "-o", file, "--", "sh", "-c", `echo started >${file}`]);
  assertRefused(run, 1);
  assert.match(run.stderr, /already exists/);
  assert.equal(readFileSync(file, "utf8"), "mine");
});

test("where no capture can be made the command is not even started", async (t) => {
  const folder = temporaryFolder(t);
  const started = join(folder, "started");
  const command = ["--", "sh", "-c", `echo >${started}`];
  const run = await runHelper(["record", "-o", join(folder, "nowhere", "new.pb.gz"), ...command]);
  assertRefused(run, 1);
  assert.match(run.stderr, /cannot create a capture in .*nowhere: No such file/);
  assert.ok(!existsSync(started));
  // Root may write anywhere, and a file that is there is written over where it is.
  const there = join(folder, "there.pb.gz");
  writeFileSync(there, "");
  assert.equal((await runHelper(["record", "-o", there, "--force", ...command])).code, 0);
  assert.ok(existsSync(started));
});

test("a VM that goes on after its command has ended is none of the command's time", async (t) => {
  const file = join(temporaryFolder(t), "after.pb.gz");
  const pid = file.replace(".pb.gz", ".pid");
  const goesOn = `io:format("~s", [os:getpid()]), timer:sleep(infinity).`;
  const untilSampled = `while [ ! -s ${file} ] || [ ! -s ${pid} ]; do sleep 0.1; done`;
  let vm = "";
  t.after(() => vm === "" || process.kill(Number(vm), "SIGKILL"));
  const run = await runHelper([
    "record",
    "-o",
    file,
    "--",
    "sh",
    "-c",
    `erl -noshell -eval '${goesOn}' > ${pid} 2>/dev/null & ${untilSampled}; exit 9`,
  ]);
  assert.equal(run.code, 9, run.stderr);
  vm = readFileSync(pid, "utf8");
  assert.match(
    run.stderr,
    new RegExp(`VM ${vm} still runs: its capture ended with the command.*extrospect record ${vm}.$`, "m"),
  );
  assert.match(run.stderr, /^extrospect: next: extrospect top /m);
  assert.doesNotMatch(run.stderr, /of the command's/);
});

/** A project with code of yecc, leex and EEx, and what a generator for another language makes. */
const GENERATED = {
  "src/pp.yrl": `Nonterminals list items item.
Terminals int ',' '[' ']'.
Rootsymbol list.
list -> '[' items ']' : '$2'.
items -> item : ['$1'].
items -> item ',' items : ['$1'|'$3'].
item -> int : element(3,'$1').
`,
  "src/lexer.xrl": `Definitions.
D = [0-9]
Rules.
{D}+ : {token, {int, TokenLine, list_to_integer(TokenChars)}}.
[,\\[\\]] : {token, {list_to_atom(TokenChars), TokenLine}}.
[\\s\\n]+ : skip_token.
Erlang code.
`,
  "src/lines.gleam": `// A comment.
pub fn sum(list) {
  do_sum(list, 0)
}
`,
  "gen/lines.erl": `-module(lines).
-export([sum/1]).
-file("src/lines.gleam", 2).
sum(List) ->
    lists:sum(lists:reverse(List)).
`,
  "lib/page.html.eex": `<h1>Items</h1>
<ul>
<%= for i <- items do %>
  <li><%= Integer.to_string(i * 7) |> String.pad_leading(10) %></li>
<% end %>
</ul>
<%= for i <- items do %>
<b><%= i %></b>
<% end %>
`,
  "lib/page.ex": `defmodule Page do
  require EEx
  EEx.function_from_file(:def, :render, "lib/page.html.eex", [:items])

  def go(file, 0), do: File.exists?(file)

  def go(file, n) do
    text = Enum.map_join(1..300, ",", &Integer.to_string/1)
    {:ok, tokens, _} = :lexer.string(String.to_charlist("[" <> text <> "]"))
    {:ok, list} = :pp.parse(tokens)
    :lines.sum(list)
    render(list)
    go(file, n - 1)
  end
end
`,
};

test("lines of yecc, leex, EEx and a generator are shown with their own files", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "made.pb.gz");
  for (const name of ["src", "gen", "lib"]) mkdirSync(join(folder, name));
  for (const [path, text] of Object.entries(GENERATED)) writeFileSync(join(folder, path), text);
  const inFolder = { cwd: folder };
  execFileSync("erlc", ["-o", "src", "src/pp.yrl"], inFolder);
  execFileSync("erlc", ["-o", "src", "src/lexer.xrl"], inFolder);
  execFileSync("erlc", ["src/pp.erl", "src/lexer.erl", "gen/lines.erl"], inFolder);
  execFileSync("elixirc", ["lib/page.ex"], inFolder);
  const rounds = `go = fn go -> Page.go("${file}", 50); if File.stat!("${file}").size == 0, do: go.(go) end; go.(go); Page.go("${file}", 3000)`;
  const run = await runHelper(["record", "-F", 997, "-o", file, "--", "elixir", "-pa", folder, "-e", rounds]);
  assert.equal(run.code, 0, run.stderr);
  const placesOf = async (/** @type {string[]} */ ...args) => {
    const { functions, lines } = await helperJson(["top", file, "-n", 0, "--by", "line", ...args]);
    const rows = [...functions, ...lines].filter((row) => /^(?:pp|lexer|lines):|Page\./.test(row.function));
    return new Set(rows.map((row) => `${row.file}:${row.line}`));
  };
  const shown = await placesOf();
  const own = await placesOf("--own", folder);
  for (const place of [...shown, ...own]) {
    const [, path = "", line = ""] = /^(.*):(\d+)$/.exec(place) ?? [];
    const text = readFileSync(path.startsWith("/") ? path : join(folder, path), "utf8").split("\n");
    assert.ok(Number(line) <= text.length, `${place} of ${text.length} lines`);
    // What leex notes of its own lines is not exact.
    const isCode = /^\s*[^\s%#/]/.test(text[Number(line) - 1] ?? "") || path.endsWith("lexer.erl");
    assert.ok(line === "0" || isCode, `${place}: ${text[Number(line) - 1]}`);
  }
  for (const place of ["lib/page.html.eex:4", "lib/page.html.eex:7"]) {
    assert.ok(shown.has(place), `${place} of ${[...shown].join()}`);
    assert.ok(own.has(place), `${place} of ${[...own].join()}`);
  }
  for (const place of own) assert.ok(!/\.hrl:/.test(place), `${place}: the header is not of the project`);
  assert.ok([...shown].some((place) => /yeccpre\.hrl:[1-9]/.test(place)));
  assert.ok([...shown].some((place) => /leexinc\.hrl:[1-9]/.test(place)));
  assert.ok(
    [...own].some((place) => /^src\/lines\.gleam:[23]$/.test(place)),
    [...own].join(),
  );
});

test("a VM whose program the kernel hides, as another user's, is named with its process id", async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o777);
  const program = join(folder, "extrospect");
  copyFileSync(HELPER, program);
  chmodSync(program, 0o755);
  const erlang = "/usr/lib/erlang";
  const runtime = readdirSync(erlang).find((name) => name.startsWith("erts-")) ?? assert.fail("no runtime");
  const bin = join(folder, "bin");
  cpSync(join(erlang, runtime, "bin"), bin, { recursive: true });
  // Who may not read a program may not see what a process of it runs, even if it is their own.
  chmodSync(join(bin, "beam.smp"), 0o711);
  const says = "io:put_chars(standard_error, [os:getpid(), $\\n]), timer:sleep(2000), halt().";
  const start = `BINDIR=${bin} ROOTDIR=${erlang} EMU=beam PROGNAME=erl exec ${bin}/erlexec -noshell -eval '${says}'`;
  const run = await runHelper(["record", "--json", "-o", join(folder, "hidden.pb.gz"), "--", "sh", "-c", start], {
    program,
    wrapper: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"],
  });
  assert.equal(run.code, 0, run.stderr);
  const pid = Number(/^\d+$/m.exec(run.stderr)?.[0]);
  const { vms, missed } = JSON.parse(run.stdout);
  assert.deepEqual(vms, []);
  assert.deepEqual(
    missed.map((/** @type {{pid: number}} */ it) => it.pid),
    [pid],
  );
  assert.match(missed[0].reason, /may not be read/);
});

test("of processes that /proc hides it is not claimed that none is a VM", async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o777);
  const [program, shell] = [join(folder, "extrospect"), join(folder, "shell")];
  copyFileSync(HELPER, program);
  copyFileSync("/bin/sh", shell);
  chmodSync(program, 0o755);
  // Who may not read a program may not look at a process of it, even if it is their own.
  chmodSync(shell, 0o711);
  // It is left behind, and waits for a writer that never comes. The namespace ends it.
  const [fifo, ready] = [join(folder, "fifo"), join(folder, "ready")];
  const hidden = `'${shell}' -c 'echo >"${ready}"; read line <"${fifo}"' &`;
  const script = `mkfifo '${fifo}'; ${hidden} while [ ! -e '${ready}' ]; do sleep 0.05; done`;
  const hiding =
    'mount -t proc -o hidepid=2 proc /proc && setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"';
  // In a namespace of process ids of its own: older kernels have one such option for all mounts of a namespace.
  const wrapper = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", hiding, "sh"];
  const command = ["-o", join(folder, "none.pb.gz"), "--", "sh", "-c", script];
  const run = await runHelper(["record", ...command], { program, wrapper });
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stderr, /not all processes of the command could be listed: a VM among the others is in no capture/);
  assert.doesNotMatch(run.stderr, /started no Erlang VM/);
});
