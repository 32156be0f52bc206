// The cost of a capture as processors are added: in emulated machines (test/vms/guest.mjs), so times are many times
// those of a real machine and show only their growth. Memory and descriptors are the same as on a real machine.
import { inGuest } from "../test/vms/guest.mjs";
import { compileSources } from "../test/vms/vm.mjs";
import { HELPER } from "../test/e2e/helper.mjs";

const RECORDED_S = 4;
const FREQUENCY_HZ = 49;
/** Processes that always work: more than the real machine can emulate at once would only make it slower. */
const BUSY = 2;

/** One VM with a scheduler for each processor; each engine records it once. @param {string[]} engines */
const script = (engines) => `
# As a login has it; the first process of a machine has 4,096.
ulimit -n 65536
sh -c "exec $ERL -s gt_processors main /tmp/vm.pid ${BUSY}" &
until [ -s /tmp/vm.pid ]; do sleep 1; done
VM=$(cat /tmp/vm.pid)
set -- /proc/$VM/task/*; echo "<<threads"; echo $#; echo ">>threads 0"
now() { read up rest < /proc/uptime; echo $up; }
${engines.map(recordedBy).join("\n")}
`;

/** Descriptors are counted while it samples. @param {string} engine */
const recordedBy = (engine) => `
begun=$(now)
extrospect record $VM -d ${RECORDED_S} -F ${FREQUENCY_HZ} --engine ${engine} -o /tmp/${engine}.pb.gz --json > /tmp/${engine}.json 2>&1 &
recorder=$!
most=0
while kill -0 $recorder 2>/dev/null; do
  for child in $(cat /proc/$recorder/task/*/children 2>/dev/null); do
    set -- /proc/$child/fd/*; [ $# -gt $most ] && most=$#
  done
  sleep 1
done
echo "<<${engine}-times"; echo "$begun $(now) $most"; echo ">>${engine}-times 0"
try ${engine} cat /tmp/${engine}.json
`;

/**
 * @typedef {object} Figures
 * @property {number} processors
 * @property {string} engine
 * @property {number} threads          of the VM
 * @property {number} besideSeconds    start-up and end: all but the time that was sampled
 * @property {number} attachMs
 * @property {number} descriptors      of the sampling process, with a second of sleep between two looks
 * @property {number} memoryBytes      its peak
 * @property {{samples: number, lost: number, unmatched: number, truncated: number, copyFailed: number}} samples
 */

/**
 * @param {object} wanted
 * @param {import("../test/vms/otp.mjs").OtpInstallation} wanted.otp
 * @param {number[]} wanted.processors
 * @param {string[]} [wanted.engines]
 * @param {(text: string) => void} wanted.progress
 * @returns {Promise<Figures[]>}
 */
export async function costByProcessors({ otp, processors, engines = ["bpf", "readv"], progress }) {
  const beams = await compileSources(otp);
  /** @type {Figures[]} */
  const rows = [];
  for (const count of processors) {
    const answers = await inGuest({
      helper: HELPER,
      beams,
      script: script(engines),
      processors: count,
      memoryMb: 2048,
      timeoutMs: 1_800_000,
    });
    for (const engine of engines) {
      const told = answers.get(engine)?.output ?? "";
      if (!told.includes("{")) throw new Error(`${engine} with ${count} processors: ${told}`);
      const { quality, attach_ms: attachMs, duration_s: sampled } = JSON.parse(told.slice(told.indexOf("{")));
      const [begun = 0, ended = 0, descriptors = 0] = (answers.get(`${engine}-times`)?.output ?? "")
        .split(" ")
        .map(Number);
      rows.push({
        processors: count,
        engine,
        threads: Number(answers.get("threads")?.output),
        besideSeconds: ended - begun - sampled,
        attachMs,
        descriptors,
        memoryBytes: quality.self_rss_bytes,
        samples: {
          samples: quality.samples,
          lost: quality.lost,
          unmatched: quality.engine.unmatched,
          truncated: quality.truncated,
          copyFailed: quality.engine.copy_failed,
        },
      });
    }
    progress(`a machine of ${count} processors`);
  }
  return rows;
}

/** As a table of a page. @param {Figures[]} rows */
export function processorsTable(rows) {
  const line = (
    /** @type {Figures} */ { processors, engine, threads, besideSeconds, attachMs, descriptors, memoryBytes, samples },
  ) =>
    `| ${processors} | ${engine} | ${threads} | ${besideSeconds.toFixed(1)} | ${Math.round(attachMs).toLocaleString("en")} | ${(memoryBytes / 1e6).toFixed(0)} | ${descriptors.toLocaleString("en")} | ${samples.samples} | ${samples.lost} | ${samples.unmatched} | ${samples.truncated} |`;
  return [
    "| processors | engine | threads of the VM | start and end, s | of it attaching, ms | memory, MB | descriptors | samples | lost | not joined | truncated |",
    "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...rows.map(line),
  ].join("\n");
}
