import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as vscode from "vscode";
import { api } from "./demo-shop.js";

function helpersOfThisHost(): string[] {
  const children = readFileSync(`/proc/self/task/${String(process.pid)}/children`, "utf8")
    .trim()
    .split(" ");
  return children.filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "extrospect");
}

/** The commands that the editor itself makes for each view, editor and container of Extrospect. */
const MADE_BY_EDITOR = /^extrospect\.(targets|hosts|captures)\.|^workbench\./;

interface Manifest {
  readonly activationEvents: readonly string[];
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
    const missing = manifest.contributes.commands
      .map(({ command }) => command)
      .filter((command) => !there.has(command));
    assert.deepEqual(missing, []);
  });

  it("registers no command that is not declared", async () => {
    await api();
    const manifest = vscode.extensions.getExtension("extrospect.extrospect")?.packageJSON as Manifest;
    const declared = new Set(manifest.contributes.commands.map(({ command }) => command));
    const ours = (await vscode.commands.getCommands(true)).filter(
      (command) => command.startsWith("extrospect.") && !MADE_BY_EDITOR.test(command),
    );
    assert.ok(ours.length > 20, `${String(ours.length)} commands`);
    assert.deepEqual(
      ours.filter((command) => !declared.has(command)),
      [],
    );
  });

  it("is woken by what belongs to Erlang and Elixir only", () => {
    const { activationEvents } = vscode.extensions.getExtension("extrospect.extrospect")?.packageJSON as Manifest;
    // The editor adds those of commands and custom editors.
    const own = activationEvents.filter(
      (event) => !/^on(Command|CustomEditor|View|WebviewPanel|Walkthrough):.*extrospect/.test(event),
    );
    assert.ok(own.includes("workspaceContains:rebar.config"), own.join(", "));
    assert.deepEqual(
      own.filter((event) => !/^workspaceContains:.*(rebar\.config|erlang\.mk|mix\.exs|\.app\.src)$/.test(event)),
      [],
    );
  });
});
