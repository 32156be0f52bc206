// node: a VM as a whole, compared with its own report.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { recordUntil } from "../e2e/enough.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder, untilIn } from "../e2e/helper.mjs";
import { removeLeftGroups } from "../left-groups.mjs";
import { releasesOf } from "../nightly.mjs";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { oneOf } from "../vms/stopped.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { looksAt } from "./looks.mjs";
import { assertChildren, assertCounted, assertMemory, assertPorts, assertTables } from "./reported-node.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: how full its tables are, what it has counted, and its memory`, async (t) => {
    // The VM's report of many processes would be collected on a dirty scheduler, which is not counted.
    const start = async (/** @type {string[]} */ ...emulatorFlags) => {
      const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [10], emulatorFlags });
      t.after(() => vm.kill());
      return vm;
    };
    const small = await start("+P", "5000", "+S", "4:2");
    await oneOf(t, () => assertTables(small));
    const { schedulers, schedulers_online: online } = await helperJson(["node", small.pid]);
    assert.deepEqual(
      [online.normal, online.blocked, online.blockers],
      [{ online: 2, all: 4 }, null, []],
      JSON.stringify(online),
    );
    assert.deepEqual(statesOf(schedulers), ["online", "online", "offline", "offline"]);
    const usual = await start();
    await assertCounted(usual);
    await oneOf(t, () => assertMemory(usual));
  });
}

test("OTP 29: ports that have something to write", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("29"), module: "gt_ports", args: [3] });
  t.after(() => vm.kill());
  await assertPorts(vm);
});

for (const release of releasesOf(ALL_OTP_RELEASES, "29")) {
  test(`OTP ${release}: programs below ports, with their owners`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_children" });
    t.after(() => vm.kill());
    await assertChildren(t, vm);
  });
}

test("a capture names the processor time of programs below ports, which is in none of its samples", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_children", args: ["busy"] });
  t.after(() => vm.kill());
  const file = join(temporaryFolder(t), "programs.pb.gz");
  const wanted = { seconds: 1, hz: 19, file };
  const recorded = await recordUntil(
    vm.pid,
    wanted,
    "the program works",
    async ({ quality }) => ({
      used: quality.port_programs_ms,
      // Absent until the program has used some.
      ports: quality.port_programs ?? [],
      text: (await runHelper(["top", file])).stdout,
    }),
    ({ used, ports, text }) =>
      used >= 100 &&
      ports[0]?.cpu_ms > 0 &&
      /^programs below the VM's ports used at least [\d.]+ s of processor time, /m.test(text),
  );
  const { children } = await helperJson(["node", vm.pid]);
  const [{ name, owner }] = children.programs;
  assert.equal(name, "/bin/sh");
  assert.deepEqual(
    recorded.ports.map((/** @type {any} */ port) => [port.name, port.owner, port.rss_bytes > 0]),
    [[name, owner, true]],
  );
});

test("a scheduler that always has something to run is busy, those beside it are not", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_queue", args: [1], emulatorFlags: ["+S", "2:1"] });
  t.after(() => vm.kill());
  // A look at a machine that is busy with other things may find it between two processes.
  await until("one of them is busier", async () => {
    const { schedulers } = await helperJson(["node", vm.pid]);
    const normal = schedulers.filter((/** @type {any} */ one) => one.kind === "normal");
    assert.deepEqual(
      normal.map((/** @type {any} */ one) => one.number),
      [1, 2],
    );
    return normal[0].busy_pct > normal[1].busy_pct;
  });
});

