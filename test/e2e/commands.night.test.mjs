// list, doctor and pstack on live VMs, as root and as another user.
import assert from "node:assert/strict";
import { readlinkSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { freePort } from "../../scripts/free-port.mjs";
import { openFolder } from "../../scripts/temporary-folder.mjs";
import { measured } from "../measured.mjs";
import { until } from "../until.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { asNobody, NOBODY } from "./fewer-rights.mjs";
import { assertRefused, HELPER, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/** @type {Map<string, import("../vms/otp.mjs").OtpInstallation>} */
const installations = new Map();
before(async () => {
  for (const release of OTP_RELEASES) installations.set(release, await prepareOtp(release));
});

/** @param {import("node:test").TestContext} t @param {string} module @param {{release?: string, args?: (string | number)[], uid?: number, emulatorFlags?: string[]}} [options] */
async function vmFor(t, module, { release = "25", ...rest } = {}) {
  const otp = installations.get(release);
  assert.ok(otp);
  const vm = await runErl({ otp, module, ...rest });
  t.after(() => vm.kill());
  return vm;
}

/** @param {any[]} rows @param {string} check */
const rowOf = (rows, check) => rows.find((row) => row.check === check);

test("list describes each VM", async (t) => {
  const vms = new Map();
  for (const release of OTP_RELEASES) vms.set(release, await vmFor(t, "gt_idle", { release }));
  const busy = await vmFor(t, "gt_erlang");
  const begun = Date.now();
  const rows = await helperJson(["list"]);
  const tookMs = Date.now() - begun;
  for (const [release, vm] of vms) {
    const row = rows.find((/** @type {any} */ it) => it.pid === vm.pid);
    assert.ok(row, `no row for OTP ${release}`);
    assert.equal(row.otp, release);
    assert.equal(row.flavor, "jit");
    assert.equal(row.attachable, true);
    assert.equal(row.reason, null);
    assert.equal(row.uid, 0);
    assert.equal(row.user, "root");
    assert.equal(row.workingDirectory, readlinkSync(`/proc/${vm.pid}/cwd`));
    assert.equal(row.erts.split(".")[0], String(Number(release) - 12), `ERTS ${row.erts} of OTP ${release}`);
    assert.ok(row.schedulers >= 1);
  }
  const load = rows.find((/** @type {any} */ it) => it.pid === busy.pid).cpuPct;
  assert.ok(load > 0, `a busy VM is listed with ${load} %`);
  measured(t, "list", tookMs);
  const text = await runHelper(["list"]);
  assert.equal(text.code, 0);
  assert.match(text.stdout, new RegExp(`^ *${busy.pid} .* yes `, "m"));
});

test("list names the node", async (t) => {
  const vm = await vmFor(t, "gt_idle", {
    emulatorFlags: ["-name", "listed@127.0.0.1", "-start_epmd", "false", "-erl_epmd_port", String(await freePort())],
  });
  const rows = await helperJson(["list"]);
  assert.equal(rows.find((/** @type {any} */ it) => it.pid === vm.pid).node, "listed@127.0.0.1");
});

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: names from the VM's memory: of a node named later, of a process with a long name`, async (t) => {
    const long = "\u00e4".repeat(100) + "x".repeat(155);
    const program = [
      "{ok, _} = net_kernel:start(['later@127.0.0.1', longnames])",
      "spawn(fun() -> register(list_to_atom(lists:duplicate(100, 228) ++ lists:duplicate(155, $x)), self()), Loop = fun(F) -> lists:seq(1, 9000), F(F) end, Loop(Loop) end).",
    ].join(", ");
    const vm = await vmFor(t, "gt_idle", {
      release,
      emulatorFlags: ["-start_epmd", "false", "-erl_epmd_port", String(await freePort()), "-eval", program],
    });
    let shown = "";
    // The name is there some moments after the VM is ready, and the process not at every moment running.
    await until("the process is seen running under its name", async () => {
      shown = (await runHelper(["pstack", vm.pid])).stdout;
      return shown.includes(`> ${long}, `) || assert.fail(shown);
    });
    const rows = await helperJson(["list"]);
    assert.equal(rows.find((/** @type {any} */ it) => it.pid === vm.pid).node, "later@127.0.0.1");
  });
}

