import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { api } from "./demo-shop.js";

function helpersOfThisHost(): string[] {
  const children = readFileSync(`/proc/self/task/${String(process.pid)}/children`, "utf8").trim().split(" ");
  return children.filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "extrospect");
}

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

describe("activation", () => {
  it("gives other extensions the captures and the recording", async () => {
    const { captures, recording } = await api();
    assert.deepEqual(captures.all, []);
    assert.equal(recording.phase, "none");
  });

  it("starts the helper when it is first needed, not before", async () => {
    const { helper } = await api();
    assert.deepEqual(helpersOfThisHost(), []);
    await helper.request("extrospect/list", {});
    assert.equal(helpersOfThisHost().length, 1);
  });

  it("registers every declared command", async () => {
    await api();
    const there = new Set(await vscode.commands.getCommands(true));
    const manifest = vscode.extensions.getExtension("extrospect.extrospect")?.packageJSON as Manifest;
    const missing = manifest.contributes.commands.map(({ command }) => command).filter((command) => !there.has(command));
    assert.deepEqual(missing, []);
  });
});
