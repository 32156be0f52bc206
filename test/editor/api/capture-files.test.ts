import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { api, endedBy, eventually, isDoneWithin, messagesDuring, shopFile, tidied } from "./demo-shop.js";

const FIXTURES = join(__dirname, "../../test/unit/capture/fixtures");
/** How long a question must have waited to be one. */
const WAITING_MS = 1_500;
/** For a command that waits for no answer, on a busy machine. */
const DONE_MS = 30_000;

function fixture(name: string, as: string): vscode.Uri {
  const uri = shopFile(`captures/${as}`);
  mkdirSync(shopFile("captures").fsPath, { recursive: true });
  copyFileSync(join(FIXTURES, name), uri.fsPath);
  return uri;
}

describe("files of captures", () => {
  afterEach(tidied);

  it("the capture in the tab in front is the one in view", async () => {
    const { captures } = await api();
    const [one, other] = [fixture("demo.pb.gz", "one.pb.gz"), fixture("go-cpu.pb.gz", "other.pb.gz")];
    const isInView = (uri: vscode.Uri) => () => captures.current?.uri.toString() === uri.toString();
    for (const uri of [one, other]) {
      await vscode.commands.executeCommand("extrospect.openCapture", { uri });
      await eventually("the opened one in view", isInView(uri));
    }
    await vscode.commands.executeCommand("workbench.action.previousEditor");
    await eventually("the first one in view", isInView(one));
    await vscode.commands.executeCommand("workbench.action.nextEditor");
    await eventually("the second one in view", isInView(other));
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: other });
    await eventually("the first one in view", isInView(one));
  });

  it("a panel stays with its capture, and closes with it", async () => {
    const { captures } = await api();
    const [one, other] = [fixture("demo.pb.gz", "one.pb.gz"), fixture("go-cpu.pb.gz", "other.pb.gz")];
    const titles = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs.map(({ label }) => label))
        .filter((label) => label.startsWith("Hot Functions"));
    await vscode.commands.executeCommand("extrospect.showTop", { uri: one });
    await eventually("its panel", () => titles().length === 1);
    const [own] = titles();
    await vscode.commands.executeCommand("extrospect.showTop", { uri: other });
    await eventually("one of each", () => titles().length === 2);
    assert.ok(titles().some((title) => title === own));
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: one });
    await eventually("the one of the other", () => titles().length === 1);
    assert.notDeepEqual(titles(), [own]);
    assert.equal(captures.current?.uri.toString(), other.toString());
  });

  it("a file that cannot be opened gives a message, and nothing changes", async () => {
    const { captures } = await api();
    assert.equal(
      await vscode.commands.executeCommand("extrospect.openCapture", {
        uri: shopFile("captures/none.pb.gz").toString(),
      }),
      undefined,
    );
    assert.deepEqual(captures.all, []);
    assert.deepEqual(
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs),
      [],
    );
  });

  for (const command of ["showTop", "showFlameGraph", "showBlame"]) {
    it(`${command} shows the capture of an absolute path, not the one in view`, async () => {
      const { captures } = await api();
      const [one, other] = [fixture("demo.pb.gz", "one.pb.gz"), fixture("go-cpu.pb.gz", "other.pb.gz")];
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: one });
      await vscode.commands.executeCommand(`extrospect.${command}`, { uri: other.fsPath });
      assert.equal(captures.current?.uri.toString(), other.toString());
    });
  }

  for (const { what, uri } of [
    { what: "a relative path", uri: "captures/other.pb.gz" },
    { what: "a number", uri: 5 },
    { what: "no text at all", uri: "" },
    { what: "an address without a file", uri: "file:///" },
    { what: "a part of an address", uri: { path: "/x" } },
  ]) {
    it(`takes ${what} for no capture: no command does anything`, async () => {
      const { captures } = await api();
      const [inView, other] = [fixture("demo.pb.gz", "one.pb.gz"), fixture("go-cpu.pb.gz", "other.pb.gz")];
      await vscode.commands.executeCommand("extrospect.openCapture", { uri: inView });
      const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
      const before = tabs();
      for (const command of [
        "openCapture",
        "closeCapture",
        "renameCapture",
        "deleteCapture",
        "revealCapture",
        "showTop",
        "showFlameGraph",
        "showBlame",
      ]) {
        // A command that prompted for something would wait here for ever.
        const said = await messagesDuring(() => vscode.commands.executeCommand(`extrospect.${command}`, { uri }));
        assert.equal(said.length, 1, command);
        assert.match(said[0] ?? "", /names no capture: .* Set `uri` to an absolute path/, command);
        assert.equal(captures.current?.uri.toString(), inView.toString(), command);
        assert.deepEqual(
          captures.all.map((opened) => opened.uri.toString()),
          [inView.toString()],
          command,
        );
        assert.deepEqual(tabs(), before, command);
      }
      for (const file of [inView, other]) assert.ok(existsSync(file.fsPath));
    });
  }

  it("imports the profile of another tool as a capture, which has its format in its name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "extrospect-import-"));
    const folded = join(folder, "work.folded");
    writeFileSync(folded, "main;work 3\nmain;idle 2\n");
    const { showOpenDialog } = vscode.window;
    Object.assign(vscode.window, { showOpenDialog: () => Promise.resolve([vscode.Uri.file(folded)]) });
    const imported: vscode.Uri[] = [];
    try {
      const answer = await vscode.commands.executeCommand<{ readonly uris: readonly vscode.Uri[] }>(
        "extrospect.importCaptures",
      );
      imported.push(...answer.uris);
      const [uri] = imported;
      assert.ok(uri && imported.length === 1);
      assert.equal(basename(uri.fsPath), "work.folded.pb.gz");
      assert.deepEqual([...readFileSync(uri.fsPath).subarray(0, 2)], [0x1f, 0x8b]);
      await vscode.commands.executeCommand("extrospect.openCapture", { uri });
      const { captures } = await api();
      assert.equal(captures.current?.uri.toString(), uri.toString());
      assert.equal(captures.current?.capture.totals.samples, 5);
    } finally {
      Object.assign(vscode.window, { showOpenDialog });
      for (const { fsPath } of imported) rmSync(fsPath, { force: true });
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("copies the listed captures to a folder, as they are", async () => {
    const folder = mkdtempSync(join(tmpdir(), "extrospect-export-"));
    const files = [fixture("demo.pb.gz", "one.pb.gz"), fixture("go-cpu.pb.gz", "other.pb.gz")];
    // One of that name stays.
    writeFileSync(join(folder, "other.pb.gz"), "mine");
    const { showOpenDialog } = vscode.window;
    Object.assign(vscode.window, { showOpenDialog: () => Promise.resolve([vscode.Uri.file(folder)]) });
    try {
      const said = await messagesDuring(() => vscode.commands.executeCommand("extrospect.exportCaptures"));
      const copies = readdirSync(folder).filter((name) => name !== "other.pb.gz");
      assert.deepEqual(said, [`${String(copies.length)} captures are in ${folder} now.`]);
      const bytes = copies.map((name) => readFileSync(join(folder, name)));
      for (const { fsPath } of files)
        assert.ok(
          bytes.some((copy) => copy.equals(readFileSync(fsPath))),
          `${fsPath} among ${copies.join(", ")}`,
        );
      assert.equal(readFileSync(join(folder, "other.pb.gz"), "utf8"), "mine");
    } finally {
      Object.assign(vscode.window, { showOpenDialog });
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("prompts for a name before it renames", async () => {
    const uri = fixture("demo.pb.gz", "kept.pb.gz");
    const renaming = vscode.commands.executeCommand("extrospect.renameCapture", { uri });
    assert.equal(await isDoneWithin(WAITING_MS, renaming), false, "the question waits");
    await endedBy("workbench.action.closeQuickOpen", renaming);
    assert.ok(existsSync(uri.fsPath));
  });

  it("deletes nothing without a confirmation", async () => {
    const uri = fixture("demo.pb.gz", "kept.pb.gz");
    await vscode.commands.executeCommand("extrospect.openCapture", { uri });
    // An editor that runs tests answers questions of this kind with a refusal.
    const deleting = vscode.commands.executeCommand("extrospect.deleteCapture", { uri });
    assert.ok(await isDoneWithin(DONE_MS, deleting));
    assert.deepEqual(readFileSync(uri.fsPath), readFileSync(join(FIXTURES, "demo.pb.gz")));
    const { captures } = await api();
    assert.ok(captures.get(uri), "it stays open");
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  it("reveals a file", async () => {
    const uri = fixture("demo.pb.gz", "kept.pb.gz");
    await vscode.commands.executeCommand("extrospect.openCapture", { uri });
    assert.ok(await isDoneWithin(10_000, vscode.commands.executeCommand("extrospect.revealCapture", { uri })));
  });
});
