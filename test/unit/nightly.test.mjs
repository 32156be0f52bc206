// Tests that repeat one promise on each release have one of them by day: spread, so that no release is met by few.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { releasesOf } from "../nightly.mjs";
import { OTP_RELEASES } from "../vms/otp.mjs";

const TESTS = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Calls that each release is the one by day of. */
const LEAST_EACH = 5;
/** Of a call: `releasesOf(RELEASES, "27")`. Of a list whose entries are the argument: `daily: "27"`. */
const DAILY = /\breleasesOf\(\w+, "(\d+)"\)|^\s*(?:\{.* )?daily: "(\d+)"/gm;

test("each release is the one by day of several tests", () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.test\.(mjs|ts)$/.test(file),
  );
  const daily = files.flatMap((file) =>
    [...readFileSync(join(TESTS, file), "utf8").matchAll(DAILY)].map(([, call, entry]) => call ?? entry),
  );
  const counts = Object.fromEntries(
    OTP_RELEASES.map((release) => [release, daily.filter((one) => one === release).length]),
  );
  for (const [release, count] of Object.entries(counts))
    assert.ok(count >= LEAST_EACH, `OTP ${release} of ${JSON.stringify(counts)}`);
});

test("a release that is none of the test's is refused", () => {
  assert.throws(() => releasesOf(["27", "29"], /** @type {"27"} */ ("25")), /25 is none of 27, 29/);
});
