// Processes that are suspended, that end, that go from scheduler to scheduler, and work of ports,
// under both engines: each sample has a right answer or an honest mark.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkerOf } from "../accuracy/legality.mjs";
import { measured } from "../measured.mjs";
import { releasesOf } from "../nightly.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertCountsAddUp, assertExact } from "./enough.mjs";
import { record, temporaryFolder } from "./helper.mjs";

/**
 * @typedef {import("../pprof-reader.mjs").ProfileSample} ProfileSample
 * @typedef {object} Kind
 * @property {string} kind
 * @property {import("../vms/otp.mjs").OtpRelease} daily
 * @property {import("../accuracy/legality.mjs").CallRules} rules
 * @property {(samples: ProfileSample[]) => void} sees   asserts the necessary samples
 */

/** @type {("bpf" | "readv")[]} */
const ENGINES = ["bpf", "readv"];
/** Recordings, each twice as long as the one before, until all that has to be seen is among the samples. */
const ATTEMPTS = 7;
const SECONDS = 0.7;

/** @param {ProfileSample} sample @param {RegExp} pattern */
const shows = (sample, pattern) => sample.frames.some((frame) => pattern.test(frame.name));

/** Exits run in these; where the emulator has no symbols, the functions of it that raise exceptions call them. */
const ENDING = /^(erts_continue_exit_process|erts_do_exit_process|handle_error\b.*|erts_beamasm:continue_exit\/0)$/;

/** @type {Kind[]} */
const KINDS = [
  {
    kind: "suspended",
    daily: "27",
    rules: {
      calls: [
        ["gt_lives:suspended/1", "bottom"],
        ["gt_lives:suspender/1", "bottom"],
        ["gt_lives:-suspender/1-lc$^0/1-0-/1", "gt_lives:suspender/1"],
        ["gt_lives:-suspender/1-lc$^1/1-1-/1", "gt_lives:suspender/1"],
      ],
      leaves: [[["erlang:phash2/1", "phash2_1"], "gt_lives:suspended/1", "phash2("]],
    },
    sees: (samples) => {
      assert.ok(
        samples.filter((sample) => shows(sample, /^gt_lives:suspended\/1$/)).length > 50,
        "work of suspended processes",
      );
      assert.ok(
        samples.some((sample) => shows(sample, /^gt_lives:-?suspender\/1/)),
        "who suspends them",
      );
    },
  },
  {
    kind: "exiting",
    daily: "29",
    rules: {
      calls: [
        ["gt_lives:fail/2", "gt_lives:mortal/2", "mortal(Creator, Depth - 1)"],
        ["gt_lives:mortal/2", "gt_lives:mortal/2", "mortal(Creator, Depth - 1)"],
        ["gt_lives:mortal/2", "bottom"],
        ["gt_lives:creator/0", "bottom"],
      ],
    },
    sees: (samples) => {
      const ending = samples.filter((sample) => shows(sample, ENDING));
      assert.ok(ending.length > 20, `only ${ending.length} samples of processes that end`);
      // Those of a process that its scheduler has let go of have neither its pid nor its stack.
      const isKnown = (/** @type {ProfileSample} */ { labels }) =>
        labels.trust === "captured" && labels.pid !== undefined;
      for (const { frames, labels } of ending.filter(isKnown)) {
        const erlang = frames.filter(({ kind, name }) => kind === "erlang" && name.startsWith("gt_lives:"));
        assert.equal(erlang.length, 6, `${labels.pid}: ${frames.map(({ name }) => name).join(" < ")}`);
        assert.ok(erlang.slice(1).every(({ name }) => name === "gt_lives:mortal/2"));
      }
    },
  },
  {
    kind: "wandering",
    daily: "25",
    rules: {
      calls: [
        ["gt_lives:even/2", "gt_lives:wander/2", "even(20, Held)"],
        ["gt_lives:odd/2", "gt_lives:wander/2", "odd(20, Held)"],
        ["gt_lives:wander/2", "bottom"],
        ["gt_lives:wanderer/0", "bottom"],
      ],
      leaves: [
        [["erlang:phash2/1", "phash2_1"], "gt_lives:even/2", "phash2("],
        [["lists:reverse/2", "lists_reverse_2"], "gt_lives:odd/2", "reverse("],
      ],
      more: ({ labels: { pid } }, erlang) => {
        const name = erlang.find((frame) => /^gt_lives:(even|odd)\/2$/.test(frame.name))?.name;
        if (name === undefined) return null;
        const isEven = Number(/^<\d+\.(\d+)\.\d+>$/.exec(String(pid ?? ""))?.[1]) % 2 === 0;
        return (name === "gt_lives:even/2") === isEven ? null : `${pid} in ${name}`;
      },
    },
    sees: (samples) => {
      /** @type {Map<string, Set<unknown>>} */
      const threads = new Map();
      for (const { labels } of samples.filter((sample) => shows(sample, /^gt_lives:(even|odd)\/2$/))) {
        const pid = String(labels.pid);
        threads.set(pid, (threads.get(pid) ?? new Set()).add(labels.thread));
      }
      assert.ok(
        [...threads.values()].some((of) => of.size > 1),
        "a process that ran on two schedulers",
      );
    },
  },
  {
    kind: "port",
    daily: "27",
    rules: {
      calls: [
        ["gt_lives:carry/2", "bottom"],
        ["gt_lives:porter/0", "bottom"],
      ],
    },
    sees: (samples) => {
      // The scheduler polls, finds data and runs the port: no process does that work, so there is no Erlang function.
      const ofPorts = samples.filter(({ labels }) => labels.class === "port");
      assert.ok(ofPorts.length > 5, `only ${ofPorts.length} samples of port work`);
      for (const { frames, labels } of ofPorts.filter(({ labels: { pid } }) => pid === undefined)) {
        assert.ok(
          frames.every(({ kind }) => kind !== "erlang"),
          frames.map(({ name }) => name).join(" < "),
        );
        assert.equal(labels.trust, "no_process");
      }
    },
  },
];

