// The requirements of Debian's own kernel, and the suspension of a machine: in a machine of its own
// (test/vms/guest.mjs).
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { isNightly } from "../nightly.mjs";
import { ENDED, inGuest } from "../vms/guest.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources } from "../vms/vm.mjs";
import { HELPER } from "./helper.mjs";

/** @typedef {"bpf" | "readv"} Engine */
/** @type {Engine[]} */
const ENGINES = ["bpf", "readv"];
/**
 * Attaching takes seconds in an emulated machine: by day one engine meets the machine's events, by night both.
 * @param {Engine} daily
 */
const enginesOf = (daily) => (isNightly ? ENGINES : [daily]);
/** @satisfies {Record<string, Engine[]>} */
const MET = {
  integrity: enginesOf("readv"),
  confidentiality: enginesOf("bpf"),
  suspended: enginesOf("bpf"),
  stepped: enginesOf("readv"),
  unplugged: enginesOf("readv"),
};
const COPY = "/usr/local/libexec/extrospect/extrospect";
/**
 * Long enough that an emulated machine beside other work is asleep by then: a timer that ends too early wakes nothing.
 */
const SUSPENDED_S = 30;
const RECORDED_S = 8;
const HOUR_S = 3600;

const USERS = `
echo 'root:x:0:0::/:/bin/sh' > /etc/passwd; echo 'ann:x:1000:1000::/tmp:/bin/sh' >> /etc/passwd
echo 'root:x:0:' > /etc/group; echo 'ann:x:1000:' >> /etc/group; echo 'extrospect:x:900:ann' >> /etc/group
mkdir /ann; chown 1000:1000 /ann; chmod 1777 /tmp
`;

/** A VM of root and one of ann; each has written its process id once it works. */
const VMS = `
start() { echo "exec $ERL -s gt_guest main $1"; }
sh -c "$(start /tmp/root.pid)" &
su ann -c "$(start /tmp/ann.pid)" &
until [ -s /tmp/root.pid ] && [ -s /tmp/ann.pid ]; do sleep 1; done
ROOTS=$(cat /tmp/root.pid); ANNS=$(cat /tmp/ann.pid)
`;

const RIGHTS = `
try paranoid cat /proc/sys/kernel/perf_event_paranoid
try doctor-of-root extrospect doctor
for engine in ${ENGINES.join(" ")}; do try root-$engine extrospect record $ROOTS -d 1 -F 99 --engine $engine -o /tmp/$engine.pb.gz --json; done
try install extrospect install
try refused su ann -c "${COPY} record $ANNS -d 1 -o /ann/refused.pb.gz"
try doctor su ann -c "${COPY} doctor"
echo 2 > /proc/sys/kernel/perf_event_paranoid
try permitted su ann -c "${COPY} record $ANNS -d 1 -F 99 -o /ann/permitted.pb.gz --json"
`;

/** With Yama on, as Ubuntu and Fedora have it, users read only processes that are children of their own. */
const YAMA = `
echo 1 > /proc/sys/kernel/yama/ptrace_scope
try yama-without-copy su ann -c "extrospect record $ANNS -d 1 -o /ann/without.pb.gz"
try yama-doctor su ann -c "extrospect doctor"
try yama-with-copy su ann -c "${COPY} record $ANNS -d 1 -F 99 -o /ann/yama.pb.gz --json"
echo 0 > /proc/sys/kernel/yama/ptrace_scope
echo 3 > /proc/sys/kernel/perf_event_paranoid
`;

/** @param {"integrity" | "confidentiality"} level */
const lockedDown = (level) => `
echo ${level} > /sys/kernel/security/lockdown
try ${level}-doctor extrospect doctor
for engine in ${MET[level].join(" ")}; do try ${level}-$engine extrospect record $ROOTS -d 1 -F 99 --engine $engine -o /tmp/${level}-$engine.pb.gz --json; done
`;

/** Raised for good, so it comes last. */
const LOCKDOWN = `mount -t securityfs securityfs /sys/kernel/security
${lockedDown("integrity")}${lockedDown("confidentiality")}`;

/**
 * Captures at once, one by each of its engines, and an event that happens to the machine during them.
 * @param {"suspended" | "stepped" | "unplugged"} name @param {string} happens
 */
const captured = (name, happens) => `
clocks() { cat /proc/uptime; grep "^now at" /proc/timer_list; }
try ${name}-begun clocks
for engine in ${MET[name].join(" ")}; do
  (extrospect record $ROOTS -d ${RECORDED_S} -F 99 --engine $engine -o /tmp/${name}-$engine.pb.gz --json > /tmp/$engine.json 2>&1; echo $? > /tmp/$engine.code) &
done
for engine in ${MET[name].join(" ")}; do until [ -s /tmp/${name}-$engine.pb.gz ]; do sleep 1; done; done
${happens}
for engine in ${MET[name].join(" ")}; do
  until [ -s /tmp/$engine.code ]; do sleep 1; done
  try ${name}-ended-$engine clocks
  try ${name}-$engine cat /tmp/$engine.json
  try ${name}-code-$engine cat /tmp/$engine.code
  try ${name}-top-$engine extrospect top /tmp/${name}-$engine.pb.gz -n 0 --json
  rm /tmp/$engine.code
done
`;

/** The machine's clock wakes it. */
const SUSPENSION = captured(
  "suspended",
  `echo +${SUSPENDED_S} > /sys/class/rtc/rtc0/wakealarm; echo mem > /sys/power/state`,
);
const CLOCK_STEPS = captured(
  "stepped",
  `date -s @$(($(date +%s) + ${HOUR_S})); sleep 1; try clock date +%s; date -s @$(($(date +%s) - ${2 * HOUR_S}))`,
);
const CPU = "/sys/devices/system/cpu/cpu1/online";
const UNPLUGGED = captured("unplugged", `echo 0 > ${CPU}; sleep 2; try cpu cat ${CPU}; echo 1 > ${CPU}`);

