// The same look as look.mjs has, in an emulated machine (test/vms/guest.mjs).
import { gunzipSync } from "node:zlib";
import { HELPER } from "../e2e/helper.mjs";
import { parseProfile } from "../pprof-reader.mjs";
import { ENDED, inGuest } from "../vms/guest.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources } from "../vms/vm.mjs";
import { judged, reasonIn } from "./judged.mjs";
import { loadNow, today } from "./look.mjs";

const SECONDS = 4;
/** The load that an emulated machine of many processors bears. */
const FREQUENCY_HZ = 49;
const VM = "/tmp/vm.json";
/** Processes that always work: more than two real processors bear would only make the machine slower. */
const BUSY = 2;

/** Starts the VM, and waits until it has reported twice. @param {string} start   how the shell starts a command line */
const started = (start) => `
chmod 1777 /tmp
${start} "exec $ERL -s gt_matrix main ${VM} ${BUSY}" &
until [ -s ${VM} ]; do sleep 1; done
sleep 2
VM=$(grep -o '"pid":[0-9][0-9]*' ${VM} | head -n 1 | grep -o '[0-9][0-9]*')
`;

/**
 * The commands of one helper, with results under names that begin with its name.
 * @param {string} name @param {string} as   the start of the commands
 */
const looked = (name, as) => `
try ${name}-record ${as} record $VM -d ${SECONDS} -F ${FREQUENCY_HZ} --force -o /tmp/${name}.pb.gz --json
try ${name}-profile base64 /tmp/${name}.pb.gz
try ${name}-before cat ${VM}
try ${name}-ps ${as} ps $VM --json
sleep 2
try ${name}-after cat ${VM}
`;

/**
 * @param {object} wanted
 * @param {string} wanted.kind
 * @param {{name: string, as: string, before?: string}[]} wanted.looks
 *   by helper: `as` is the start of its commands, `before` the first commands of the shell
 * @param {string} [wanted.start]   how the shell starts the VM
 * @param {string} [wanted.first]   the first commands of the shell
 * @param {string} wanted.where
 * @param {import("../vms/kernels.mjs").KernelSuite} [wanted.suite]
 * @param {number} wanted.processors
 * @param {number} wanted.timeoutMs
 * @returns {Promise<import("./page.mjs").Row[]>}
 */
export async function rowsInGuest({ kind, looks, start = "sh -c", first = "", where, suite, processors, timeoutMs }) {
  const beams = await compileSources(await prepareOtp("25"));
  const script =
    first +
    started(start) +
    looks.map(({ as, before = "" }, index) => `${before}\n${looked(`look${index}`, as)}`).join("");
  const guest = { helper: HELPER, beams, script, ...(suite && { suite }), processors, memoryMb: 2048, timeoutMs };
  const answers = await inGuest(guest).catch((/** @type {Error} */ error) => error);
  const inTime = `within ${Math.round(timeoutMs / 60_000)} minutes, emulated on this machine`;
  const unanswered = {
    output: !(answers instanceof Error) && answers.has(ENDED) ? "" : `no answer ${inTime}`,
    code: 1,
  };
  return looks.map(({ name }, index) => {
    const row = { kind, name, date: today(), where: `${where}, ${loadNow()}` };
    if (answers instanceof Error)
      return { ...row, notRun: `the emulated machine failed, ${inTime}: ${answers.message.split("\n")[0]}` };
    if (!answers.has(`look${index}-record`) && !answers.has(ENDED))
      return { ...row, notRun: `the machine did not come to it ${inTime}` };
    const answer = (/** @type {string} */ what) => answers.get(`look${index}-${what}`) ?? unanswered;
    const reports = ["before", "after"]
      .map((when) => parsed(answer(when)))
      .filter((report) => report.problem === undefined);
    return {
      ...row,
      figures: judged({
        recorded: parsed(answer("record")),
        profile: profileIn(answer("profile")),
        ps: parsed(answer("ps")),
        reports,
      }),
    };
  });
}

/** @param {{output: string, code: number}} answer @returns {any} JSON, or {problem} */
function parsed({ output, code }) {
  if (code !== 0) return { problem: reasonIn(output) };
  try {
    return JSON.parse(output.slice(output.indexOf("{")));
  } catch {
    return { problem: `no JSON: ${output.slice(0, 200)}` };
  }
}

/** @param {{output: string, code: number}} answer */
function profileIn({ output, code }) {
  if (code !== 0) return null;
  try {
    return parseProfile(gunzipSync(Buffer.from(output, "base64")));
  } catch {
    return null;
  }
}
