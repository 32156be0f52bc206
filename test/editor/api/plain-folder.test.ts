import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";

/** Extensions whose events were met at the start are active by then. */
const START_MS = 3_000;

describe("a folder without Erlang or Elixir", () => {
  it("leaves the extension asleep", async () => {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/"), "notes.txt"));
    await vscode.window.showTextDocument(document);
    await sleep(START_MS);
    assert.equal(vscode.extensions.getExtension("extrospect.extrospect")?.isActive, false);
  });

  it("a command wakes it", async () => {
    await vscode.commands.executeCommand("extrospect.refreshCaptures");
    assert.equal(vscode.extensions.getExtension("extrospect.extrospect")?.isActive, true);
  });
});
