import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { measuredLine } from "../../measured.mjs";
import { api, tidied } from "./demo-shop.js";

/** Extensions whose events were met at the start are active by then. */
const START_MS = 3_000;

/** How long this thread was ready but had no processor, because others kept them busy; milliseconds since it began. */
function waitedMs(): number {
  const [, waitedNs] = readFileSync("/proc/self/schedstat", "utf8").split(" ");
  return Number(waitedNs) / 1e6;
}

describe("a folder without Erlang or Elixir", () => {
  after(tidied);

  it("leaves the extension asleep", async () => {
    const document = await vscode.workspace.openTextDocument(
      vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/"), "notes.txt"),
    );
    await vscode.window.showTextDocument(document);
    await sleep(START_MS);
    assert.equal(vscode.extensions.getExtension("extrospect.extrospect")?.isActive, false);
  });

  it("a command wakes it", async () => {
    await vscode.commands.executeCommand("extrospect.refreshCaptures");
    assert.equal(vscode.extensions.getExtension("extrospect.extrospect")?.isActive, true);
  });

  it("opens a capture of a million samples", async () => {
    const { captures } = await api();
    const file = process.env["EXTROSPECT_LARGE_CAPTURE"];
    assert.ok(file !== undefined && existsSync(file), "EXTROSPECT_LARGE_CAPTURE is set");
    const uri = vscode.Uri.file(file);
    const [startedMs, waitedBefore] = [performance.now(), waitedMs()];
    const inView = new Promise<{ ms: number; waited: number }>((resolve) => {
      captures.onDidChangeCurrent(() =>
        resolve({ ms: performance.now() - startedMs, waited: waitedMs() - waitedBefore }),
      );
    });
    await vscode.commands.executeCommand("extrospect.openCapture", { uri });
    const wholeMs = performance.now() - startedMs;
    const { ms: inViewMs, waited } = await inView;
    const ms = inViewMs - waited;
    const samples = captures.get(uri)?.capture.totals.samples ?? 0;
    console.log(
      measuredLine(
        "editor, from opening a capture to its heat",
        ms,
        `a million samples; waiting for a processor, ${waited.toFixed(0)} ms, not counted; with the tab ${wholeMs.toFixed(0)} ms`,
      ),
    );
    assert.ok(samples >= Number(process.env["EXTROSPECT_LARGE_SAMPLES"]), `${String(samples)} samples`);
  });
});
