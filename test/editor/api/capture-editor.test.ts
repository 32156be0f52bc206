import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    return tabs.some(
      ({ input }) =>
        input instanceof vscode.TabInputCustom &&
        input.viewType === "extrospect.captureEditor" &&
        input.uri.toString() === uri.toString(),
    );
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

  it("a file that is no capture opens with a message, and shows its graph once it is one", async () => {
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

  it("captures in closed tabs leave memory when others are opened, and are read again", async () => {
    const { captures } = await api();
    const uris = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) => shopFile(`captures/use-${name}.pb.gz`));
    const isOpenedAs = (uri: vscode.Uri) => captures.get(uri) !== undefined;
    const names = () => uris.filter(isOpenedAs).map(({ path }) => path.replace(/^.*use-/, "").replace(/\.pb\.gz$/, ""));
    const tabsBut = (kept: string) =>
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label !== kept);
    const base = uris[1];
    for (const uri of uris) copyFileSync(join(FIXTURES, "demo.pb.gz"), uri.fsPath);
    await vscode.commands.executeCommand("extrospect.setBaseline", { uri: base });
    try {
      for (const uri of uris.slice(0, 6)) await vscode.commands.executeCommand("extrospect.openCapture", { uri });
      assert.deepEqual(names(), ["a", "b", "c", "d", "e", "f"], "all are in tabs");
      await vscode.window.tabGroups.close(tabsBut("use-a.pb.gz"));
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: uris[6] });
      await vscode.window.tabGroups.close(tabsBut("use-a.pb.gz"));
      // In a tab, the baseline, in view, and three more; the one that was used first is gone.
      await eventually("one less", () => names().join("") === "abdefg");
      const [, , gone] = uris;
      assert.ok(gone);
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: gone });
      assert.equal(captures.current?.uri.toString(), gone.toString());
      assert.ok((captures.current?.capture.totals.samples ?? 0) > 0);
      await eventually("the next one gone", () => names().join("") === "abcefg");
      // A capture that lost its file is nowhere except in memory: it stays, and the one that was used after it goes.
      rmSync(uris[4]?.fsPath ?? "");
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: uris[3] });
      await vscode.window.tabGroups.close(tabsBut("use-a.pb.gz"));
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: uris[7] });
      await eventually("the one after it gone", () => names().join("") === "abcdegh");
    } finally {
      await vscode.commands.executeCommand("extrospect.clearBaseline");
    }
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
