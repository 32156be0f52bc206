// Questions to a capture: blame, the formats for other tools, Elixir names, dirty schedulers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measured } from "../measured.mjs";
import { isNightly, releasesOf } from "../nightly.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl, sharesBetween } from "../vms/vm.mjs";
import { qualityOf } from "./enough.mjs";
import { helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/**
 * @param {import("node:test").TestContext} t
 * @param {import("../vms/otp.mjs").OtpRelease} release
 * @param {string} module
 * @param {number} seconds
 * @param {Parameters<typeof qualityOf>[2]} [least]   samples
 */
async function capture(t, release, module, seconds, least = {}) {
  const vm = await runErl({ otp: await prepareOtp(release), module });
  t.after(() => vm.kill());
  const file = join(temporaryFolder(t), "capture.pb.gz");
  const before = await vm.report();
  const quality = await qualityOf(vm.pid, { seconds, hz: 997, file }, least);
  const after = await vm.report();
  return { vm, file, quality, before, after };
}

/** Percent of a blame answer that goes to functions whose name starts so. @param {any} blame @param {string} stem */
function blamed(blame, stem) {
  return blame.callers
    .filter((/** @type {any} */ caller) => caller.function.startsWith(stem))
    .reduce((/** @type {number} */ sum, /** @type {any} */ caller) => sum + caller.pct, 0);
}

for (const release of releasesOf(OTP_RELEASES, "29")) {
  test(`OTP ${release}: blame copy_struct names the senders with their shares`, async (t) => {
    const { file, before, after } = await capture(t, release, "gt_msg", 2, { native: isNightly ? 2_000 : 1_000 });
    const truth = sharesBetween(before, after);
    for (const asked of ["copy_struct", "copy"]) {
      const blame = await helperJson(["blame", asked, file]);
      assert.ok(blame.symbols.length > 0 && blame.samples > 0, `${blame.samples} samples in ${blame.symbols}`);
      // Copying is nearly all of a large send and the lesser part of a small one.
      const large = blamed(blame, "gt_msg:send_large/");
      const medium = blamed(blame, "gt_msg:send_medium/");
      const small = blamed(blame, "gt_msg:send_small/");
      t.diagnostic(
        `OTP ${release} ${asked}: large ${large}, medium ${medium}, small ${small}; time ${JSON.stringify([...truth])}`,
      );
      const among = (/** @type {string} */ name) => truth.get(`gt_msg:${name}/1`) ?? 0;
      // By the time that each took: other load on the machine changes how often each is sent.
      const ofItsTime = (/** @type {number} */ share, /** @type {string} */ name) =>
        share / Math.max(among(name), 0.01);
      const [inLarge, inMedium, inSmall] = [
        ofItsTime(large, "send_large"),
        ofItsTime(medium, "send_medium"),
        ofItsTime(small, "send_small"),
      ];
      assert.ok(
        inLarge > 3 * inSmall && inMedium > 3 * inSmall,
        `large ${large}, medium ${medium}, small ${small}; time ${JSON.stringify([...truth])}`,
      );
      const trueLarge = (100 * among("send_large")) / (among("send_large") + among("send_medium"));
      // The VM takes the times by the clock on the wall.
      measured(
        t,
        "blame of copying beside the VM's own clock, error",
        Math.abs((100 * large) / (large + medium) - trueLarge),
        `OTP ${release}, ${asked}`,
      );
      // The receiver's own collections copy the messages that it received.
      const receiver = blamed(blame, "gt_msg:receiver/");
      assert.ok(large + medium + small + receiver > 90, JSON.stringify(blame.callers.slice(0, 6)));
    }
  });
}

for (const release of releasesOf(OTP_RELEASES, "27")) {
  test(`OTP ${release}: blame gc names the functions that make the garbage`, async (t) => {
    const { file } = await capture(t, release, "gt_gc", 2, { native: isNightly ? 500 : 300 });
    const blame = await helperJson(["blame", "gc", file]);
    assert.ok(blame.samples > 0, "no sample of collections");
    const makers = blamed(blame, "gt_gc:numbers/") + blamed(blame, "gt_gc:pairs/");
    const unproven = blamed(blame, "[unproven]");
    t.diagnostic(`OTP ${release}: ${makers} % of the collections have their maker, ${unproven} % are unproven`);
    assert.ok(makers > 0.9 * (100 - unproven), JSON.stringify(blame.callers.slice(0, 5)));
    const sum = blame.callers.reduce(
      (/** @type {number} */ total, /** @type {any} */ caller) => total + caller.samples,
      0,
    );
    assert.equal(sum, blame.samples, "no sample is left out");
  });
}

for (const release of releasesOf(OTP_RELEASES, "25")) {
  test(`OTP ${release}: collections on dirty schedulers belong to the process`, async (t) => {
    const { file, quality } = await capture(t, release, "gt_dirty", 1, { native: isNightly ? 1_000 : 500 });
    const profile = readProfile(file);
    const count = countIndex(profile);
    const dirty = profile.samples.filter(
      (sample) => String(sample.labels.scheduler).startsWith("dirty-cpu") && sample.labels.class === "gc",
    );
    const all = dirty.reduce((sum, sample) => sum + (sample.values[count] ?? 0), 0);
    // The list is made by process/1, with collections of its own.
    const isOf = (/** @type {string} */ name) => ["gt_dirty:collect/1", "gt_dirty:process/1"].includes(name);
    const under = dirty
      .filter((sample) => sample.frames.some((frame) => isOf(frame.name)))
      .reduce((sum, sample) => sum + (sample.values[count] ?? 0), 0);
    t.diagnostic(
      `OTP ${release}: ${under} of ${all} samples of dirty collections under their functions; ${JSON.stringify(quality.native_in_process)}`,
    );
    assert.ok(all > 0, "no sample of collections on dirty schedulers");
    // Those without their capture are marked; load can make them many.
    const marked =
      quality.engine.unmatched +
      quality.lost +
      (quality.engine.name === "bpf" ? 0 : quality.native_in_process.unproven);
    assert.ok(under + marked > 0.9 * all, `${under} of ${all} under the functions that collect`);
  });
}

for (const release of releasesOf(OTP_RELEASES, "29")) {
  test(`OTP ${release}: Elixir names are shown the Elixir way`, async (t) => {
    const { file } = await capture(t, release, "elixir_hot.exs", 3, { erlang: 1_500 });
    const { functions } = await helperJson(["top", file, "-n", 0]);
    const names = functions.map((/** @type {any} */ row) => row.function);
    for (const name of ["ElixirHot.Shop.steps/2", "ElixirHot.Shop.discounted/2", "ElixirHot.Shop.run/1"]) {
      assert.ok(names.includes(name), `${name} among ${names.slice(0, 20).join(", ")}`);
    }
    assert.ok(
      names.some((/** @type {string} */ name) => /^Enum\./.test(name)),
      "Enum is named",
    );
    assert.ok(
      names.some((/** @type {string} */ name) => /^anonymous fn\/3 in ElixirHot\.Shop\.discounted\/2/.test(name)),
      names.filter((/** @type {string} */ name) => /ElixirHot/.test(name)).join(", "),
    );
    for (const kind of [
      /^ElixirHot\.Macros\.mixed\/1 \(macro\)$/, // MACRO-mixed/2
      /^ElixirHot\.Price\.rounded\/1$/, // the protocol
      /^ElixirHot\.Price\.Integer\.rounded\/1$/, // its implementation
      /^anonymous fn\/3 in ElixirHot\.Parts\.closure\/1$/,
      /^for in ElixirHot\.Parts\.comprehension\/1/,
      /^for in ElixirHot\.Parts\.reduced\/1$/, // -reduced/1-_@2/2-0-
    ]) {
      assert.ok(
        names.some((/** @type {string} */ name) => kind.test(name)),
        `${kind} among ${names.filter((/** @type {string} */ name) => /ElixirHot/.test(name)).join(", ")}`,
      );
    }
    assert.deepEqual(
      names.filter((/** @type {string} */ name) => /'?Elixir\.|MACRO-|-fun-|\$\^|_@|lists\^/.test(name)),
      [],
      "no raw name",
    );
    // The raw names are kept: joining captures and sources works with them.
    const raw = readProfile(file).samples.flatMap(({ frames }) => frames.map((frame) => frame.rawName));
    assert.ok(
      raw.some((name) => name === "'Elixir.ElixirHot.Macros':'MACRO-mixed'/2"),
      "the macro's raw name",
    );
    const hot = functions.find((/** @type {any} */ row) => row.function === "ElixirHot.Shop.steps/2");
    assert.ok(hot.self_pct > 50 && /elixir_hot\.exs$/.test(hot.file) && hot.line === 15, JSON.stringify(hot));
  });
}

test("exports: folded, speedscope, code map, and go tool pprof opens the capture itself", async (t) => {
  const { vm, file, quality } = await capture(t, "25", "gt_erlang", 3);
  const folded = await runHelper(["export", file, "--format", "folded"]);
  assert.equal(folded.code, 0, folded.stderr);
  const lines = folded.stdout.trim().split("\n");
  let samples = 0;
  for (const line of lines) {
    assert.match(line, /^\S.* \d+$/);
    samples += Number(line.slice(line.lastIndexOf(" ") + 1));
  }
  assert.equal(samples, quality.samples, "every sample is exported");
  assert.ok(
    lines.some((line) => /gt_slices:timed\/4.*;gt_erlang:half\/2/.test(line)),
    "root first",
  );

  const speedscope = JSON.parse((await runHelper(["export", file, "--format", "speedscope"])).stdout);
  assert.equal(speedscope.$schema, "https://www.speedscope.app/file-format-schema.json");
  const known = speedscope.shared.frames.length;
  assert.ok(speedscope.shared.frames.some((/** @type {any} */ frame) => frame.name === "gt_erlang:half/2"));
  assert.ok(speedscope.profiles.length > 0);
  for (const profile of speedscope.profiles) {
    assert.equal(profile.type, "sampled");
    assert.equal(profile.samples.length, profile.weights.length);
    assert.ok(profile.samples.flat().every((/** @type {number} */ index) => index >= 0 && index < known));
  }

  const map = (await runHelper(["export", String(vm.pid), "--format", "perf-map"])).stdout.trim().split("\n");
  assert.ok(map.length > 5_000, `${map.length} functions`);
  for (const line of map) assert.match(line, /^[0-9a-f]+ [0-9a-f]+ \S/);
  assert.ok(map.some((line) => /gt_erlang:half\/2/.test(line)));

  const top = execFileSync("go", ["tool", "pprof", "-top", "-nodecount=20", file], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PPROF_TMPDIR: temporaryFolder(t) },
  });
  const listed = join(temporaryFolder(t), "top.txt");
  writeFileSync(listed, top);
  assert.match(top, /gt_erlang:half\/2/);
  assert.match(top, /flat%/);
});
