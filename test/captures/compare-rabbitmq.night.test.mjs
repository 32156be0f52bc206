// Two releases of a real server on two releases of OTP: compared without a step by hand.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { startRabbitmq, startRabbitmqLoad } from "../vms/rabbitmq.mjs";
import { helperJson, runHelper, temporaryFolder } from "../e2e/helper.mjs";

const SECONDS = 5;
const HZ = 499;
/** The modules that carry a message in every release. */
const ON_THE_WAY = ["rabbit_reader:", "rabbit_channel:", "gen_server2:", "rabbit_framing_amqp_0_9_1:"];

/** @param {"25" | "27"} release @param {string} folder */
async function recorded(release, folder) {
  const otp = await prepareOtp(release);
  const broker = await startRabbitmq(otp, { withMetrics: true });
  try {
    const load = await startRabbitmqLoad(otp, broker, { seconds: 60, restMs: 50 });
    const file = join(folder, `rabbitmq-${release}.pb.gz`);
    const work = [
      "--work-name",
      "messages",
      "--work-metric",
      "rabbitmq_global_messages_received_total",
      "--work-url",
      broker.metrics,
    ];
    await helperJson(["record", broker.pid, "-d", SECONDS, "-F", HZ, "-o", file, ...work]);
    await load.stop();
    return file;
  } finally {
    await broker.stop();
  }
}

test("RabbitMQ of two distributions, on OTP 25 and 27", async (t) => {
  const folder = temporaryFolder(t);
  const base = await recorded("25", folder);
  const newer = await recorded("27", folder);
  const comparison = await helperJson(["diff", base, "--", newer]);
  const notes = comparison.notes.map((/** @type {{kind: string}} */ { kind }) => kind);
  assert.ok(notes.includes("release"), notes.join(", "));
  assert.ok(notes.includes("one_capture"), notes.join(", "));
  // Both counted the same, so the cost of a message is compared.
  assert.equal(comparison.measure, "work");
  const both = comparison.functions.filter(
    (/** @type {any} */ row) => row.matched_by !== null && row.total.base > 0 && row.total.new > 0,
  );
  for (const prefix of ON_THE_WAY) {
    assert.ok(
      both.some((/** @type {any} */ row) => row.function.startsWith(prefix)),
      `${prefix} on both sides, among ${both.length} functions`,
    );
  }
  t.diagnostic(`${comparison.functions.length} functions, ${both.length} on both sides, notes: ${notes.join(", ")}`);
  for (const row of comparison.functions.slice(0, 8))
    t.diagnostic(
      `${row.function}: ${row.self.base.toFixed(2)} to ${row.self.new.toFixed(2)} us a message, ${row.self.verdict}`,
    );
  const shares = await helperJson(["diff", base, "--", newer, "--measure", "share"]);
  assert.equal(shares.measure, "share");
  const { stdout } = await runHelper(["diff", base, "--", newer, "--markdown"]);
  assert.match(stdout, /rabbitmq-27/);
});
