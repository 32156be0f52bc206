// Machines of many processors: an emulated one of 32 (test/vms/guest.mjs), whose VM has as many schedulers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inGuest } from "../vms/guest.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources } from "../vms/vm.mjs";
import { HELPER } from "../e2e/helper.mjs";

const PROCESSORS = 32;
const ENGINES = ["bpf", "readv"];

/** A request as the shell sends it; a `$` in it is the shell's. @param {number} id @param {string} method @param {string} params */
const send = (id, method, params) =>
  `send "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":${id},\\"method\\":\\"${method}\\",\\"params\\":{${params.replaceAll('"', '\\"')}}}"`;

/** Busy processes: more than two real processors bear would only make the machine slower. */
const BUSY = 2;
/** Below what the runner gives a file. On two processors with nothing beside it takes some ten minutes. */
const TIMEOUT_MS = 1_140_000;
const SCRIPT = `
took() { read up rest < /proc/uptime; echo "<<took-$1"; echo $up; echo ">>took-$1 0"; }
mkdir -p /dev/pts; mount -t devpts devpts /dev/pts
sh -c "exec $ERL -s gt_processors main /tmp/vm.pid ${BUSY}" &
until [ -s /tmp/vm.pid ]; do sleep 1; done
VM=$(cat /tmp/vm.pid)
took start
${ENGINES.map((engine) => `try ${engine} extrospect record $VM -d 4 -F 49 --engine ${engine} -o /tmp/${engine}.pb.gz --json\ntook ${engine}\ntry top-${engine} extrospect top /tmp/${engine}.pb.gz --json`).join("\n")}
try pstack extrospect pstack $VM --json
took pstack
live() { (sleep 20; echo -n q) | script -qefc "stty rows 20 cols 120; extrospect top $VM --live" /dev/null; }
try live live
took live
send() { printf 'Content-Length: %d\\r\\n\\r\\n%s' \${#1} "$1"; }
talk() {
  ${send(1, "initialize", '"clientInfo":{"name":"test"},"initializationOptions":{"protocolVersion":1,"capabilities":{"increments":true}}')}
  ${send(2, "extrospect/attach", '"pid":$VM')}
  sleep 10
  ${send(3, "extrospect/capture/start", '"attachmentId":1,"frequencyHz":49,"durationSeconds":3,"file":"/tmp/serve.pb.gz"')}
  n=0; until grep -q -e capture/ended -e '"error"' /tmp/serve.txt || [ $n -gt 300 ]; do sleep 1; n=$((n+1)); done
  ${send(4, "shutdown", "")}
  sleep 1
}
serve() { : > /tmp/serve.txt; talk | extrospect serve --stdio > /tmp/serve.txt; cat /tmp/serve.txt; }
try serve serve
took serve
`;

/** @type {Map<string, {output: string, code: number}>} */
let answers;
before(async () => {
  const beams = await compileSources(await prepareOtp("25"));
  answers = await inGuest({
    helper: HELPER,
    beams,
    script: SCRIPT,
    programs: ["/usr/bin/script", "/usr/bin/stty"],
    processors: PROCESSORS,
    memoryMb: 2048,
    timeoutMs: TIMEOUT_MS,
  });
});

/** @param {string} name */
function answer(name) {
  const found = answers.get(name);
  assert.ok(found !== undefined, `no ${name} among ${[...answers.keys()].join()}`);
  return found;
}

after(() => {
  const ups = [...(answers ?? [])].filter(([name]) => name.startsWith("took-"));
  console.log(
    `seconds since its start: ${ups.map(([name, { output }]) => `${name.slice("took-".length)} ${output.trim()}`).join(", ")}`,
  );
});

/** @param {string} name */
function json(name) {
  const { output, code } = answer(name);
  assert.equal(code, 0, `${name}: ${output}`);
  return JSON.parse(output.slice(output.indexOf("{")));
}

for (const engine of ENGINES) {
  test(`${engine} captures all schedulers of ${PROCESSORS} processors`, (t) => {
    const { quality } = json(engine);
    t.diagnostic(`${engine}: ${(quality.self_rss_bytes / 1e6).toFixed(0)} MB for the sampling process`);
    assert.ok(quality.samples > 0, JSON.stringify(quality));
    assert.deepEqual(
      [quality.gaps.cpus, quality.gaps.threads, quality.gaps.reader_failures],
      [[], 0, 0],
      JSON.stringify(quality.gaps),
    );
    assert.equal(quality.lost, 0);
    assert.ok(json(`top-${engine}`).functions.length > 0, answer(`top-${engine}`).output);
  });
}

test("each sample of a scheduler is joined with its copy, however long the machine stops a processor", () => {
  const { quality } = json("bpf");
  assert.deepEqual(
    [quality.engine.unmatched, quality.engine.orphaned, quality.engine.dropped],
    [0, 0, 0],
    JSON.stringify(quality.engine),
  );
});

test("pstack shows all schedulers", () => {
  const { threads } = json("pstack");
  const numbers = threads.flatMap((/** @type {any} */ { scheduler }) =>
    scheduler?.type === "normal" ? [scheduler.number] : [],
  );
  const all = Array.from({ length: PROCESSORS }, (_, index) => index + 1);
  assert.deepEqual(
    numbers.toSorted((/** @type {number} */ one, /** @type {number} */ other) => one - other),
    all,
  );
});

test("top --live shows what runs", () => {
  const { output, code } = answer("live");
  assert.equal(code, 0, output.slice(-2_000));
  assert.match(output, /gt_processors|lists:/);
});

test("serve captures", () => {
  const { output, code } = answer("serve");
  assert.equal(code, 0, output.slice(-2_000));
  assert.match(output, /capture\/ended/);
  assert.match(output, /"problem":null/);
});
