// `top --live` in a terminal: refreshed, sorted and filtered by keys, and the terminal as it was before whatever ends it.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { assertRefused, HELPER, runHelper } from "./helper.mjs";
import { inTerminal } from "./terminal.mjs";

const SOURCES = join(dirname(fileURLToPath(import.meta.url)), "../vms/src");
const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";

/** @param {import("node:test").TestContext} t */
async function workingVm(t) {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  return vm;
}

/**
 * Runs the table in a terminal of its own. The shell's output afterwards shows its exit code and whether the terminal
 * is as before.
 * @param {import("node:test").TestContext} t
 * @param {(string | number)[]} args
 * @param {string} [term]   the type of the terminal
 */
function tableInTerminal(t, args, term) {
  const command = `stty rows 20 cols 120; before=$(stty -g); "${HELPER}" top ${args.map((arg) => `'${arg}'`).join(" ")} --live; echo "code $?"; test "$before" = "$(stty -g)" && echo "terminal as before"`;
  const { press, text, pictures, ended, hasEnded, kill } = inTerminal(command, term);
  t.after(kill);
  return {
    press,
    /** The lines of the last whole picture. It fails where the program has ended: no other picture comes. */
    picture: () => {
      assert.ok(!hasEnded(), `it has ended: ${text()}`);
      return (pictures().at(-1) ?? "").replaceAll("\u001b[K", "").split("\r\n");
    },
    text,
    ended,
  };
}

/** Functions of a picture, from above. @param {string[]} picture */
function functionsOf(picture) {
  const head = picture.findIndex((line) => line.includes("total %"));
  const column = picture[head]?.indexOf("function") ?? 0;
  return picture
    .slice(head + 1, -1)
    .map((line) => line.slice(column).split("  ")[0] ?? "")
    .filter((name) => name !== "");
}

test("top --live refreshes, sorts and filters by key, and q gives the terminal back", async (t) => {
  const vm = await workingVm(t);
  const { press, picture, text, ended } = tableInTerminal(t, [vm.pid, "--own", SOURCES, "-d", 0]);
  await until("own code is shown", () => functionsOf(picture()).includes("gt_erlang:half/2"));
  assert.ok(text().includes(ENTER));
  // Below the count of samples, and below a line about a VM that something else has halted.
  assert.match(picture().slice(2, 4).join("\n"), /^.*% count for own code below /m);
  assert.match(picture().at(-1) ?? "", /\[o own\] {2}s self/);
  assert.equal(picture().length, 20, "it fills the terminal");

  const samples = () => Number(/^(\d+) samples?\b/.exec(picture()[1] ?? "")?.[1]);
  const before = samples();
  await until("more samples, by itself", () => samples() > before);

  press("n");
  await until("sorted by name", () => /\[n name\]/.test(picture().at(-1) ?? ""));
  const names = functionsOf(picture());
  assert.deepEqual(
    names,
    [...names].sort((a, b) => (Buffer.from(a) < Buffer.from(b) ? -1 : 1)),
  );

  press("/");
  press("HALF");
  await until("what is typed filters", () => functionsOf(picture()).join() === "gt_erlang:half/2");
  press("\r");
  await until("the filter is kept", () => /\/ filter: HALF {3}q quit/.test(picture().at(-1) ?? ""));
  press("\u001b");
  await until("all are back", () => functionsOf(picture()).length > 1);

  press("q");
  await ended;
  const after = text().slice(text().indexOf(LEAVE));
  assert.match(after, /quality: \d+ samples/);
  assert.match(after, /code 0\r\nterminal as before/);
});

test("top --live gives the terminal back at Ctrl-C, and when the VM ends", async (t) => {
  const vm = await workingVm(t);
  const first = tableInTerminal(t, [vm.pid]);
  await until("a table", () => functionsOf(first.picture()).length > 0);
  first.press("\u0003");
  await first.ended;
  assert.match(first.text().slice(first.text().indexOf(LEAVE)), /code 0\r\nterminal as before/);

  const second = tableInTerminal(t, [vm.pid]);
  await until("a table", () => functionsOf(second.picture()).length > 0);
  vm.kill();
  await second.ended;
  assert.match(
    second.text().slice(second.text().indexOf(LEAVE)),
    /process \d+ has ended; `extrospect list`.*\r\ncode 5\r\nterminal as before/,
  );
});

test("top --live names its requirements", async (t) => {
  const vm = await workingVm(t);
  const run = await runHelper(["top", vm.pid, "--live"]);
  assertRefused(run, 2);
  assert.match(run.stderr, /--live needs a terminal/);
  const file = await runHelper(["top", "capture.pb.gz", "--live"]);
  assertRefused(file, 2);
  assert.match(file.stderr, /--live cannot show capture\.pb\.gz; .*give the process id/);
  assert.equal((await runHelper(["top", vm.pid, "--live", "--json"])).code, 2);
});

test("a terminal that cannot be drawn on is refused before anything is written to it", async (t) => {
  const vm = await workingVm(t);
  const { text, ended } = tableInTerminal(t, [vm.pid], "dumb");
  await ended;
  assert.match(text(), /--live needs a terminal.*TERM is unset or dumb[^]*code 2/);
  assert.ok(!text().includes("\u001b"), JSON.stringify(text()));
});
