// nodes: the nodes that a VM knows, by its own table and without a query to it, compared with the VM's own report
// afterwards.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { HOST, nodeFlags, startEpmd } from "../vms/own-epmd.mjs";
import { runErl } from "../vms/vm.mjs";
import { assertRefused, forgetting, helperJson, runHelper } from "./helper.mjs";
import { hold, letGo } from "../vms/held.mjs";

/** @type {import("../vms/own-epmd.mjs").OwnEpmd} */
let epmd;
/** @type {import("node:net").Server} */
let mute;
/** @type {import("node:net").Socket} */
let registration;
/** @type {Set<import("node:net").Socket>} */
const unanswered = new Set();

before(async () => {
  mute = createServer((socket) => unanswered.add(socket.on("error", () => {}))).listen(0, HOST);
  await once(mute, "listening");
  epmd = await startEpmd();
  registration = connect(epmd.port, HOST);
  await once(registration, "connect");
  await register("mute", portOf(mute));
});
after(() => {
  registration.destroy();
  for (const socket of unanswered) socket.destroy();
  mute.close();
  epmd.stop();
});

/** @param {import("node:net").Server} server */
const portOf = (server) => /** @type {import("node:net").AddressInfo} */ (server.address()).port;

/** A name in epmd, as long as the connection is there. @param {string} name @param {number} port */
async function register(name, port) {
  const request = Buffer.alloc(13 + name.length);
  request.writeUInt8(120, 0);
  request.writeUInt16BE(port, 1);
  request.writeUInt8(77, 3);
  request.writeUInt16BE(6, 5);
  request.writeUInt16BE(5, 7);
  request.writeUInt16BE(name.length, 9);
  request.write(name, 11);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(request.length);
  registration.write(Buffer.concat([length, request]));
  await once(registration, "data");
}

/** @param {import("node:test").TestContext} t @param {string} release @param {string} name @param {{flags?: string[], connect?: string[], module?: string}} [options] */
async function node(t, release, name, { flags = [], connect: others = [], module = "gt_node" } = {}) {
  const otp = await prepareOtp(/** @type {import("../vms/otp.mjs").OtpRelease} */ (release));
  const emulatorFlags = [...nodeFlags(name), ...flags];
  const vm = await runErl({ otp, module, args: others, emulatorFlags, env: epmd.env });
  t.after(() => vm.kill());
  return vm;
}

/** @param {any} shown @param {...string} states */
const withState = (shown, ...states) =>
  shown.nodes.filter((/** @type {any} */ row) => states.includes(row.state)).map((/** @type {any} */ row) => row.name);

/** The helper's list is the VM's own afterwards. @param {any} shown @param {any} reported */
function assertSame(shown, reported) {
  assert.equal(shown.node, reported.node);
  assert.deepEqual(withState(shown, "visible"), reported.visible.toSorted());
  assert.deepEqual(withState(shown, "hidden"), reported.hidden.toSorted());
  const known = [shown.node, ...shown.nodes.map((/** @type {any} */ row) => row.name)];
  // The name it had before is not another node.
  const others = reported.known.filter((/** @type {string} */ name) => name !== "nonode@nohost");
  assert.deepEqual(known.toSorted(), others.toSorted());
}

/** An interpreter is attached to by its symbols alone. */
const INTERPRETED = "23";

// Each waits for its VMs most of the time.
describe("all releases at once", { concurrency: true }, () => {
  for (const release of ALL_OTP_RELEASES) {
    test(`OTP ${release}: the nodes that a VM knows are those that it reports${release === INTERPRETED ? "" : ", with symbols and without"}`, async (t) => {
      const at = (/** @type {string} */ name) => `${name}${release}@${HOST}`;
      const [seen] = await Promise.all([
        node(t, release, `seen${release}`),
        node(t, release, `probe${release}`, { flags: ["-hidden"] }),
      ]);
      const vm = await node(t, release, `shop${release}`, { connect: [at("seen"), at("probe"), `mute@${HOST}`] });
      // It queries the one that never answers for seven seconds, again and again.
      const pending = await until("all three are in its table", async () => {
        const shown = await helperJson(["nodes", vm.pid]);
        assert.deepEqual(
          shown.nodes.filter((/** @type {any} */ row) => row.state !== "pending"),
          [
            { name: at("probe"), state: "hidden" },
            { name: at("seen"), state: "visible" },
          ],
        );
        return shown;
      });
      t.diagnostic(`about to connect: ${withState(pending, "pending").join(", ") || "none by now"}`);

      for (const options of release === INTERPRETED ? [{}] : [{}, await forgetting("symbols")]) {
        await until("both have the same answer", async () => {
          const shown = await helperJson(["nodes", vm.pid], options);
          assertSame(shown, await vm.report());
          return true;
        });
      }

      seen.kill();
      await until("the one that ended is not connected", async () => {
        const shown = await helperJson(["nodes", vm.pid]);
        assert.deepEqual(withState(shown, "visible"), []);
        assert.ok(withState(shown, "notConnected").includes(at("seen")), JSON.stringify(shown));
        assertSame(shown, await vm.report());
        return true;
      });
      const text = await runHelper(["nodes", vm.pid]);
      assert.equal(text.code, 0, text.stderr);
      assert.match(text.stdout, new RegExp(`^process ${vm.pid} is the node shop${release}@`));
      assert.match(text.stdout, new RegExp(`^probe${release}@127\\.0\\.0\\.1 +connected, hidden$`, "m"));
    });
  }
});

describe("data that waits to be sent to a node", { concurrency: true }, () => {
  for (const release of ALL_OTP_RELEASES) {
    test(`OTP ${release}: a node that accepts no data makes the connection busy`, async (t) => {
      const slow = await node(t, release, `slow${release}`);
      const vm = await node(t, release, `flood${release}`, { module: "gt_flood", connect: [`slow${release}@${HOST}`] });
      const connection = async () => {
        const { connections } = await helperJson(["node", vm.pid]);
        assert.deepEqual(
          connections.map((/** @type {any} */ row) => row.node),
          [`slow${release}@${HOST}`],
        );
        return connections[0];
      };
      await until("it takes what is sent", async () => {
        assert.deepEqual(await connection(), {
          node: `slow${release}@${HOST}`,
          state: "connected",
          queue_bytes: 0,
          busy: false,
        });
        return true;
      });
      hold(slow.pid);
      t.after(() => slow.kill());
      await until("it is busy", async () => {
        const { queue_bytes: bytes, busy } = await connection();
        assert.deepEqual(await vm.report(), { sender: "suspended" });
        assert.ok(busy && bytes >= 1 << 20, `${bytes}, ${busy}`);
        return true;
      });
      letGo(slow.pid);
      await until("it is not busy any more", async () => {
        const { busy } = await connection();
        assert.equal(busy, false);
        return true;
      });
    });
  }
});

test("a VM without a name knows no node, and other programs are refused", async (t) => {
  const vm = await runErl({ otp: await prepareOtp("25"), module: "gt_idle" });
  t.after(() => vm.kill());
  const { node: name, nodes } = await helperJson(["nodes", vm.pid]);
  assert.deepEqual([name, nodes], [null, []]);
  assertRefused(await runHelper(["nodes", process.pid]), 3);
});