/** @type {Map<string, {output: string, code: number}>} */
let answers;
before(async () => {
  const beams = await compileSources(await prepareOtp("25"));
  answers = await inGuest({
    helper: HELPER,
    beams,
    script: USERS + VMS + RIGHTS + YAMA + CLOCK_STEPS + UNPLUGGED + SUSPENSION + LOCKDOWN,
  });
  assert.ok(
    answers.has(ENDED),
    `the machine did not come to the end of its script; answered: ${[...answers.keys()].join(", ")}`,
  );
});

/** @param {string} name */
function answer(name) {
  const found = answers.get(name);
  assert.ok(found !== undefined, `no ${name} among ${[...answers.keys()].join()}`);
  return found;
}

/** @param {string} name */
function json(name) {
  const { output, code } = answer(name);
  assert.equal(code, 0, `${name}: ${output}`);
  return JSON.parse(output.slice(output.indexOf("{")));
}

test("a kernel that requires CAP_SYS_ADMIN lets root sample, by both engines", () => {
  assert.equal(answer("paranoid").output.trim(), "3", "Debian's default");
  for (const engine of ENGINES) assert.ok(json(`root-${engine}`).quality.samples > 0);
  const { output } = answer("doctor-of-root");
  assert.match(output, /^ok +perf_event_paranoid +3, at which this kernel requires CAP_SYS_ADMIN/m);
  assert.match(output, /^ok +sampling /m);
});

test("the installed copy, which has no such right, is refused there with the least that does", () => {
  const mends = /echo kernel\.perf_event_paranoid=2 \| sudo tee \/etc\/sysctl\.d\/60-extrospect\.conf/;
  assert.match(answer("install").output, mends);
  const refused = answer("refused");
  assert.equal(refused.code, 4, refused.output);
  assert.match(refused.output, /this kernel requires CAP_SYS_ADMIN/);
  assert.match(refused.output, mends);
  const doctor = answer("doctor");
  assert.equal(doctor.code, 4);
  assert.match(doctor.output, /^FAIL +perf_event_paranoid +3, at which this kernel requires CAP_SYS_ADMIN/m);
  assert.match(doctor.output, mends);
  assert.ok(json("permitted").quality.samples > 0, "with that it samples");
});

test("with Yama, the copy samples its caller's VM, and a helper without its rights names the obstacle", () => {
  assert.ok(json("yama-with-copy").quality.samples > 0);
  const refused = answer("yama-without-copy");
  assert.equal(refused.code, 4, refused.output);
  const { output } = answer("yama-doctor");
  assert.match(output, /^FAIL +Yama ptrace_scope +1: VMs may not be read/m);
});

for (const level of /** @type {const} */ (["integrity", "confidentiality"])) {
  test(`in a kernel that is locked down to ${level} sampling goes on`, () => {
    for (const engine of MET[level]) assert.ok(json(`${level}-${engine}`).quality.samples > 0);
    assert.match(answer(`${level}-doctor`).output, new RegExp(`^ok +kernel lockdown +${level}`, "m"));
  });
}

/** Seconds since the machine was started, with the time asleep and without. @param {string} name */
function clocks(name) {
  const { output } = answer(name);
  return { boot: Number(output.split(" ")[0]), monotonic: Number(/now at (\d+)/.exec(output)?.[1]) / 1e9 };
}

/**
 * The capture went on to its end, and has samples of the VM's work.
 * @param {import("node:test").TestContext} t
 * @param {string} name
 * @param {string} engine
 */
function whatWasCaptured(t, name, engine) {
  assert.equal(answer(`${name}-code-${engine}`).output.trim(), "0", answer(`${name}-${engine}`).output);
  const { quality, ended, duration_s: seconds } = json(`${name}-${engine}`);
  assert.equal(ended, "duration");
  assert.ok(quality.samples > 0);
  const functions = json(`${name}-top-${engine}`).functions.map(
    (/** @type {{function: string}} */ row) => row.function,
  );
  assert.ok(functions.includes("gt_guest:work/1"), functions.join());
  const [before, after] = [clocks(`${name}-begun`), clocks(`${name}-ended-${engine}`)];
  const awake = after.monotonic - before.monotonic;
  const asleep = after.boot - before.boot - awake;
  assert.ok(seconds >= RECORDED_S && seconds <= awake + 0.1, `${seconds} s of ${awake}, ${asleep} s asleep`);
  t.diagnostic(
    `${name}, ${engine}: ${quality.samples} samples in ${seconds.toFixed(1)} s, ${quality.lost} lost, ${asleep.toFixed(1)} s asleep`,
  );
  return { asleep };
}

for (const engine of MET.suspended) {
  test(`${engine}: the machine is suspended during the capture: the capture continues, and the time asleep is no part of it`, (t) => {
    const { asleep } = whatWasCaptured(t, "suspended", engine);
    assert.ok(asleep > 1, `it was asleep for ${asleep} s`);
  });
}

for (const engine of MET.stepped) {
  test(`${engine}: the machine's clock is set an hour forwards and two back: the capture lasts as long as it should`, (t) => {
    assert.equal(answer("clock").code, 0);
    whatWasCaptured(t, "stepped", engine);
  });
}

for (const engine of MET.unplugged) {
  test(`${engine}: a CPU is taken away and comes back: the capture goes on`, (t) => {
    assert.equal(answer("cpu").output.trim(), "0", "it was away");
    whatWasCaptured(t, "unplugged", engine);
  });
}