test("list shows VMs that another user cannot attach to, with the reason and their facts", async (t) => {
  const vm = await vmFor(t, "gt_idle");
  const own = await vmFor(t, "gt_idle", { uid: NOBODY });
  const run = await asNobody(t, ["list", "--json"]);
  assert.equal(run.code, 0, run.stderr);
  const rows = JSON.parse(run.stdout);
  const row = rows.find((/** @type {any} */ it) => it.pid === vm.pid);
  assert.equal(row.attachable, false);
  assert.match(row.reason, /may not be read.*sudo/);
  assert.equal(row.otp, "25");
  assert.match(row.erts, /^13\./);
  const ownRow = rows.find((/** @type {any} */ it) => it.pid === own.pid);
  assert.equal(row.workingDirectory, undefined, "the kernel shows it to root alone");
  assert.equal(ownRow.uid, NOBODY);
  assert.equal(ownRow.user, "nobody");
  assert.equal(ownRow.workingDirectory, "/");
  assert.equal(ownRow.attachable, true, ownRow.reason);
});

test("the reason in list is the error of attaching", async (t) => {
  const vm = await vmFor(t, "gt_idle");
  const rows = JSON.parse((await asNobody(t, ["list", "--json"])).stdout);
  const refused = await asNobody(t, ["pstack", vm.pid]);
  assertRefused(refused, 4);
  // Each run is of a copy in a folder of its own, and the command that fixes it names that copy.
  const anywhere = (/** @type {string} */ text) => text.replace(/\/var\/tmp\/[\w-]*nobody-[\w-]+\//, "/anywhere/");
  assert.equal(
    anywhere(refused.stderr.trim()),
    anywhere(`extrospect: ${rows.find((/** @type {any} */ it) => it.pid === vm.pid).reason}`),
  );
  assert.match(
    refused.stderr,
    /once: sudo \/var\/tmp\/[\w-]*nobody-[\w-]+\/extrospect install, and have root allow it in \/etc\/extrospect\/policy\.toml: \[users\] nobody = \["root"\]$/m,
  );
});

test("doctor: the machine, and a VM of each release", async (t) => {
  const { rows } = await helperJson(["doctor"]);
  for (const check of [
    "sampling",
    "perf_event_paranoid",
    "Yama ptrace_scope",
    "locked memory",
    "event",
    "seccomp",
    "real-time priority",
    "kernel symbols",
    "open files",
    "kernel lockdown",
    "user namespace",
    "SELinux",
    "AppArmor",
    "unprivileged_bpf_disabled",
  ]) {
    assert.ok(rowOf(rows, check), check);
  }
  assert.equal(rowOf(rows, "sampling").status, "ok", "root may sample");
  for (const release of OTP_RELEASES) {
    const vm = await vmFor(t, "gt_idle", { release });
    const { rows } = await helperJson(["doctor", vm.pid]);
    for (const check of [
      "attach",
      "release",
      "layout",
      "known modules",
      "atoms",
      "BIFs",
      "schedulers",
      "sampling this VM",
    ]) {
      assert.equal(rowOf(rows, check)?.status, "ok", `${check} on OTP ${release}`);
    }
    assert.ok(Number(/^(\d+) decoded/.exec(rowOf(rows, "atoms").found)?.[1]) >= 1000);
  }
});

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: the VM itself confirms every field of its row, and the scans find what symbols lead to`, async (t) => {
    const vm = await vmFor(t, "gt_idle", { release });
    const { rows } = await helperJson(["doctor", vm.pid]);
    const layout = rowOf(rows, "layout");
    assert.equal(layout.status, "ok", layout.found);
    assert.equal(fieldsOf(layout.found, "confirmed by the VM").size, 21, layout.found);
    assert.ok(!layout.found.includes("not confirmed"), layout.found);
    const structures = rowOf(rows, "structures");
    assert.equal(structures.status, "ok", structures.found);
    const all = "release, list of code, code index, atoms, BIFs, processes, ports, schedulers";
    assert.equal(structures.found, release === "29" ? `by scan: ${all}` : `by symbol, and the scan agrees: ${all}`);
  });
}

/** The fields after a heading, with their values. @param {string} found @param {string} heading */
function fieldsOf(found, heading) {
  const part = found.split("; ").find((text) => text.startsWith(`${heading}: `)) ?? `${heading}: `;
  return new Map(
    part
      .slice(heading.length + 2)
      .split(", ")
      .filter(Boolean)
      .map((field) => {
        const space = field.lastIndexOf(" ");
        return [field.slice(0, space), Number(field.slice(space + 1))];
      }),
  );
}

for (const release of OTP_RELEASES) {
  test(`OTP ${release}: names that follow from callers are those of the symbols, where there are symbols`, async (t) => {
    const vm = await vmFor(t, "gt_idle", { release });
    const { rows } = await helperJson(["doctor", vm.pid]);
    const callees = rowOf(rows, "callees");
    assert.equal(callees?.status, "ok", callees?.found);
    const [, named = 0, checked = 0] =
      /^(\d+) C functions named by their callers, (\d+) of them have symbols$/.exec(callees.found) ?? [];
    assert.ok(Number(named) >= 50, callees.found);
    // OTP 29 exports the interfaces for NIFs and drivers only, and none of these functions.
    assert.equal(Number(checked), release === "29" ? 0 : Number(named));
  });
}

test("kernel functions have their names on request", async (t) => {
  const vm = await vmFor(t, "gt_gc");
  const file = join(temporaryFolder(t), "kernel.pb.gz");
  await until(
    "a page fault among the samples",
    async () => {
      const { code, stderr } = await runHelper([
        "record",
        vm.pid,
        "-d",
        1,
        "-F",
        997,
        "--include-kernel",
        "--force",
        "-o",
        file,
      ]);
      assert.equal(code, 0, stderr);
      const { functions } = await helperJson(["top", file, "-n", 0]);
      const kernel = functions
        .filter((/** @type {any} */ row) => row.kind === "kernel")
        .map((/** @type {any} */ row) => row.function);
      return kernel.some((/** @type {string} */ name) => /fault|page/.test(name)) || assert.fail(kernel.join());
    },
    120_000,
  );
});

test("doctor as another user: exit 4, each failing row names a command", async (t) => {
  const vm = await vmFor(t, "gt_idle");
  const run = await asNobody(t, ["doctor", vm.pid, "--json"]);
  assertRefused(run, 4);
  const { rows } = JSON.parse(run.stdout);
  assert.equal(rowOf(rows, "attach").status, "fail");
  for (const row of rows.filter((/** @type {any} */ it) => it.status !== "ok")) {
    assert.match(row.fix ?? "", /^(sudo|docker|extrospect|boot) /, row.check);
  }
  const text = await asNobody(t, ["doctor", vm.pid]);
  assert.match(text.stdout, /^FAIL +attach .*\n +needed: .*\n +fix: sudo \S+ install$/m);
});

test("doctor in a user namespace of its own: capabilities do not count there, and it names where they count", async () => {
  const run = await runHelper(["doctor", "--json"], { wrapper: ["unshare", "--user", "--map-root-user"] });
  const { rows } = JSON.parse(run.stdout);
  assert.equal(rowOf(rows, "user namespace").status, "warn");
  const sampling = rowOf(rows, "capability to sample");
  assert.equal(sampling.status, "warn", "CAP_PERFMON is there, and does not count");
  assert.match(sampling.found, /CAP_PERFMON, which does not count in this user namespace/);
  assert.equal(rowOf(rows, "capability to read").status, "ok");
  assert.equal(rowOf(rows, "exact stacks (bpf)").status, "warn", "nor does it for the kernel");
  assert.match(sampling.fix, /outside the user namespace/);
});

test("a refusal without rights names the obstacle, as doctor does", async (t) => {
  const vm = await vmFor(t, "gt_idle");
  const file = join(temporaryFolder(t), "none.pb.gz");
  const record = ["record", vm.pid, "-d", 1, "-o", file];
  const inNamespace = await runHelper(record, { wrapper: ["unshare", "--user", "--map-root-user"] });
  assertRefused(inNamespace, 4);
  assert.match(inNamespace.stderr, /run it outside the user namespace/);
  const inSandbox = await asNobody(t, record, ["--no-new-privs"]);
  assertRefused(inSandbox, 4);
  assert.match(inSandbox.stderr, /started with no_new_privs/);
});

test("doctor of something that is no VM: exit 3", async () => {
  const run = await runHelper(["doctor", process.pid, "--json"]);
  assertRefused(run, 3);
  assert.equal(rowOf(JSON.parse(run.stdout).rows, "attach").status, "fail");
});

test("pstack of a busy VM shows its functions, with lines", async (t) => {
  const vm = await vmFor(t, "gt_erlang");
  const look = async () => (await helperJson(["pstack", vm.pid])).threads;
  const inErlang = (/** @type {any} */ it) =>
    it.frames.some((/** @type {any} */ frame) => frame.function.startsWith("gt_erlang:"));
  const begun = Date.now();
  await look();
  measured(t, "pstack", Date.now() - begun);
  // One look may find every scheduler between two processes.
  const threads = await until("a scheduler that runs Erlang code", async () => {
    const threads = await look();
    return threads.some(inErlang) && threads;
  });
  assert.ok(threads.length >= 1);
  assert.deepEqual(
    threads.map((/** @type {any} */ it) => it.scheduler),
    threads.map((/** @type {any} */ _, /** @type {number} */ index) => ({ type: "normal", number: index + 1 })),
  );
  for (const thread of threads.filter(inErlang)) {
    assert.equal(thread.idle, false);
    assert.match(thread.erlangPid, /^<0\.\d+\.\d+>$/);
    const frame = thread.frames.find((/** @type {any} */ it) => it.function.startsWith("gt_erlang:"));
    assert.match(frame.file, /gt_erlang\.erl$/);
    assert.ok(frame.line > 0);
  }
  const text = await runHelper(["pstack", vm.pid]);
  assert.match(text.stdout, /^scheduler 1 \(tid \d+\)/m);
});

test("pstack --only-erlang shows what the VM's own tools would", async (t) => {
  const vm = await vmFor(t, "gt_ets");
  const kinds = async (/** @type {string[]} */ flags) => {
    const { threads } = await helperJson(["pstack", vm.pid, ...flags]);
    return threads.flatMap((/** @type {any} */ it) => it.frames.map((/** @type {any} */ frame) => frame.kind));
  };
  /** @type {string[]} */
  let shown = [];
  // One look may find a scheduler between two processes.
  await until("an Erlang frame", async () => (shown = await kinds(["--only-erlang"])).includes("erlang"));
  assert.deepEqual(
    shown.filter((kind) => !["erlang", "bif", "marker"].includes(kind)),
    [],
  );
  await until("C code without it", async () => (await kinds([])).includes("native"));
});

test("pstack of an idle VM calls its schedulers idle; --all shows the others", async (t) => {
  const vm = await vmFor(t, "gt_idle");
  const some = await helperJson(["pstack", vm.pid]);
  assert.ok(some.threads.some((/** @type {any} */ it) => it.idle && it.frames.length === 0));
  const all = await helperJson(["pstack", vm.pid, "--all"]);
  const types = new Set(all.threads.map((/** @type {any} */ it) => it.scheduler?.type));
  assert.deepEqual([...types], ["normal", "dirty_cpu", "dirty_io", undefined]);
  assert.match((await runHelper(["pstack", vm.pid])).stdout, /^scheduler \d+ \(tid \d+\): idle$/m);
});

test("pstack of something that is no VM: exit 3", async () => {
  assertRefused(await runHelper(["pstack", process.pid]), 3);
});

test("the helper needs no C library of its host", async (t) => {
  const empty = openFolder("empty");
  t.after(() => execFileSync("rm", ["-rf", empty]));
  execFileSync("cp", [HELPER, `${empty}/extrospect`]);
  assert.match(execFileSync("chroot", [empty, "/extrospect", "--version"], { encoding: "utf8" }), /^extrospect \d/);
});

test("every command has help with an example", async () => {
  for (const command of ["list", "doctor", "record", "top", "blame", "pstack", "import", "export", "push", "serve"]) {
    const run = await runHelper([command, "--help"]);
    assert.equal(run.code, 0);
    assert.match(run.stdout, new RegExp(`Examples?: extrospect ${command}`), command);
  }
});
