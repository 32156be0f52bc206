import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as vscode from "vscode";
import { api, captured, messagesDuring } from "./demo-shop.js";

/** Command lines of whatever runs. */
function commandLines(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()] : [];
    } catch {
      return []; // It has ended.
    }
  });
}

describe("a helper that sudo or doas starts", () => {
  const set = async (name: "path" | "startBy", value: string | undefined) => {
    await vscode.workspace.getConfiguration("extrospect.helper").update(name, value, vscode.ConfigurationTarget.Global);
  };
  const restart = () => vscode.commands.executeCommand("extrospect.restartHelper");
  const program = () => {
    const extension = vscode.extensions.getExtension("extrospect.extrospect");
    return `${extension?.extensionPath ?? ""}/dist/helper/linux-x64/extrospect`;
  };

  after(async () => {
    await set("startBy", undefined);
    await set("path", undefined);
    await restart();
  });

  it("captures as usual by sudo", async () => {
    await set("path", program());
    await set("startBy", "sudo");
    assert.deepEqual(await messagesDuring(restart), []);
    const expected = `sudo -n ${program()} serve --stdio`;
    assert.ok(commandLines().includes(expected), commandLines().join("\n"));
    const { captures } = await api();
    const { uri } = await captured(1);
    assert.ok((captures.get(uri)?.capture.totals.samples ?? 0) > 0);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
  });

  it("shows why doas refuses, and the rule that would permit it", async () => {
    await set("path", program());
    await set("startBy", "doas");
    const [said = "", ...more] = await messagesDuring(restart);
    assert.deepEqual(more, []);
    assert.match(said, /^Doas does not start the helper .*: doas: /);
    assert.match(said, /permit nopass USER as root cmd .*\/extrospect/);
  });
});
