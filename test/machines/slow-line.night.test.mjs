// A capture over a line of 50 ms and 1 Mbit/s as the kernel makes one (tc netem): a real sshd and both ends of the line, in a machine of its own (test/vms/guest.mjs), since the kernels that tests run on often have no netem.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { findProgram } from "../../scripts/find-program.mjs";
import { must } from "../must.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { inGuest } from "../vms/guest.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources } from "../vms/vm.mjs";
import { HELPER } from "../e2e/helper.mjs";

const RECORDED_S = 20;
const FREQUENCY_HZ = 99;
/** Of the line, bits a second. */
const RATE = 1_000_000;
/** The whole way there and back. */
const ROUND_TRIP_MS = 50;
/** Sent to measure the speed of the line. */
const PROBE_BYTES = 250_000;

/** @param {object} message */
function framed(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const INITIALIZE = framed({
  id: 1,
  method: "initialize",
  params: { initializationOptions: { protocolVersion: 1, capabilities: { increments: true } } },
});
const START = framed({
  id: 3,
  method: "extrospect/capture/start",
  params: { attachmentId: 1, frequencyHz: FREQUENCY_HZ, durationSeconds: RECORDED_S },
});
const END = framed({ id: 4, method: "shutdown" }) + framed({ method: "exit" });
/** Its process id is known there only. */
const ATTACH = `body="{\\"jsonrpc\\":\\"2.0\\",\\"id\\":2,\\"method\\":\\"extrospect/attach\\",\\"params\\":{\\"pid\\":$VM}}"; printf 'Content-Length: %d\\r\\n\\r\\n%s' "\${#body}" "$body"`;

/** Two network namespaces and a line between them. Without its path, a program that busybox has too is busybox's. */
const LINE = `
echo 'root:x:0:0::/tmp:/bin/sh' > /etc/passwd; echo 'sshd:x:100:100::/:/bin/sh' >> /etc/passwd; echo 'root:x:0:' > /etc/group
mkdir -p /run/sshd; chmod 755 /run/sshd /run; chmod 1777 /tmp
for module in veth sch_netem; do insmod /modules/$module.ko; done
unshare -n sleep 100000 & FAR=$!
far() { nsenter --net=/proc/$FAR/ns/net "$@"; }
sleep 1
/bin/ip link add here type veth peer name there
/bin/ip link set there netns $FAR
/bin/ip address add 10.9.0.1/30 dev here; /bin/ip link set here up; /bin/ip link set lo up
far /bin/ip address add 10.9.0.2/30 dev there; far /bin/ip link set there up; far /bin/ip link set lo up
/bin/tc qdisc add dev here root netem delay ${ROUND_TRIP_MS / 2}ms rate ${RATE}bit
far /bin/tc qdisc add dev there root netem delay ${ROUND_TRIP_MS / 2}ms rate ${RATE}bit
try line far /bin/tc qdisc show dev there
try ping ping -c 4 10.9.0.2
`;

const CAPTURE = `
sh -c "exec $ERL -s gt_guest main /tmp/vm.pid" &
until [ -s /tmp/vm.pid ]; do sleep 1; done
VM=$(cat /tmp/vm.pid)
far /bin/sshd -D -e -f /keys/sshd_config 2> /tmp/sshd.log &
home() { ssh -T -i /keys/user -o BatchMode=yes -o UserKnownHostsFile=/keys/known -o ConnectTimeout=120 root@10.9.0.2 "$@"; }
tries=0
until home true 2> /tmp/ssh.log || [ $((tries += 1)) -gt 60 ]; do sleep 1; done
try connected home true
up() { read up _ < /proc/uptime; echo $up; }
try probe-begun up
home head -c ${PROBE_BYTES} /dev/urandom > /tmp/probe
try probe-ended up
try begun far /bin/tc -s qdisc show dev there
says() { until grep -q "$1" /tmp/said; do sleep 1; done; }
: > /tmp/said
{
  cat /rpc/initialize; says '"id":1'
  ${ATTACH}; says '"id":2'
  cat /rpc/start; says 'extrospect/capture/ended'
  cat /rpc/end
} | home extrospect serve --stdio > /tmp/said 2> /tmp/helper.log
try ended far /bin/tc -s qdisc show dev there
try sshd cat /tmp/sshd.log
try helper cat /tmp/helper.log
try said base64 /tmp/said
`;

/** @type {Map<string, {output: string, code: number}>} */
let answers;
before(async () => {
  const beams = await compileSources(await prepareOtp("25"));
  const programs = ["ip", "tc", "ssh", "sshd"].map((name) => findProgram(name) ?? `/usr/sbin/${name}`);
  const rpc = { "/rpc/initialize": INITIALIZE, "/rpc/start": START, "/rpc/end": END };
  answers = await inGuest({
    helper: HELPER,
    beams,
    script: LINE + CAPTURE,
    programs,
    modules: ["veth", "sch_netem"],
    files: { ...keys(), ...rpc },
  });
});

/** Keys of the host and of the user, and the configuration of sshd. */
function keys() {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-keys-"));
  try {
    for (const name of ["host", "user"]) must("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", join(folder, name));
    const text = (/** @type {string} */ name) => readFileSync(join(folder, name), "utf8");
    const config = [
      "ListenAddress 10.9.0.2",
      "HostKey /keys/host",
      "AuthorizedKeysFile /keys/authorized",
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PidFile none",
    ];
    return {
      "/keys/host": text("host"),
      "/keys/user": text("user"),
      "/keys/authorized": text("user.pub"),
      "/keys/known": `10.9.0.2 ${text("host.pub")}`,
      "/keys/sshd_config": `${config.join("\n")}\n`,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} name */
function answer(name) {
  const found = answers.get(name);
  assert.ok(found !== undefined, `no ${name} among ${[...answers.keys()].join()}`);
  assert.equal(found.code, 0, found.output);
  return found.output;
}

/** Messages of the helper, as they have come home. @returns {any[]} */
function messages() {
  let rest = Buffer.from(answer("said"), "base64");
  const found = [];
  while (rest.length > 0) {
    const at = rest.indexOf("\r\n\r\n");
    const [, length = ""] = /content-length: (\d+)/i.exec(rest.subarray(0, at).toString()) ?? [];
    found.push(JSON.parse(rest.subarray(at + 4, at + 4 + Number(length)).toString()));
    rest = rest.subarray(at + 4 + Number(length));
  }
  return found;
}

/** Bytes that went home over the line by then. @param {string} name */
const carried = (name) => Number(/Sent (\d+) bytes/.exec(answer(name))?.[1]);

test("the line is the kernel's, as late and as slow as that", () => {
  assert.match(answer("line"), /qdisc netem .* delay 25ms rate 1Mbit/);
  const [, least = ""] = /min\/avg\/max = ([\d.]+)/.exec(answer("ping")) ?? [];
  assert.ok(Number(least) >= ROUND_TRIP_MS, answer("ping"));
  // It cannot be faster, however busy the machine is.
  const took = Number(answer("probe-ended")) - Number(answer("probe-begun"));
  assert.ok(took >= (PROBE_BYTES * 8) / RATE, `${took} s`);
});

test("a capture at 99 Hz comes home whole while it is taken: nothing is left out, and the line has room", (t) => {
  const all = messages();
  const refused = all.find(({ error }) => error !== undefined);
  assert.equal(refused, undefined, JSON.stringify(refused));
  const of = (/** @type {string} */ method) =>
    all.filter((message) => message.method === method).map(({ params }) => params);
  assert.deepEqual(of("extrospect/capture/resync"), []);
  const increments = of("extrospect/capture/increment");
  assert.deepEqual(
    increments.map(({ sequence }) => sequence),
    increments.map((_, index) => index),
  );
  const [ended] = of("extrospect/capture/ended");
  assert.deepEqual([ended.reason, ended.problem], ["duration", null]);
  assert.equal(increments.at(-1).quality.samples, ended.quality.samples);
  assert.ok(ended.quality.samples > RECORDED_S, JSON.stringify(ended.quality));
  const folder = mkdtempSync(join(tmpdir(), "extrospect-netem-"));
  try {
    const file = join(folder, "home.pb.gz");
    writeFileSync(file, Buffer.concat(increments.map(({ gzipBase64 }) => Buffer.from(gzipBase64, "base64"))));
    assert.ok(gunzipSync(readFileSync(file)).length > 0);
    const samples = readProfile(file).samples.reduce((sum, { values: [count = 0] }) => sum + count, 0);
    assert.equal(samples, ended.quality.samples);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const bytes = carried("ended") - carried("begun");
  t.diagnostic(
    `${((bytes * 8) / RECORDED_S / 1000).toFixed(1)} kbit/s home, ${ended.quality.samples} samples, ${increments.length} increments`,
  );
  assert.ok(bytes * 8 < (RATE * RECORDED_S) / 2, `${bytes} bytes in ${RECORDED_S} s`);
});
