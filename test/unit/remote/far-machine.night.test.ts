// A host in a network and processes of its own: it is rebooted, has a helper installed, and speaks another version.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { checksIn } from "../../../extension/src/remote/host-checks.js";
import { missingRights } from "../../../extension/src/targets/host-rights.js";
import { PROTOCOL_VERSION } from "../../../contract/protocol.generated.js";
import { FarMachine } from "../../hosts/far-machine.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { HELPER, type PipedHelper } from "../recording/piped-helper.js";
import { capturing, connected, needsRoot, VERSION } from "./connected-host.js";

async function onlyVm(piped: PipedHelper): Promise<number> {
  const { beams } = await piped.request("extrospect/list", {});
  const [vm, ...others] = beams;
  assert.ok(vm !== undefined && others.length === 0, "no other process is in sight there");
  return vm.pid;
}

test(
  "a machine of its own: by its user, by the helper installed there, and by ours where that is of another version",
  needsRoot,
  async (t) => {
    const machine = await FarMachine.start(t, "far-shop");
    const sshd = await Sshd.start(t, { machine });
    await machine.startVm(t, sshd.uid);
    const stopped = async (piped: PipedHelper) => {
      const { recording, ended } = await capturing(t, piped, await onlyVm(piped));
      void recording.stop();
      assert.deepEqual(await ended, { reason: "stopped", problem: null });
      const { facts, totals } = decodeCapture(readFileSync(recording.file));
      assert.deepEqual(totals, recording.capture.totals);
      assert.equal(facts.target?.host, "far-shop");
      return facts;
    };
    const rights = async (piped: PipedHelper) => missingRights(checksIn(await piped.request("extrospect/doctor", {})));

    machine.install(t, "#!/bin/sh\necho extrospect 0.0.9\n");
    const own = await connected(t, sshd);
    assert.deepEqual(own.steps, ["connecting", "sending", "starting"]);
    assert.equal(own.running.isInstalled, false);
    assert.ok((await rights(own.piped)).includes("otherUsers"));
    await stopped(own.piped);

    machine.install(t, HELPER);
    const installed = await connected(t, sshd);
    assert.deepEqual(installed.steps, ["connecting", "starting"]);
    assert.equal(installed.running.isInstalled, true);
    // Its policy decides whose VMs it may read.
    assert.deepEqual(await rights(installed.piped), ["otherUsers"]);
    assert.equal((await stopped(installed.piped)).includeKernel, true);

    // It is of this version by its word, and speaks another.
    const other = (version: number) => {
      const answer = JSON.stringify({
        jsonrpc: "2.0",
        id: 0,
        result: { protocolVersion: version, capabilities: { experimental: { maxFrequencyHz: 99 } } },
      });
      const message = `Content-Length: ${String(answer.length)}\r\n\r\n${answer}`;
      const hello = "\\1\\0\\0\\0\\11\\1\\0\\0\\0\\0\\0\\0\\0\\0";
      // The request comes first: a hello of 14 bytes and a request of many more.
      return `#!/bin/sh
if [ "$1" = --version ]; then echo '${VERSION}'; exit; fi
printf '${hello}'; head -c 100 >/dev/null
printf '\\2\\0\\0\\0\\${message.length.toString(8)}%s\\r\\n\\r\\n%s' 'Content-Length: ${String(answer.length)}' '${answer}'; exec sleep 60
`;
    };
    for (const [version, fix] of [
      [PROTOCOL_VERSION - 1, /^Have root install the helper of this extension there/],
      [PROTOCOL_VERSION + 1, /^The copy installed there is newer: update this extension\. Have root install/],
    ] as const) {
      machine.install(t, other(version));
      await assert.rejects(connected(t, sshd), (error: unknown) => {
        assert.ok(error instanceof HelperError && error.problem === "versionMismatch", String(error));
        assert.equal(
          error.what,
          `the helper on far is incompatible with this extension, which uses protocol version ${String(PROTOCOL_VERSION)}`,
        );
        assert.equal(error.why, `it speaks version ${String(version)}`);
        assert.match(error.fix, fix);
        return true;
      });
    }
  },
);

test(
  "a host that is rebooted: the capture ends with what has arrived, a new one can be made, and one that stays off is given up",
  needsRoot,
  async (t) => {
    const machine = await FarMachine.start(t);
    const sshd = await Sshd.start(t, { machine });
    await machine.startVm(t, sshd.uid);
    // A silent line is noticed sooner than users want it.
    const program = sshd.sshWith("impatient-ssh", ["ServerAliveInterval=1", "ConnectTimeout=5"]);
    for (const isUpInTime of [true, false]) {
      const { piped, line, running } = await connected(t, sshd, { program, resumeForSeconds: isUpInTime ? 60 : 2 });
      const { recording, ended } = await capturing(t, piped, await onlyVm(piped));
      await machine.stop();
      if (isUpInTime) {
        await machine.boot();
        await sshd.listen(t);
        await machine.startVm(t, sshd.uid);
      }
      assert.equal((await ended).reason, "helperGone");
      assert.equal(recording.problem, undefined);
      const { totals } = decodeCapture(readFileSync(recording.file));
      assert.deepEqual(totals, recording.capture.totals);
      assert.ok(totals.samples > 100);
      // Either the line is back, and nothing waits there; or it is not.
      assert.equal(line.at(-1), isUpInTime ? "back" : "cut");
      const why = running.gone("?");
      if (isUpInTime)
        assert.match(
          why,
          /^the connection to far ended \(.*\); after the reconnection, the helper there was gone: it had ended, or the host had restarted$/,
        );
      else assert.match(why, /^the connection to far ended \(.*\)$/);
    }
  },
);
