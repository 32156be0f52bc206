// Names that a terminal would obey: none of them reaches it raw, whatever the command.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { PbfWriter } from "pbf";
import { readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { runHelper, temporaryFolder, untilIn } from "./helper.mjs";

/** ESC and CSI sequences, an OSC 8 link, BEL, line breaks, bidirectional controls. */
const EVIL = [
  "\u001b[2J",
  "\u001b]8;;http://evil.example\u0007click\u001b]8;;\u0007",
  "\u009b31m",
  "\u0007",
  "two\nlines\r",
  "\u202egnp.exe\u2069",
  "\u2028",
  "\u007f",
];
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/u;

/** Text that editors, browsers and forges obey: command links, Markdown, HTML, a mention of a user. */
const MARKUP = [
  "[click](command:workbench.action.terminal.new)",
  "<img src=x onerror=alert(1)>",
  "</code><script>alert(1)</script>",
  "`|**@everyone**|`",
  "![x](http://evil.example/x.png)",
];

/**
 * Nothing of the text is obeyed by a terminal but line ends, and no name made lines of its own.
 * @param {string} text @param {string} what
 */
function assertHarmless(text, what) {
  const found = OBEYED.exec(text);
  assert.equal(
    found,
    null,
    `${what}: ${JSON.stringify(text.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 60))}`,
  );
  assert.doesNotMatch(text, /^\s*(lines|lre|second)/mu, `${what}: a name ended a line`);
}

/** @param {PbfWriter} pbf @param {number} field @param {Record<number, number>} numbers */
const message = (pbf, field, numbers) => pbf.writeMessage(field, writeNumbers, numbers);
/** @param {Record<number, number>} numbers @param {PbfWriter} pbf */
function writeNumbers(numbers, pbf) {
  for (const [field, number] of Object.entries(numbers)) pbf.writeVarintField(Number(field), number);
}

/**
 * A profile all of whose names are evil: one stack for each of them, Erlang below C.
 * @param {string[]} [names]
 * @returns {Buffer}
 */
function hostileProfile(names = EVIL) {
  const pbf = new PbfWriter();
  /** @type {string[]} */
  const strings = [];
  const string = (/** @type {string} */ text) => {
    if (!strings.includes(text)) strings.push(text);
    return strings.indexOf(text);
  };
  string("");
  message(pbf, 1, { 1: string("samples"), 2: string("count") });
  for (const [index, evil] of names.entries()) {
    const [callee, caller] = [2 * index + 1, 2 * index + 2];
    message(pbf, 5, { 1: callee, 2: string(`c_${evil}`), 3: string(`native!c_${evil}`), 4: string(`/${evil}.c`) });
    message(pbf, 5, {
      1: caller,
      2: string(`m:${evil}/1`),
      3: string(`erlang!m:${evil}/1`),
      4: string(`/${evil}.erl`),
    });
    for (const id of [callee, caller]) {
      pbf.writeMessage(
        4,
        (/** @type {number} */ location, /** @type {PbfWriter} */ out) => {
          out.writeVarintField(1, location);
          out.writeMessage(4, writeNumbers, { 1: location, 2: 7 });
        },
        id,
      );
    }
    pbf.writeMessage(
      2,
      (/** @type {number[]} */ locations, /** @type {PbfWriter} */ out) => {
        out.writePackedVarint(1, locations);
        out.writePackedVarint(2, [10 + index]);
        out.writeMessage(3, writeNumbers, { 1: string("process"), 2: string(evil) });
      },
      [callee, caller],
    );
  }
  for (const text of strings) pbf.writeStringField(6, text);
  return gzipSync(pbf.finish());
}

test("a crafted profile: top, blame and the folded export", async (t) => {
  const file = join(temporaryFolder(t), "evil.pb.gz");
  writeFileSync(file, hostileProfile());
  for (const args of [
    ["top", file, "-n", 0],
    ["top", file, "--only-erlang"],
    ["blame", "/c_/", file, "--callers"],
    ["export", file, "--format", "folded"],
  ]) {
    const run = await runHelper(args);
    if (args[0] !== "blame") assert.equal(run.code, 0, run.stderr);
    assertHarmless(run.stdout + run.stderr, args.join(" "));
  }
  const top = await runHelper(["top", file, "-n", 0]);
  assert.equal(top.stdout.trim().split("\n").length, 2 + 2 * EVIL.length, "one line for each function");
  assert.match(top.stdout, /m:\\u\{1b\}\[2J\/1/, "what is hidden is written out");
  const folded = await runHelper(["export", file, "--format", "folded"]);
  assert.equal(folded.stdout.trim().split("\n").length, EVIL.length);
  for (const line of folded.stdout.trim().split("\n")) assert.match(line, /^m:[^;]*;c_[^;]* \d+$/u);
});

test("blame and errors with an evil name of one's own", async (t) => {
  const file = join(temporaryFolder(t), "evil.pb.gz");
  writeFileSync(file, hostileProfile());
  for (const evil of EVIL.filter((name) => !name.includes("\n"))) {
    const run = await runHelper(["blame", `c_${evil}`, file, "--callers"]);
    assert.equal(run.code, 0, run.stderr);
    assertHarmless(run.stdout, "blame");
    assertHarmless((await runHelper(["blame", `none_${evil}`, file])).stderr, "blame of nothing");
    assertHarmless((await runHelper(["top", `/no/such/${evil}`])).stderr, "top of no file");
  }
});

test("two captures of evil names, in files of evil names: the comparison, as text and as a comment on a forge", async (t) => {
  const folder = temporaryFolder(t);
  // No name of a file has a slash.
  const files = ["base", "new"].map((side) =>
    join(folder, `${side}-${[...EVIL, ...MARKUP].join("").replaceAll("/", "_").slice(0, 120)}.pb.gz`),
  );
  for (const file of files) writeFileSync(file, hostileProfile([...EVIL, ...MARKUP]));
  const [base = "", newer = ""] = files;
  for (const options of [[], ["--json"]]) {
    const run = await runHelper(["diff", base, "--", newer, ...options]);
    assert.equal(run.code, 0, run.stderr);
    assertHarmless(run.stdout + run.stderr, `diff ${options.join(" ")}`);
  }
  const { stdout } = await runHelper(["diff", base, "--", newer, "--markdown"]);
  assertHarmless(stdout, "diff --markdown");
  // Text between backquotes is shown as it is; the rest is Markdown, and HTML.
  const obeyed = stdout.replace(/(`+)(?!`).*?[^`]\1(?!`)/gs, "");
  assert.doesNotMatch(obeyed, /<(?!\/?(details|summary)>)|(?<!\\)\]\(|@everyone/);
  assertHarmless((await runHelper(["commit", base])).stdout, "commit");
});

test("a VM full of evil names: list, doctor, pstack, record with progress, top", async (t) => {
  const args = EVIL.map((evil) => `arg${evil}`);
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_hostile", args });
  t.after(() => vm.kill());
  const file = join(temporaryFolder(t), "evil.pb.gz");
  const wrapper = ["env", "EXTROSPECT_PROGRESS=1"];
  const outputs = new Map();
  for (const command of [
    ["list"],
    ["doctor", vm.pid],
    ["pstack", vm.pid, "--all"],
    ["record", vm.pid, "-d", 0, "-F", 499, "-o", file],
    ["top", file, "-n", 0],
    ["export", file, "--format", "folded"],
    ["export", vm.pid, "--format", "perf-map"],
  ]) {
    const run = await runHelper(command, {
      wrapper,
      onStart: (child) => {
        if (command[0] === "record")
          void untilIn(child, "samples of the process", () =>
            readUnfinishedProfile(file).samples.some(({ frames }) => frames.some(({ name }) => name.includes("evil"))),
          ).then(() => child.kill("SIGINT"));
      },
    });
    assert.ok(run.code === 0 || command[0] === "doctor", run.stderr);
    outputs.set(command[0], run.stdout);
    assertHarmless(run.stdout, command.join(" "));
    // The progress line is ours: it goes back to its start and clears itself.
    assertHarmless(run.stderr.replaceAll("\r\u001b[2K", ""), command.join(" "));
  }
  // The names are there, so it was they that were made harmless.
  assert.match(outputs.get("top"), /evil\\033\[2J\\u\{202e\}/);
  // Now and then a look finds the scheduler between two turns of the process.
  await until("pstack shows the process", async () => {
    const { stdout } = await runHelper(["pstack", vm.pid]);
    assertHarmless(stdout, "pstack");
    return /proc\\(e|u\{1b\})\]0;title/.test(stdout);
  });
});
