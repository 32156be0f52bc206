import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import {
  api,
  capturedWithOwnTime,
  eventually,
  headLine,
  hottestLineOf,
  hoverOf,
  lensesOf,
  messagesDuring,
  PRICING,
  shopFile,
  unescaped,
  type Attached,
} from "./demo-shop.js";

const LENS = /[\d.]+% own \([\d,]+\) · (≈ )?[\d.]+% total \([\d,]+\)/;

describe("annotations", () => {
  let capture: Attached;
  before(async () => {
    capture = await capturedWithOwnTime("demo_pricing:best_price/2");
  });
  after(async () => {
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: capture.uri.toString() });
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("puts one lens above a function of several clauses", async () => {
    const uri = shopFile(PRICING);
    const head = headLine(uri, "best_price(");
    const lenses = (await lensesOf(uri)).filter(({ command }) => LENS.test(command?.title ?? ""));
    const there = lenses.filter(({ range }) => range.start.line === head);
    assert.equal(
      there.length,
      1,
      lenses.map(({ range, command }) => `${String(range.start.line)}: ${command?.title ?? ""}`).join("\n"),
    );
    assert.equal(lenses.filter(({ range }) => range.start.line === head + 2).length, 0, "none above the second clause");
    assert.deepEqual(there[0]?.command?.arguments, [{ functionName: "demo_pricing:best_price/2" }]);
  });

  it("the setting hides the lenses and shows them again", async () => {
    const uri = shopFile(PRICING);
    const settings = vscode.workspace.getConfiguration("extrospect");
    await settings.update("codeLens.enabled", false, vscode.ConfigurationTarget.Global);
    await eventually("no lens", async () => (await lensesOf(uri)).length === 0);
    await settings.update("codeLens.enabled", undefined, vscode.ConfigurationTarget.Global);
    await eventually("lenses", async () => (await lensesOf(uri)).length > 0);
    await vscode.commands.executeCommand("extrospect.toggleLens");
    await eventually("no lens", async () => (await lensesOf(uri)).length === 0);
    await vscode.commands.executeCommand("extrospect.toggleLens");
    await eventually("lenses", async () => (await lensesOf(uri)).length > 0);
  });

  it("functions below the requested share have no lens", async () => {
    const uri = shopFile(PRICING);
    const settings = vscode.workspace.getConfiguration("extrospect");
    const before = (await lensesOf(uri)).length;
    await settings.update("codeLens.minimumPercent", 100, vscode.ConfigurationTarget.Global);
    await eventually("fewer lenses", async () => (await lensesOf(uri)).length < before);
    await settings.update("codeLens.minimumPercent", undefined, vscode.ConfigurationTarget.Global);
    await eventually("as many as before", async () => (await lensesOf(uri)).length === before);
  });

  it("a hover shows the samples of a line and its callers", async () => {
    const uri = shopFile(PRICING);
    const { captures } = await api();
    const opened = captures.get(capture.uri);
    assert.ok(opened);
    const index = opened.capture.functionNamed("demo_pricing:best_price/2");
    const head = headLine(uri, "best_price(");
    let text = "";
    for (let line = head; line < head + 6 && text === ""; line += 1) {
      const hovers =
        (await vscode.commands.executeCommand<vscode.Hover[] | undefined>(
          "vscode.executeHoverProvider",
          uri,
          new vscode.Position(line, 5),
        )) ?? [];
      text = hovers
        .flatMap(({ contents }) => contents)
        .map((content) => (typeof content === "string" ? content : content.value))
        .join("\n");
    }
    assert.ok(index >= 0);
    assert.match(text, /samples/);
    assert.match(text, /best_price/);
    assert.match(text, /command:extrospect\.openSource/, "callers are links");
  });

  it("links of a hover open only sources and views of its function", async () => {
    const uri = shopFile(PRICING);
    const hover = await hoverOf(uri, await hottestLineOf("demo_pricing:best_price/2"));
    assert.ok(hover);
    assert.deepEqual(hover.isTrusted, {
      enabledCommands: ["extrospect.openSource", "extrospect.showBlame", "extrospect.showFlameGraph"],
    });
    assert.notEqual(hover.supportHtml, true);
    const links = [...hover.value.matchAll(/\]\(([^)]*)\)/g)].map(([, link]) => link ?? "");
    assert.ok(links.length > 0, hover.value);
    for (const link of links) assert.match(link, /^command:extrospect\.(?:openSource|showBlame|showFlameGraph)\?/);
    const sources = links.filter((link) => link.startsWith("command:extrospect.openSource?"));
    const given = sources.map(
      (link) =>
        JSON.parse(decodeURIComponent(link.slice(link.indexOf("?") + 1))) as [{ functionName: string; line: number }],
    );
    const caller =
      given.find(([{ functionName }]) => functionName === "demo_pricing:handle_call/3") ??
      given.find(([{ functionName }]) => functionName.startsWith("demo_pricing:"));
    assert.ok(caller, hover.value);
    await vscode.commands.executeCommand("extrospect.openSource", ...caller);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString());
    assert.equal(vscode.window.activeTextEditor.selection.active.line, caller[0].line - 1);
  });

  it("a hover shows the time of a line by kind", async () => {
    const hover = unescaped(await hoverOf(shopFile(PRICING), await hottestLineOf("demo_pricing:best_price/2")));
    assert.match(hover, /\| Own time spent in \|/);
    const shares = [...hover.matchAll(/^\| [^|]+ \| (?:≈ )?([\d.]+)% \| █+ \|$/gm)].map(([, share]) => Number(share));
    assert.ok(shares.length > 0, hover);
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 1, shares.join(" + "));
  });

  it("figures are of self or total time when selected, and of own time again", async () => {
    const uri = shopFile(PRICING);
    const head = headLine(uri, "best_price(");
    const lensNow = async () =>
      (await lensesOf(uri)).find(({ range }) => range.start.line === head)?.command?.title ?? "";
    const hoverNow = async () => unescaped(await hoverOf(uri, await hottestLineOf("demo_pricing:best_price/2")));
    for (const [attribution, lens] of [
      ["self", /[\d.]+% self \([\d,]+\) · /],
      ["total", /[\d.]+% self \([\d,]+\) · /],
      ["own", LENS],
    ] as const) {
      await vscode.commands.executeCommand("extrospect.chooseAttribution", attribution);
      assert.equal(vscode.workspace.getConfiguration("extrospect").get("attribution"), attribution);
      await eventually(`lenses by ${attribution} time`, async () => lens.test(await lensNow()));
      assert.match(await hoverNow(), /% own ± /, "a hover has all of them");
    }
    await vscode.workspace
      .getConfiguration("extrospect")
      .update("attribution", undefined, vscode.ConfigurationTarget.Global);
  });

  it("every switch turns its setting over and back", async () => {
    const value = (name: string) => vscode.workspace.getConfiguration("extrospect").get(name);
    for (const [command, setting, usual, other] of [
      ["toggleLens", "codeLens.enabled", true, false],
      ["toggleGutter", "heat.gutter", true, false],
      ["toggleLineBackground", "heat.lineBackground", false, true],
      ["toggleLineFigures", "heat.lineFigures", false, true],
      ["toggleHeatScope", "heat.scope", "capture", "file"],
    ] as const) {
      assert.equal(value(setting), usual, setting);
      await vscode.commands.executeCommand(`extrospect.${command}`);
      assert.equal(value(setting), other, command);
      await vscode.commands.executeCommand(`extrospect.${command}`);
      assert.equal(value(setting), usual, command);
    }
  });

  it("moves the lens with its function when lines come before it", async () => {
    const uri = shopFile(PRICING);
    const head = headLine(uri, "best_price(");
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => {
      edit.insert(new vscode.Position(0, 0), "%% one\n%% two\n");
    });
    await eventually("the lens two lines below", async () =>
      (await lensesOf(uri)).some(
        ({ range, command }) => range.start.line === head + 2 && LENS.test(command?.title ?? ""),
      ),
    );
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await eventually("the lens where it was", async () =>
      (await lensesOf(uri)).some(({ range }) => range.start.line === head),
    );
  });

  it("a language server's symbols decide where the text alone does not", async () => {
    const uri = shopFile(PRICING);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document);
    const head = headLine(uri, "best_price(");
    // The heads are written by a macro: no scan of forms finds them.
    await editor.edit((edit) => {
      for (const line of [head, head + 2])
        edit.replace(new vscode.Range(line, 0, line, "best_price(".length), "?FUNCTION_BEST(");
      edit.insert(new vscode.Position(0, 0), "%% one\n".repeat(4));
    });
    const isThere = async () =>
      (await lensesOf(uri)).some(
        ({ range, command }) => range.start.line === head + 4 && LENS.test(command?.title ?? ""),
      );
    assert.equal(await isThere(), false, "without symbols its place is unknown");
    const provider = vscode.languages.registerDocumentSymbolProvider(
      { scheme: "file", pattern: "**/demo_pricing.erl" },
      {
        provideDocumentSymbols: (asked) => {
          const line = asked
            .getText()
            .split("\n")
            .findIndex((text) => text.startsWith("?FUNCTION_BEST("));
          const range = new vscode.Range(Math.max(line, 0), 0, Math.max(line, 0), 1);
          return line < 0
            ? []
            : [new vscode.DocumentSymbol("best_price/2", "", vscode.SymbolKind.Function, range, range)];
        },
      },
    );
    try {
      await editor.edit((change) => {
        change.insert(new vscode.Position(document.lineCount, 0), "%% one more\n");
      });
      await eventually("the lens at the symbol", isThere);
    } finally {
      provider.dispose();
      await vscode.commands.executeCommand("workbench.action.files.revert");
    }
  });

  it("a file without samples of the capture shows nothing, wherever it is", async () => {
    const outside = mkdtempSync(join(tmpdir(), "extrospect-outside-"));
    try {
      const file = join(outside, "unrelated.erl");
      writeFileSync(file, "-module(unrelated).\n-export([a/0]).\na() -> ok.\n");
      assert.deepEqual(await lensesOf(vscode.Uri.file(file)), []);
      const hovers =
        (await vscode.commands.executeCommand<vscode.Hover[] | undefined>(
          "vscode.executeHoverProvider",
          vscode.Uri.file(file),
          new vscode.Position(2, 0),
        )) ?? [];
      assert.deepEqual(
        hovers
          .flatMap(({ contents }) => contents)
          .filter((content) => typeof content !== "string" && /samples/.test(content.value)),
        [],
      );
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });

  it("a function without source in the workspace gives a message, and the cursor stays", async () => {
    const { captures } = await api();
    // Not one of libc: its debug information is on some machines.
    const native = captures
      .get(capture.uri)
      ?.capture.functions.find(({ kind, object }) => kind === "native" && object === "beam.smp");
    assert.ok(native, "the capture has C functions of the emulator");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    const said = await messagesDuring(() =>
      vscode.commands.executeCommand("extrospect.openSource", { functionName: native.name }),
    );
    assert.equal(said.length, 1);
    assert.ok(
      said[0]?.startsWith(`The source lines of ${native.name} are unknown: its code has no debug information.`),
      said[0],
    );
    assert.deepEqual(
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs),
      [],
    );
  });
});
