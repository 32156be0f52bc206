// node bench/bisections.mjs [--times N] [--captures N] [--seconds S] [--slower PERCENT] [--measure work|share] [--once] [--json FILE] [--write]
// `git bisect run` over six commits of a small program, repeated: how often it names the commit that made a function
// slower, how often another one, and how often a step was inconclusive (125). The place of that commit differs from
// time to time.
// Each step captures the good commit again, in turn with its own; with --once the good one is captured once, before the
// first step: any later drift of the machine then looks like a change.
// --write makes the section of docs/measurements.md.
// In the share of the program the change is smaller: a function with a third of the time that takes 40 % more has 24 %
// more of it.
import "../scripts/outer-repository.mjs";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/project.mjs";
import { HELPER } from "../test/e2e/helper.mjs";
import { bisectionsSection } from "./comparing-report.mjs";
import { machineText, otpRelease } from "./machine.mjs";
import { programs } from "./measured-by.mjs";
import { withSection } from "./report.mjs";
import { optionsOrExit } from "../scripts/options.mjs";

const COMMITS = 6;
const HZ = 499;
/** How often each function goes round: some milliseconds, so that counting the rounds is little beside it. */
const ROUNDS = 1_000_000;

const { values: options } = optionsOrExit("node bench/bisections.mjs", {
  options: {
    times: { type: "string", default: "10" },
    captures: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    slower: { type: "string", default: "40" },
    measure: { type: "string", default: "work" },
    once: { type: "boolean", default: false },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), "extrospect-bisections-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** The program as it is before or after the commit that makes `pay` slower. @param {number} version @param {boolean} isSlower */
const program = (version, isSlower) => `-module(bisected).
-compile([export_all, nowarn_export_all]).
sections() -> [total, pay, list].
%% version ${version}
total() -> 1 + loop(${ROUNDS}, 1).
pay() -> loop(${Math.round(ROUNDS * (isSlower ? 1 + Number(options.slower) / 100 : 1))}, 2) + 1.
list() -> length(lists:sort([(X * 7919) rem 10007 || X <- lists:seq(1, 3000)])).
loop(0, X) -> X;
loop(N, X) -> loop(N - 1, (X * 1103515 + 12345) band 16#3ffffff).
`;

/** Capture $3 of the source $2; $1 is how its name begins. */
const RECORD = `set -e
work=$(mktemp -d)
trap 'exec 3>&-; wait; rm -rf "$work"' EXIT
erlc -o "$work" ${join(ROOT, "test/vms/src/bench_sections.erl")} "$2"
mkfifo "$work/in"
erl +S 1:1 +sbwt none -noshell -pa "$work" -run bench_sections start bisected "$work/rounds" < "$work/in" > "$work/out" &
exec 3> "$work/in"
until grep -qs "ready [0-9]" "$work/out"; do sleep 0.1; done
pid=$(sed -n 's/^ready //p' "$work/out")
${HELPER} record "$pid" -d ${options.seconds} -F ${HZ} --work-name rounds --work-command "cat $work/rounds" -o "$1-$3.pb.gz" --force > /dev/null
echo stop >&3
`;
mkdirSync(join(folder, "good"));
const record = join(folder, "record.sh");
writeFileSync(record, RECORD);
const step = join(folder, "step.sh");
writeFileSync(
  step,
  `for number in $(seq ${options.captures}); do
  ${options.once ? "" : `sh ${record} ${folder}/good ${folder}/good/bisected.erl $number || exit 125`}
  sh ${record} ${folder}/new bisected.erl $number || exit 125
done
${HELPER} diff${options.once ? "" : " --paired"} ${folder}/good-*.pb.gz -- ${folder}/new-*.pb.gz --measure ${options.measure} --fail-if 'bisected:pay/0.total.slower>${Math.round(Number(options.slower) / 3)}%' --bisect > /dev/null 2>> ${folder}/why
code=$?
echo $code >> ${folder}/codes
exit $code
`,
);

/** @param {string} repository @param {string[]} args */
function git(repository, ...args) {
  return execFileSync("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-C", repository, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

/** @type {{culprit: number, right: boolean, wrong: boolean, steps: number, unknown: number, load: number | undefined}[]} */
const results = [];
for (let time = 0; time < Number(options.times); time++) {
  const repository = join(folder, `repository-${time}`);
  mkdirSync(repository);
  git(repository, "init", "-q");
  const culprit = 1 + (time % (COMMITS - 1));
  const commits = Array.from({ length: COMMITS }, (_, version) => {
    writeFileSync(join(repository, "bisected.erl"), program(version, version >= culprit));
    git(repository, "add", ".");
    git(repository, "commit", "-q", "-m", `version ${version}`);
    return git(repository, "rev-parse", "HEAD");
  });
  writeFileSync(join(folder, "codes"), "");
  git(repository, "checkout", "-q", String(commits[0]));
  copyFileSync(join(repository, "bisected.erl"), join(folder, "good/bisected.erl"));
  for (let number = 1; options.once && number <= Number(options.captures); number++)
    execFileSync("sh", [record, join(folder, "good"), "bisected.erl", String(number)], { cwd: repository });
  git(repository, "bisect", "start", String(commits.at(-1)), String(commits[0]));
  const run = spawnSync("git", ["-C", repository, "bisect", "run", "sh", step], { cwd: repository, encoding: "utf8" });
  const found = /^([0-9a-f]{40}) is the first bad commit/m.exec(run.stdout)?.[1];
  const codes = readFileSync(join(folder, "codes"), "utf8").trim().split("\n");
  const result = {
    culprit,
    right: found === commits[culprit],
    wrong: found !== undefined && found !== commits[culprit],
    steps: codes.length,
    unknown: codes.filter((code) => code === "125").length,
    load: loadavg()[0],
  };
  results.push(result);
  console.log(
    `commit ${culprit}: ${result.right ? "found" : result.wrong ? "ANOTHER ONE NAMED" : "none named"}; ${result.steps} steps, ${result.unknown} of them 125; load ${result.load?.toFixed(1)}`,
  );
}
const count = (/** @type {(result: typeof results[number]) => boolean} */ is) => results.filter(is).length;
console.log(
  `${count(({ right }) => right)} of ${results.length} found, ${count(({ wrong }) => wrong)} wrong; ${results.reduce((sum, { unknown }) => sum + unknown, 0)} of ${results.reduce((sum, { steps }) => sum + steps, 0)} steps could not tell`,
);
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results));
if (options.write) {
  const section = bisectionsSection({
    date: new Date().toISOString().slice(0, 10),
    machine: machineText(),
    release: otpRelease(),
    captures: Number(options.captures),
    seconds: Number(options.seconds),
    slower: Number(options.slower),
    measure: options.measure,
    once: options.once,
    results,
  });
  const page = join(ROOT, "docs/measurements.md");
  writeFileSync(page, withSection(section, readFileSync(page, "utf8"), programs()));
}
