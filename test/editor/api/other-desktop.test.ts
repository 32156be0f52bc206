// The desktops that no VM is profiled on. The test sets every answer that the extension gets from its platform; paths
// are still Linux's, and so are ssh and its keys.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { KnownDetached } from "../../../extension/src/detached/detached-rows.js";
import { api, demoPid, eventually, messagesDuring, type Attached } from "./demo-shop.js";
import { withFarVm } from "./far-vm.js";

for (const platform of ["darwin", "win32"] as const)
  describe(`a desktop that is ${platform}`, () => {
    const pid = withFarVm();
    const here = Object.getOwnPropertyDescriptor(process, "platform");
    const run = <T>(command: string, given: object = {}) =>
      vscode.commands.executeCommand<T | undefined>(`extrospect.${command}`, given);

    before(async () => {
      await (await api()).helper.stop();
      await run("disconnectHost", { host: "far" });
      Object.defineProperty(process, "platform", { ...here, value: platform });
    });
    after(async () => {
      if (here !== undefined) Object.defineProperty(process, "platform", here);
      await run("disconnectHost", { host: "far" });
      await run("restartHelper");
    });

    it("attaches to nothing on this machine, and names where it can", async () => {
      const said = await messagesDuring(() => run("attach", { pid: demoPid() }));
      assert.equal(said.length, 1);
      assert.match(said[0] ?? "", new RegExp(`x86-64 Linux only: this is ${platform}-`));
    });

    it("attaches on another host: from the host to a capture that is opened from its file", async () => {
      const { captures } = await api();
      let attached: Attached | undefined;
      const said = await messagesDuring(async () => {
        attached = await run<Attached>("attach", { host: "far", pid: pid(), durationSeconds: 0, frequencyHz: 99 });
      });
      assert.deepEqual(said, []);
      assert.ok(attached);
      const { uri } = attached;
      await eventually("samples", () => (captures.get(uri)?.capture.totals.samples ?? 0) > 0);
      assert.equal(captures.get(uri)?.isElsewhere, true);
      await run("stopCapture");
      assert.ok(existsSync(uri.fsPath));
      await run("closeCapture", { uri: uri.toString() });
      await run("openCapture", { uri });
      await eventually("the capture, from its file", () => captures.get(uri)?.capture.facts.target?.pid === pid());
      await run("closeCapture", { uri: uri.toString() });
    });

    it("a capture continues there, and is fetched", async () => {
      const { captures } = await api();
      const one = { name: `desktop-${platform}-${String(process.pid)}`, host: "far" };
      assert.equal(
        (await run<KnownDetached>("recordDetached", { ...one, pid: pid(), durationSeconds: 600, frequencyHz: 99 }))
          ?.state,
        "recording",
      );
      assert.equal((await run<KnownDetached>("stopDetached", one))?.end, "stopped");
      const fetched = await run<vscode.Uri>("fetchDetached", one);
      assert.ok(fetched !== undefined && captures.get(fetched)?.capture.facts.target?.pid === pid());
      await run("deleteDetached", { ...one, isConfirmed: true });
      await run("closeCapture", { uri: fetched.toString() });
    });

    it("a failed connection has its reason, and the remedy for ssh's prompts", async () => {
      const [gone = "", ...more] = await messagesDuring(() => run("attach", { host: "nowhere.invalid", pid: pid() }));
      assert.match(gone, /^No connection to nowhere\.invalid: /);
      assert.equal(/questions do not reach the editor/.test(gone), platform === "win32");
      assert.deepEqual(more, []);
    });
  });
