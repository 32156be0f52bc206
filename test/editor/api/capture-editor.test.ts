import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { api, eventually, messagesDuring, shopFile, withTimersRung } from "./demo-shop.js";

const FIXTURES = join(__dirname, "../../test/unit/capture/fixtures");

describe("the editor of captures", () => {
  before(() => {
    mkdirSync(shopFile("captures").fsPath, { recursive: true });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    const { captures } = await api();
    for (const { uri } of captures.all) captures.close(uri);
  });

  function isOpen(uri: vscode.Uri): boolean {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    return tabs.some(({ input }) => input instanceof vscode.TabInputCustom && input.viewType === "extrospect.captureEditor" && input.uri.toString() === uri.toString());
  }

  for (const { name, known } of [
    { name: "demo.pb.gz", known: /^demo_\w+:\w+\/\d+$/ },
    { name: "go-cpu.pb.gz", known: /^runtime\.\w+/ },
  ]) {
    it(`opens ${name} and brings it into view`, async () => {
      const { captures } = await api();
      const uri = shopFile(`captures/${name}`);
      copyFileSync(join(FIXTURES, name), uri.fsPath);
      await vscode.commands.executeCommand("vscode.open", uri);
      await eventually("its tab", () => isOpen(uri));
      await eventually("the capture", () => captures.current?.uri.toString() === uri.toString());
      const capture = captures.current?.capture;
      assert.ok(capture && capture.totals.samples > 0);
      assert.ok(
        capture.functions.some((fn) => known.test(fn.name)),
        capture.functions
          .slice(0, 20)
          .map((fn) => fn.name)
          .join(", "),
      );
    });
  }

  it("opens a file that is no capture without a capture, says so, and shows it once it is one", async () => {
    const { captures } = await api();
    const uri = shopFile("captures/broken.pb.gz");
    writeFileSync(uri.fsPath, "not gzip at all");
    const shown: unknown[] = [];
    const listener = captures.onDidChangeCurrent((current) => shown.push(current?.uri.toString()));
    const said = await withTimersRung(async () => {
      await vscode.commands.executeCommand("vscode.open", uri);
      await eventually("its tab", () => isOpen(uri));
      // Ends when the file was read, by the editor or once more.
      return messagesDuring(() => vscode.commands.executeCommand("extrospect.openCapture", { uri }));
    });
    listener.dispose();
    assert.equal(said.length, 1);
    assert.match(said[0] ?? "", /^broken\.pb\.gz cannot be shown: .*pprof/);
    assert.deepEqual([captures.all, shown], [[], []], "neither at once nor later");
    assert.ok(isOpen(uri), "its page stays open");
    const whole = readFileSync(join(FIXTURES, "demo.pb.gz"));
    await eventually("the capture that was written there meanwhile", () => {
      // Each time anew: the editor may only just have begun to look for changes.
      writeFileSync(uri.fsPath, whole);
      return captures.current?.uri.toString() === uri.toString();
    });
  });

  it("opens by command and closes by command", async () => {
    const { captures } = await api();
    const uri = shopFile("captures/demo.pb.gz");
    copyFileSync(join(FIXTURES, "demo.pb.gz"), uri.fsPath);
    assert.deepEqual(await vscode.commands.executeCommand("extrospect.openCapture", { uri: uri.toString() }), { uri });
    assert.equal(captures.current?.uri.toString(), uri.toString());
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
    assert.equal(captures.current, undefined);
    await eventually("no tab", () => !isOpen(uri));
  });
});
