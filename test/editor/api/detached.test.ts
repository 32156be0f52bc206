import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import type { KnownDetached } from "../../../extension/src/detached/detached-rows.js";
import { api, eventually, messagesDuring } from "./demo-shop.js";
import { withFarVm } from "./far-vm.js";

describe("a capture that goes on without the editor", () => {
  const pid = withFarVm();
  const countBy = (command: readonly string[] | undefined) =>
    vscode.workspace
      .getConfiguration("extrospect")
      .update("capture.workCommand", command, vscode.ConfigurationTarget.Global);
  before(() => countBy(["/bin/echo", "7"]));
  after(() => countBy(undefined));

  for (const [where, host] of [
    ["this machine", undefined],
    ["another host", "far"],
  ] as const) {
    it(`on ${where} is opened while it runs, outlives the helper, and is stopped, fetched and deleted`, async () => {
      const { captures, helper } = await api();
      const one = { name: `api-${String(process.pid)}`, ...(host === undefined ? {} : { host }) };
      const run = <T>(command: string, more: object = {}) =>
        vscode.commands.executeCommand<T | undefined>(`extrospect.${command}`, { ...one, ...more });
      let started: KnownDetached | undefined;
      const said = await messagesDuring(async () => {
        started = await run<KnownDetached>("recordDetached", { pid: pid(), durationSeconds: 600, frequencyHz: 99 });
      });
      assert.deepEqual([started?.state, started?.pid], ["recording", pid()]);
      assert.match(
        said.join("\n"),
        /^api-\d+ records on (this machine|far) and continues without the editor, for at most 0\.2 h\./,
      );

      const samples = async () => {
        const uri = await run<vscode.Uri>("openDetached");
        return uri === undefined ? 0 : (captures.get(uri)?.capture.totals.samples ?? 0);
      };
      await eventually("samples of what goes on", async () => (await samples()) > 0);
      const before = await samples();
      // The helper that started it ends, as with the editor.
      if (host === undefined) await helper.stop();
      else await vscode.commands.executeCommand("extrospect.disconnectHost", { host });
      await eventually("more of it", async () => (await samples()) > before);

      const [again = ""] = await messagesDuring(() => run("recordDetached", { pid: pid(), durationSeconds: 600 }));
      assert.match(again, /^A detached capture api-\d+ already exists/i);
      assert.equal((await run<KnownDetached>("stopDetached"))?.end, "stopped");
      const fetched = await run<vscode.Uri>("fetchDetached");
      assert.ok(fetched !== undefined && existsSync(fetched.fsPath));
      assert.ok((captures.get(fetched)?.capture.totals.samples ?? 0) >= before);
      // Once it has ended, the opened capture has the same facts as the fetched one; the message of the end may be just
      // arriving.
      const opened = await run<vscode.Uri>("openDetached");
      for (const uri of [fetched, opened])
        await eventually(`the work and the place in ${String(uri)}`, () => {
          const facts = uri === undefined ? undefined : captures.get(uri)?.capture.facts;
          const { name, atStart, atEnd } = facts?.work ?? {};
          return (
            name === "echo" &&
            atStart === 7 &&
            atEnd === 7 &&
            (facts?.isFromElsewhere ?? false) === (host !== undefined)
          );
        });
      assert.deepEqual(await messagesDuring(() => run("deleteDetached", { isConfirmed: true })), []);
      const [none = ""] = await messagesDuring(() => run("openDetached"));
      assert.match(none, /^There is no detached capture api-\d+/i);
      for (const { uri } of captures.all)
        await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
    });
  }
});