for (const { kind, rules, sees, daily } of KINDS) {
  for (const release of releasesOf(OTP_RELEASES, daily)) {
    test(`OTP ${release}: ${kind}: a right answer or a mark`, async (t) => {
      const vm = await runErl({
        otp: await prepareOtp(release),
        module: "gt_lives",
        args: [kind],
        emulatorFlags: ["+S", "2:2"],
      });
      t.after(() => vm.kill());
      const folder = temporaryFolder(t);
      for (const engine of ENGINES) {
        for (let attempt = 1; ; attempt += 1) {
          const file = join(folder, `${engine}-${attempt}.pb.gz`);
          const { samples, quality, checked } = await recordOnce(
            vm.pid,
            engine,
            file,
            SECONDS * 2 ** (attempt - 1),
            rules,
          );
          const { native_in_process: native } = quality;
          t.diagnostic(
            `OTP ${release}, ${kind}, ${engine}: complete ${native.complete} of ${native.samples}, unproven ${native.unproven}; ${checked} samples checked`,
          );
          if (engine === "bpf") assertExact(quality, { erlang: 0 });
          else if (native.samples > 0)
            measured(
              t,
              "readv, C code of short and suspended lives complete",
              (100 * native.complete) / native.samples,
              `OTP ${release}, ${kind}`,
            );
          try {
            assert.ok(checked > 50, `only ${checked} samples checked`);
            sees(samples);
            break;
          } catch (error) {
            // Fewer were taken than it needs to be seen.
            if (attempt === ATTEMPTS) throw error;
          }
        }
      }
      await vm.stop();
    });
  }
}

/**
 * Records and asserts the invariants: nothing is wrong, and everything unproven is marked.
 * @param {number} pid @param {"bpf" | "readv"} engine @param {string} file @param {number} seconds
 * @param {import("../accuracy/legality.mjs").CallRules} rules
 */
async function recordOnce(pid, engine, file, seconds, rules) {
  const { quality } = await record(pid, { seconds, hz: 997, file, engine });
  assertCountsAddUp(quality);
  const profile = readProfile(file);
  const count = countIndex(profile);
  const checker = checkerOf(rules);
  let checked = 0;
  for (const sample of profile.samples) {
    const { relevant, wrong } = checker.check(sample);
    assert.equal(
      wrong,
      null,
      `${engine}: ${wrong}: ${sample.frames.map(({ name, line }) => `${name}:${line}`).join(" < ")}`,
    );
    checked += relevant ? (sample.values[count] ?? 0) : 0;
  }
  return { samples: profile.samples, quality, checked };
}
