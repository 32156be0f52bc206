import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { ProfileBuilder } from "../../unit/capture/profile-builder.js";
import {
  api,
  captured,
  endedBy,
  eventually,
  figuresOf,
  headLine,
  isDoneWithin,
  PRICING,
  shopFile,
  tidied,
} from "./demo-shop.js";

const BEST_PRICE = "demo_pricing:best_price/2";
const OTHER = "apps/other/src/demo_pricing.erl";
const THIRD = "apps/third/src/demo_pricing.erl";
/**
 * How long a question must have waited to be one: longer than any search of this workspace, so that a command that is
 * not done then waits for the user.
 */
const WAITING_MS = 1_500;
/** For a command that waits for no answer, on a busy machine. */
const DONE_MS = 30_000;

function open(functionName: string): Thenable<unknown> {
  return vscode.commands.executeCommand("extrospect.openSource", { functionName });
}

function move(from: string, to: string): void {
  mkdirSync(dirname(shopFile(to).fsPath), { recursive: true });
  renameSync(shopFile(from).fsPath, shopFile(to).fsPath);
}

function activeFile(): string {
  return vscode.window.activeTextEditor?.document.uri.toString() ?? "";
}

describe("sources", () => {
  before(() => captured(3));
  after(tidied);
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  it("opens a function at its head", async () => {
    assert.ok(await isDoneWithin(DONE_MS, open(BEST_PRICE)));
    assert.equal(activeFile(), shopFile(PRICING).toString());
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, headLine(shopFile(PRICING), "best_price("));
  });

  it("opens the requested line", async () => {
    const line = headLine(shopFile(PRICING), "best_price(") + 4;
    await vscode.commands.executeCommand("extrospect.openSource", { functionName: BEST_PRICE, line: line + 1 });
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, line);
  });

  it("opens nothing for a function the capture does not hold", async () => {
    assert.ok(await isDoneWithin(DONE_MS, open("no_such:function/7")));
    assert.equal(vscode.window.activeTextEditor, undefined);
  });

  it("opens OTP's own source if it is installed, otherwise names the missing package", async () => {
    const { captures } = await api();
    const fold = captures.current?.capture.functions.find(
      ({ file, name }) => name.startsWith("lists:") && file.endsWith("lists.erl"),
    );
    assert.ok(fold, "the capture has functions of OTP");
    const library = "/usr/lib/erlang/lib";
    const isInstalled = readdirSync(library).some(
      (name) => name.startsWith("stdlib-") && existsSync(`${library}/${name}/src/lists.erl`),
    );
    const opening = open(fold.name);
    if (isInstalled) {
      await opening;
      assert.match(activeFile(), /\/stdlib-[\d.]+\/src\/lists\.erl$/);
      return;
    }
    await assertWaitsForMessage(opening);
  });

  it("names the missing file if a file of the project is not in the workspace", async () => {
    move("demo/src/demo_stock.erl", "aside/demo_stock.erl.txt");
    try {
      const { captures } = await api();
      const name = captures.current?.capture.functions.find((fn) => fn.file.endsWith("demo_stock.erl"))?.name;
      assert.ok(name, "the capture has functions of demo_stock");
      // An earlier search may remember the file until the editor receives the event of its removal.
      await eventually("the question", async () => {
        const opening = open(name);
        const isDone = await isDoneWithin(WAITING_MS, opening).catch(() => true);
        await vscode.commands.executeCommand("notifications.clearAll");
        await opening.then(
          () => {},
          () => {},
        );
        return !isDone;
      });
      assert.equal(vscode.window.activeTextEditor, undefined);
    } finally {
      move("aside/demo_stock.erl.txt", "demo/src/demo_stock.erl");
    }
  });
});

/** The command waits for an answer, opens nothing until then, and ends when the message is put away. */
async function assertWaitsForMessage(opening: Thenable<unknown>): Promise<void> {
  assert.equal(await isDoneWithin(WAITING_MS, opening), false, "a message waits for an answer");
  await endedBy("notifications.clearAll", opening);
  assert.equal(vscode.window.activeTextEditor, undefined);
}