for (const release of releasesOf(ALL_OTP_RELEASES, "27")) {
  test(`OTP ${release}: schedulers that are offline, or blocked by a process, are called that`, async (t) => {
    const otp = await prepareOtp(release);
    const vm = await runErl({ otp, module: "gt_schedulers", emulatorFlags: ["+S", "4:2"] });
    t.after(() => vm.kill());
    const truth = await vm.report();
    assert.deepEqual([truth.online, truth.all, truth.multi_scheduling], [2, 4, "blocked"]);
    const states = ["online", "blocked", "offline", "offline"];
    const told = {
      normal: { online: truth.online, all: truth.all },
      blocked: "all",
      blockers: truth.blockers.map((/** @type {string} */ pid) => ({ pid, name: "blocker" })),
    };
    const dirty = { online: truth.dirty_cpu_online, all: truth.dirty_cpu_all };
    const listed = (await helperJson(["list"])).find((/** @type {any} */ { pid }) => pid === vm.pid);
    assert.deepEqual([listed.schedulersOnline, listed.schedulers], [truth.online, truth.all]);
    const node = await helperJson(["node", vm.pid]);
    assert.deepEqual(node.schedulers_online, { ...told, dirty_cpu: dirty });
    assert.deepEqual(statesOf(node.schedulers), states);
    const text = `2 of 4 schedulers online\nmulti-scheduling is blocked by blocker (${truth.blockers[0]})\n`;
    const shown = (await runHelper(["node", vm.pid])).stdout;
    assert.ok(shown.includes(text), shown);
    assert.match(shown, /^2 +blocked$/m);
    assert.match(shown, /^4 +offline$/m);
    for (const look of looksAt(vm.pid)) {
      const { circumstances } = await helperJson(look);
      assert.deepEqual(circumstances.schedulers_online, node.schedulers_online, look.join(" "));
      const { stdout } = await runHelper(look);
      assert.ok(stdout.startsWith(`${text}\n`), stdout);
    }
    const { status, found } = await doctorRow(vm.pid, "schedulers online");
    assert.deepEqual(
      [status, found],
      ["warn", `2 of 4; multi-scheduling is blocked by ${truth.blockers[0]} (blocker)`],
    );
    const pstack = await helperJson(["pstack", vm.pid]);
    assert.deepEqual(pstack.schedulers, { ...told, dirtyCpu: dirty });
    const inPstack = pstack.threads.map((/** @type {any} */ thread) => [thread.state, thread.idle]);
    assert.deepEqual(
      inPstack.slice(1),
      states.slice(1).map((state) => [state, false]),
    );
    const stacks = (await runHelper(["pstack", vm.pid])).stdout;
    assert.ok(stacks.startsWith(text), stacks);
    assert.match(stacks, /^scheduler 2 \(tid \d+\)(: |.*, )blocked/m);
    assert.match(stacks, /^scheduler 4 \(tid \d+\)(: |.*, )offline/m);
    const file = join(temporaryFolder(t), "waits.pb.gz");
    const waits = await helperJson(["waits", vm.pid, "-d", 1, "-o", file]);
    assert.deepEqual(waits.circumstances.schedulers_online, node.schedulers_online);
    assert.equal("schedulers" in waits, false, "one place for them");
    // The pages of a capture have them from there.
    const start = "extrospect/waits ";
    const said = readProfile(file).comments.find((comment) => comment.startsWith(start)) ?? "";
    assert.deepEqual(JSON.parse(said.slice(start.length)).schedulers, { ...told, dirtyCpu: dirty });
    const capture = join(temporaryFolder(t), "capture.pb.gz");
    const recorded = (await runHelper(["record", vm.pid, "-d", 1, "-o", capture])).stdout;
    const heading = `when the capture began and at the last reading: ${text.trim().replace("\n", ", ")}`;
    assert.ok(recorded.includes(`; ${heading}`), recorded);
    const { quality } = await helperJson(["top", capture]);
    const now = { ...told, dirtyCpu: dirty };
    assert.deepEqual(quality.schedulers_online, { at_start: now, at_end: now });
    assert.ok((await runHelper(["top", capture])).stdout.includes(`${heading}\n`));
    assert.ok((await runHelper(["export", "--format", "folded", capture])).stderr.includes(heading));
  });
}

/** @param {number} pid @param {string} check */
async function doctorRow(pid, check) {
  const { rows } = await helperJson(["doctor", pid]);
  return rows.find((/** @type {any} */ row) => row.check === check);
}

/** Of normal schedulers. @param {any[]} schedulers @returns {string[]} */
const statesOf = (schedulers) => schedulers.filter(({ kind }) => kind === "normal").map(({ state }) => state);

/** The trees of control groups with processors: a file that each group there has, and what sets a quota of half a processor and none. */
const QUOTAS = [
  { tree: "/sys/fs/cgroup/cpu", file: "cpu.cfs_quota_us", half: "50000", none: "-1" },
  { tree: "/sys/fs/cgroup", file: "cpu.max", half: "50000 100000", none: "max 100000" },
];

