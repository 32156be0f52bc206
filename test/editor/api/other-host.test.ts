import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { measuredLine } from "../../measured.mjs";
import { api, demoPid, eventually, messagesDuring, type Attached } from "./demo-shop.js";
import { withFarVm } from "./far-vm.js";

describe("a VM on another host", () => {
  const pid = withFarVm();
  const attach = (host: string) =>
    vscode.commands.executeCommand<Attached | undefined>("extrospect.attach", {
      host,
      pid: pid(),
      durationSeconds: 0,
      frequencyHz: 99,
    });

  it("is captured as one on this machine, and again without connecting anew", async () => {
    const { captures, recording } = await api();
    for (const time of ["with the helper sent", "connected before"]) {
      const begun = performance.now();
      let attached: Attached | undefined;
      const said = await messagesDuring(async () => {
        attached = await attach("far");
      });
      assert.deepEqual(said, []);
      assert.ok(attached);
      const { uri } = attached;
      await eventually("samples", () => (captures.get(uri)?.capture.totals.samples ?? 0) > 0);
      console.log(measuredLine("editor, from a host to its first samples", performance.now() - begun, time));
      await vscode.commands.executeCommand("extrospect.stopCapture");
      assert.equal(recording.phase, "ended");
      assert.ok(existsSync(uri.fsPath));
      assert.equal(captures.get(uri)?.capture.facts.target?.pid, pid());
      await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
      await vscode.commands.executeCommand("extrospect.openCapture", { uri });
      await eventually("the capture, from its file", () => (captures.get(uri)?.capture.totals.samples ?? 0) > 0);
      await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
    }
  });

  it("is captured together with one of this machine; its clock at the end is known when the end is reported", async () => {
    const { captures } = await api();
    const targets = [{ pid: pid(), host: "far" }, { pid: demoPid() }];
    const started = await vscode.commands.executeCommand<{ uri: vscode.Uri } | undefined>("extrospect.attachSeveral", {
      targets,
      durationSeconds: 0,
      frequencyHz: 99,
    });
    const opened = captures.current;
    assert.ok(started && opened?.uri.toString() === started.uri.toString());
    await eventually("samples of both", () => opened.capture.nodeShares().filter(({ busy }) => busy > 0).length === 2);
    // The content of the table of nodes then, after which it is not drawn again.
    const told: boolean[][] = [];
    const listening = captures.onDidUpdate(({ uri, live, capture }) => {
      if (uri.toString() === started.uri.toString() && !live)
        told.push(capture.facts.nodes?.map(({ clockAheadAtEndMs }) => clockAheadAtEndMs !== undefined) ?? []);
    });
    await vscode.commands.executeCommand("extrospect.stopCapture");
    listening.dispose();
    assert.deepEqual(told[0], [true, false]);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: started.uri.toString() });
  });

  it("is profiled again on the host of its captures, and nothing connects by itself", async () => {
    const { captures, recording } = await api();
    const shopPid = Number(process.env["EXTROSPECT_SHOP_PID"]);
    const again = (uri: vscode.Uri) =>
      vscode.commands.executeCommand<Attached | undefined>("extrospect.profileAgain", { uri });
    const first = await vscode.commands.executeCommand<Attached | undefined>("extrospect.attach", {
      host: "shop",
      pid: shopPid,
      durationSeconds: 0,
      frequencyHz: 99,
    });
    assert.ok(first);
    await eventually("samples", () => (captures.get(first.uri)?.capture.totals.samples ?? 0) > 0);
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.equal(captures.get(first.uri)?.capture.facts.target?.host, "far-shop");

    const second = await again(first.uri);
    assert.ok(second && second.pid === shopPid);
    await eventually("samples", () => (captures.get(second.uri)?.capture.totals.samples ?? 0) > 0);
    assert.equal(captures.get(second.uri)?.capture.facts.target?.host, "far-shop");
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.equal(recording.phase, "ended");

    await vscode.commands.executeCommand("extrospect.disconnectHost", { host: "shop" });
    assert.deepEqual(await messagesDuring(() => again(first.uri)), [
      "This capture was taken on far-shop. Connect to shop, and capture it there again?",
    ]);
    await vscode.commands.executeCommand("extrospect.forgetHost", { host: "shop" });
    const [unknown = "", ...more] = await messagesDuring(() => again(first.uri));
    assert.match(
      unknown,
      /^This capture was taken on far-shop, and none of the remembered hosts .* Attach to the VM there/,
    );
    assert.deepEqual(more, []);
    for (const { uri } of [first, second])
      await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
  });

  it("a failed connection has its reason, and an invalid host is refused", async () => {
    const [gone = "", ...more] = await messagesDuring(() => attach("nowhere.invalid"));
    assert.match(gone, /^No connection to nowhere\.invalid: .*(resolve|Name or service)/);
    assert.deepEqual(more, []);
    const [none = ""] = await messagesDuring(() => attach("-oProxyCommand=touch /tmp/evil"));
    assert.match(none, /is not a host/);
    // A container is named by a command of the settings and its values, and by nothing that could be an option or a program.
    const inContainer = (host: object) => vscode.commands.executeCommand("extrospect.attach", { host, pid: pid() });
    const [option = ""] = await messagesDuring(() =>
      inContainer({ command: "docker", values: { container: "--privileged" } }),
    );
    assert.match(option, /^Docker --privileged is not a host/);
    const [unknown = ""] = await messagesDuring(() => inContainer({ command: "touch", values: { file: "/tmp/evil" } }));
    assert.match(
      unknown,
      /^No connection leads to touch \/tmp\/evil: `extrospect\.remote\.commands` has no valid command touch/,
    );
    const [ended = ""] = await messagesDuring(() =>
      inContainer({ command: "nsenter", values: { pid: String(2 ** 22) } }),
    );
    assert.match(ended, /^No shell answers in nsenter 4194304: .*No such file or directory.*choose again/);
  });
});