describe("two files of one name", () => {
  before(async () => {
    mkdirSync(dirname(shopFile(OTHER).fsPath), { recursive: true });
    copyFileSync(shopFile(PRICING).fsPath, shopFile(OTHER).fsPath);
    await captured(3);
  });
  after(async () => {
    if (existsSync(shopFile(THIRD).fsPath)) move(THIRD, PRICING);
    rmSync(shopFile("apps").fsPath, { recursive: true, force: true });
    await vscode.commands.executeCommand("extrospect.forgetSources");
    await tidied();
  });
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  const hasLenses = async (path: string) => (await figuresOf(shopFile(path))).size > 0;

  it("the one the VM names has the heat, the other has none", async () => {
    await eventually("lenses", () => hasLenses(PRICING));
    assert.equal(await hasLenses(OTHER), false);
    assert.ok(await isDoneWithin(DONE_MS, open(BEST_PRICE)), "there is no prompt");
    assert.equal(activeFile(), shopFile(PRICING).toString());
  });

  it("prompts when none is better, and remembers the answer", async () => {
    move(PRICING, THIRD);
    let opening = open(BEST_PRICE);
    // The file is remembered until the editor receives the event of its removal.
    await eventually("the question", async () => {
      if (!(await isDoneWithin(WAITING_MS, opening).catch(() => true))) return true;
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      opening = open(BEST_PRICE);
      return false;
    });
    assert.equal(await hasLenses(OTHER), false);
    assert.equal(await hasLenses(THIRD), false);
    await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
    assert.ok(await isDoneWithin(10_000, opening));
    const picked = activeFile();
    const [mine, yours] = picked === shopFile(OTHER).toString() ? [OTHER, THIRD] : [THIRD, OTHER];
    assert.equal(picked, shopFile(mine).toString());
    await eventually("lenses in the picked file", () => hasLenses(mine));
    assert.equal(await hasLenses(yours), false);
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    assert.ok(await isDoneWithin(DONE_MS, open(BEST_PRICE)), "there is no second prompt");
    assert.equal(activeFile(), picked);
  });

  it("prompts again after the answer is forgotten", async () => {
    await vscode.commands.executeCommand("extrospect.forgetSources");
    const opening = open(BEST_PRICE);
    assert.equal(await isDoneWithin(WAITING_MS, opening), false, "the question waits");
    await endedBy("workbench.action.closeQuickOpen", opening);
    assert.equal(vscode.window.activeTextEditor, undefined);
  });
});

describe("two installations with a module of one name", () => {
  const roots = ["a", "b"].map((name) => mkdtempSync(join(tmpdir(), `extrospect-otp-${name}-`)));
  after(async () => {
    await tidied();
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });

  /** A source in an installation, and a capture of a VM that was started from there. */
  function installed(root: string): { source: string; capture: vscode.Uri } {
    const source = join(root, "lib/made_up-1.0/src/made_up_module.erl");
    mkdirSync(dirname(source), { recursive: true });
    writeFileSync(source, "-module(made_up_module).\n-export([run/0]).\nrun() -> ok.\n");
    const profile = new ProfileBuilder()
      .type("samples", "count")
      .comment(
        `extrospect/target ${JSON.stringify({ pid: 7, otp_release: "25", command: `beam.smp -- -root ${root} -noshell` })}`,
      );
    profile
      .function(1, "made_up_module:run/0", "erlang!made_up_module:run/0", "made_up_module.erl", 3)
      .location(1, [[1, 3]])
      .sample({ locations: [1], values: [5] });
    const capture = vscode.Uri.file(join(root, "vm.pb.gz"));
    writeFileSync(capture.fsPath, profile.gzip());
    return { source, capture };
  }

  it("each capture opens the source of its own installation", async () => {
    const installations = roots.map(installed);
    for (const { source, capture } of [...installations, ...installations]) {
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: capture });
      await open("made_up_module:run/0");
      assert.equal(activeFile(), vscode.Uri.file(source).toString());
      assert.equal(vscode.window.activeTextEditor?.selection.active.line, 2);
    }
  });

  it("a file picked for a VM of one is not the answer for a VM of the other", async () => {
    const [first, second] = roots.map(installed);
    assert.ok(first && second);
    // Beside the first installation, which no longer has the source.
    const picked = join(dirname(first.capture.fsPath), "made_up_module.erl");
    renameSync(first.source, picked);
    await vscode.commands.executeCommand("extrospect.forgetSources");
    const { showWarningMessage, showOpenDialog } = vscode.window;
    Object.assign(vscode.window, {
      showWarningMessage: (_: string, pick: string) => Promise.resolve(pick),
      showOpenDialog: () => Promise.resolve([vscode.Uri.file(picked)]),
    });
    try {
      for (const [capture, source] of [
        [first.capture, picked],
        [second.capture, second.source],
        [first.capture, picked],
      ] as const) {
        await vscode.commands.executeCommand("extrospect.openCapture", { uri: capture });
        await open("made_up_module:run/0");
        assert.equal(activeFile(), vscode.Uri.file(source).toString());
      }
    } finally {
      Object.assign(vscode.window, { showWarningMessage, showOpenDialog });
      await vscode.commands.executeCommand("extrospect.forgetSources");
    }
  });
});