test("the quota of a control group around the VM's own is known by its value", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN });
  t.after(() => vm.kill());
  for (const { tree } of QUOTAS) if (existsSync(tree)) removeLeftGroups(tree);
  const made = QUOTAS.map((each) => ({ ...each, outer: join(each.tree, `extrospect test ${process.pid}`) })).find(
    ({ outer, file }) => {
      try {
        mkdirSync(join(outer, "vm"), { recursive: true });
      } catch {
        return false;
      }
      if (existsSync(join(outer, file))) return true;
      for (const folder of [join(outer, "vm"), outer]) rmdirSync(folder);
      return false;
    },
  );
  if (made === undefined) return t.skip("no control group with a quota may be made here");
  t.after(async () => {
    await until("the VM has ended and its groups can be removed", () => {
      try {
        for (const folder of [join(made.outer, "vm"), made.outer]) if (existsSync(folder)) rmdirSync(folder);
        return true;
      } catch {
        return undefined;
      }
    });
  });
  writeFileSync(join(made.outer, made.file), made.half);
  writeFileSync(join(made.outer, "vm", "cgroup.procs"), String(vm.pid));
  const { processors } = await helperJson(["node", vm.pid]);
  assert.deepEqual([processors.groups_known, processors.allowed], [true, 0.5], JSON.stringify(processors));
  const allowed =
    /^processors that its control group allows it: (?:≤ )?0\.5(?:; it was throttled in \d+ of \d+ periods of this check)?$/;
  assert.match((await doctorRow(vm.pid, "processor quota")).found, allowed);
  const text = (await runHelper(["node", vm.pid])).stdout;
  assert.match(text, /a quota of its control group allows it 0\.5 processors; throttled in \d+ of \d+ periods/);
  for (const look of looksAt(vm.pid)) {
    const { circumstances } = await helperJson(look);
    assert.equal(circumstances.processors.allowed, 0.5, look.join(" "));
    const { stdout } = await runHelper(look);
    assert.match(
      stdout,
      /^a quota of its control group allows it 0\.5 processors(?:; throttled in \d+ of \d+ periods since reading began, \d+ ms)?\n\n/,
    );
  }
  assert.equal((await helperJson(["pstack", vm.pid])).processors.allowed, 0.5);
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const run = await runHelper(["record", vm.pid, "-d", 1, "-o", file]);
  assert.match(run.stdout, /, sampling paused \d+ times?; .*; a quota allows it 0\.5 processors/);
  const { quality } = await helperJson(["top", file]);
  assert.equal(quality.processors.allowed, 0.5);
  const lifted = join(temporaryFolder(t), "lifted.pb.gz");
  const ended = await runHelper(["record", vm.pid, "-d", 0, "-o", lifted], {
    onStart: (child) =>
      void untilIn(child, "samples in the file", () => readUnfinishedProfile(lifted).samples.length > 0).then(() => {
        writeFileSync(join(made.outer, made.file), made.none);
        child.kill("SIGINT");
      }),
  });
  assert.match(ended.stdout, /; a quota allows it 0\.5 processors/, ended.stderr);
  const counted = (await helperJson(["top", lifted])).quality.processors;
  assert.equal(counted.allowed, 0.5);
  assert.ok(counted.periods !== null && counted.throttled_ms !== null, JSON.stringify(counted));
  assert.equal((await helperJson(["node", vm.pid])).processors.allowed, null);
  assert.match((await doctorRow(vm.pid, "processor quota")).found, /^none\b/);
  const free = (await runHelper(["ps", vm.pid])).stdout;
  assert.match(free, /^pid +name +status /, "nothing is above the table where nothing limits the VM");
});

test("processors that the VM may not run on are known, and named where it has more schedulers online", async (t) => {
  if (availableParallelism() < 2) return t.skip("with one processor there is none that it may not run on");
  const vm = await runErl({ otp: await prepareOtp("25"), ...NOW_AND_THEN, emulatorFlags: ["+S", "2:2"] });
  t.after(() => vm.kill());
  const { affinity: all } = (await helperJson(["node", vm.pid])).processors;
  assert.ok(all.allowed >= 2 && all.allowed <= all.online, JSON.stringify(all));
  const [first] = allowedProcessors();
  execFileSync("taskset", ["-a", "-c", "-p", String(first), String(vm.pid)], { stdio: "ignore" });
  assert.deepEqual((await helperJson(["node", vm.pid])).processors.affinity, { allowed: 1, online: all.online });
  const line = `it may run on 1 of ${all.online} processors`;
  assert.ok((await runHelper(["node", vm.pid])).stdout.split("\n").includes(line));
  assert.ok((await runHelper(["ps", vm.pid])).stdout.split("\n").includes(line));
  const file = join(temporaryFolder(t), "bound.pb.gz");
  const run = await runHelper(["record", vm.pid, "-d", 1, "-o", file]);
  assert.ok(run.stdout.includes(`; ${line}`), run.stdout);
  assert.equal((await helperJson(["top", file])).quality.processors.affinity.allowed, 1);
});

/** Those that the test may run on. */
function allowedProcessors() {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  return list.split(/[,-]/).map(Number);
}

test("what is no VM is refused by all that look inside", async () => {
  for (const command of ["node", "ps"]) assertRefused(await runHelper([command, process.pid]), 3);
});
