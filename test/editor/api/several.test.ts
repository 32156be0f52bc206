import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { api, eventually, tidied } from "./demo-shop.js";
import { startCluster, type ErlangCluster } from "./erlang-cluster.js";

interface Several {
  readonly uri: vscode.Uri;
  readonly nodes: readonly { readonly node: string; readonly pid: number; readonly uri: vscode.Uri }[];
  readonly refused: readonly { readonly name: string; readonly why: string }[];
}

/** No VM. */
const NOBODY = 4_194_000;

describe("three nodes of a cluster", () => {
  let cluster: ErlangCluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(async () => {
    (cluster as ErlangCluster | undefined)?.stop();
    await tidied();
  });

  const attach = (pids: readonly number[], more: object = {}) =>
    vscode.commands.executeCommand<Several | undefined>("extrospect.attachSeveral", {
      targets: pids.map((pid) => ({ pid })),
      frequencyHz: 499,
      durationSeconds: 0,
      ...more,
    });
  const names = () => cluster.nodes.map(({ name }) => name);

  it("are captured together, shown as one, and each has its own file", async () => {
    const { captures, recording } = await api();
    const started = await attach(cluster.nodes.map(({ pid }) => pid));
    assert.ok(started);
    assert.deepEqual([started.nodes.map(({ node }) => node), started.refused], [names(), []]);
    const opened = captures.current;
    assert.ok(opened);
    assert.deepEqual(
      [opened.uri.toString(), opened.live, recording.isCapturing, recording.target],
      [started.uri.toString(), true, true, undefined],
    );
    const { capture } = opened;
    const nodes = () => new Map(capture.nodeShares().map(({ name, busy }) => [name, busy]));
    const sorted = (node: string) =>
      capture
        .top({ nodes: [node] })
        .rows.filter(({ name }) => /^lists:(?:split|[rf]?merge)/.test(name))
        .reduce((sum, { total }) => sum + total, 0);
    await eventually(
      "busy samples of each",
      () => names().every((name) => (nodes().get(name) ?? 0) > 20) && sorted("sorter@127.0.0.1") > 0,
    );
    // The file of each is in use, though none is open by itself.
    for (const { uri } of started.nodes) {
      assert.equal(captures.withFile(uri), opened);
      await vscode.commands.executeCommand("extrospect.deleteCapture", { uri });
      assert.ok(existsSync(uri.fsPath));
    }
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.deepEqual([recording.isCapturing, opened.live], [false, false]);

    // A node shows exactly the contents of its own file, all of it.
    let samples = 0;
    for (const { node, uri } of started.nodes) {
      assert.ok(existsSync(uri.fsPath));
      await vscode.commands.executeCommand("extrospect.openCapture", { uri });
      const alone = captures.get(uri)?.capture;
      assert.ok(alone);
      assert.deepEqual(capture.filteredTotals({ nodes: [node] }), alone.totals, node);
      assert.equal(alone.facts.target?.node, node);
      assert.deepEqual(capture.classSplit({ nodes: [node] }), alone.classSplit());
      samples += alone.totals.samples;
    }
    assert.equal(capture.totals.samples, samples);
    assert.ok(sorted("sorter@127.0.0.1") > 0);
    assert.equal(sorted("coder@127.0.0.1"), 0);
    assert.ok(
      capture
        .facets()
        .processes.every(({ value }) => value === "" || names().some((name) => value.endsWith(` · ${name}`))),
    );
    assert.ok(recording.refreshCost.count >= 1);

    // Found again by the contents of the files.
    const [first] = started.nodes;
    assert.ok(first);
    for (const { uri } of captures.all) captures.close(uri);
    await vscode.commands.executeCommand("extrospect.openTogether", { uri: first.uri });
    const again = captures.current;
    assert.deepEqual([...(again?.files?.keys() ?? [])].sort(), [...names()].sort());
    assert.equal(again?.capture.totals.samples, samples);
    assert.deepEqual(
      again?.capture.facts.nodes?.map(({ problem, clockAheadMs }) => [problem, clockAheadMs]),
      [
        [undefined, 0],
        [undefined, 0],
        [undefined, 0],
      ],
    );

    await vscode.commands.executeCommand("extrospect.compareNodes", {
      base: "sorter@127.0.0.1",
      new: "coder@127.0.0.1",
    });
    await eventually("the comparison", () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.startsWith("Compare: "))),
    );
  });

  it("one that refuses does not keep the others, and one that ends leaves them running", async () => {
    const { captures, recording } = await api();
    const [sorter, coder] = cluster.nodes;
    assert.ok(sorter && coder);
    const started = await attach([sorter.pid, NOBODY, coder.pid]);
    assert.deepEqual(
      [started?.nodes.map(({ pid }) => pid), started?.refused.map(({ name }) => name)],
      [[sorter.pid, coder.pid], [String(NOBODY)]],
    );
    const opened = captures.current;
    assert.ok(opened?.files);
    const busyOf = (name: string) => opened.capture.nodeShares().find((share) => share.name === name)?.busy ?? 0;
    await eventually("samples of both", () => busyOf(sorter.name) > 0 && busyOf(coder.name) > 0);
    coder.kill();
    await eventually("the end of one", async () => {
      const file = opened.files?.get(coder.name);
      return file !== undefined && existsSync(file.fsPath) && recording.runningNames.join() === sorter.name;
    });
    const then = busyOf(sorter.name);
    await eventually("more samples of the other", () => busyOf(sorter.name) > then);
    assert.ok(recording.isCapturing && opened.live);
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.equal(recording.isCapturing, false);
    assert.ok(busyOf(coder.name) > 0, "what came before is kept");
  });

  it("none that can be attached to: the view stays as it was", async () => {
    const { captures, recording } = await api();
    const inView = captures.current;
    assert.equal(await attach([NOBODY, NOBODY + 1]), undefined);
    assert.deepEqual([captures.current, recording.isCapturing], [inView, false]);
    await assert.rejects(
      Promise.resolve(vscode.commands.executeCommand("extrospect.attachSeveral", { targets: [{ pid: "x" }] })),
      /targets/,
    );
  });
});
