import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { measuredLine } from "../../measured.mjs";
import { fileName } from "../../../extension/src/text/base-name.js";
import {
  api,
  capturedWithOwnTime,
  demoPid,
  eventually,
  figuresOf,
  headLine,
  hottestLineOf,
  hoverOf,
  PRICING,
  shopFile,
  tidied,
  unescaped,
  type Attached,
} from "./demo-shop.js";

const WATCHED_MS = 8_000;

/** Processor time of the extension host, all threads, as a share of the time that passed. Others that keep the machine busy do not count. */
async function processorShare(watchedMs: number): Promise<number> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await sleep(watchedMs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (performance.now() - startedMs);
}

describe("while a capture runs", () => {
  afterEach(async () => {
    await vscode.commands.executeCommand("extrospect.stopCapture");
    await tidied();
  });

  async function attached(): Promise<Attached> {
    const started = await vscode.commands.executeCommand<Attached | undefined>("extrospect.attach", {
      pid: demoPid(),
      durationSeconds: 0,
      frequencyHz: 499,
    });
    assert.ok(started);
    return started;
  }

  it("the first lens comes", async () => {
    const uri = shopFile(PRICING);
    await vscode.window.showTextDocument(uri);
    const startedMs = performance.now();
    await attached();
    await eventually("a lens", async () => (await figuresOf(uri)).size > 0);
    console.log(
      measuredLine("editor, from choosing a VM to the first lens", performance.now() - startedMs, "by command"),
    );
  });

  it("samples grow, and every hot function has one lens, at its head", async () => {
    const { captures } = await api();
    const uri = shopFile(PRICING);
    const started = await attached();
    const samples = () => captures.get(started.uri)?.capture.totals.samples ?? 0;
    await eventually("samples", () => samples() > 0);
    const first = samples();
    await eventually("more samples", () => samples() > 2 * first);
    assert.equal(captures.current?.uri.toString(), started.uri.toString());
    assert.equal(captures.current?.live, true);
    for (const name of ["best_price(", "redeem("]) {
      // Those with fewer samples come later.
      await eventually(`the lens of ${name}`, async () =>
        /% own/.test((await figuresOf(uri)).get(headLine(uri, name)) ?? ""),
      );
    }
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
    const named = lenses
      .map(({ command }) => (command?.arguments?.[0] as { functionName?: string } | undefined)?.functionName)
      .filter((name) => name?.startsWith("demo_pricing:best_price/2"));
    assert.equal(named.length, 1, "all clauses have one lens together");
  });

  it("refreshes come, with lenses and a flame graph in sight", async () => {
    const { recording } = await api();
    await vscode.window.showTextDocument(shopFile(PRICING));
    // The extension host's other work, to be taken off.
    const idle = await processorShare(WATCHED_MS / 2);
    await attached();
    await vscode.commands.executeCommand("extrospect.showFlameGraph");
    await eventually("the first refreshes", () => recording.refreshCost.count >= 2);
    const before = recording.refreshCost.count;
    const live = await processorShare(WATCHED_MS);
    await eventually("five refreshes more", () => recording.refreshCost.count - before >= 5);
    const count = recording.refreshCost.count - before;
    const wholeMs = ((live - idle) * WATCHED_MS) / count;
    console.log(
      measuredLine(
        "editor, refresh of a live capture",
        recording.refreshCost.medianMs,
        "with lenses and a flame graph in sight",
      ),
    );
    // All threads of the extension host, including its compiler and collector, with all their work during that time.
    console.log(
      measuredLine(
        "editor, refresh of a live capture and what follows it",
        wholeMs,
        "processor time of the extension host",
      ),
    );
  });

  it("the baseline applies when the capture ends, without anything else being opened", async () => {
    const source = shopFile(PRICING);
    const before = await capturedWithOwnTime("demo_pricing:best_price/2");
    await vscode.commands.executeCommand("extrospect.setBaseline", { uri: before.uri });
    try {
      const { captures } = await api();
      const started = await attached();
      const line = () => hottestLineOf("demo_pricing:best_price/2").catch(() => -1);
      await eventually("time of its own", async () => (await line()) >= 0);
      const since = async () => {
        const hover = unescaped(await hoverOf(source, await line()));
        return hover.includes(`${fileName(before.uri)}: `);
      };
      assert.equal(await since(), false, "what still grows is not compared");
      await vscode.commands.executeCommand("extrospect.stopCapture");
      assert.equal(captures.current?.uri.toString(), started.uri.toString());
      await eventually("the change since the baseline", since);
    } finally {
      await vscode.commands.executeCommand("extrospect.clearBaseline");
    }
  });

  it("a capture that is being written is neither renamed nor deleted, and continues", async () => {
    const { captures } = await api();
    const { uri } = await attached();
    for (const command of ["extrospect.renameCapture", "extrospect.deleteCapture"])
      await vscode.commands.executeCommand(command, { uri });
    await vscode.workspace.fs.stat(uri);
    assert.equal(captures.get(uri)?.live, true);
    await vscode.commands.executeCommand("notifications.clearAll");
  });
});
