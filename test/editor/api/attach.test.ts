import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { measuredLine } from "../../measured.mjs";
import { api, captured, demoPid, eventually, messagesDuring, shopFile, tidied } from "./demo-shop.js";

describe("attach by arguments", () => {
  it("captures without a prompt, and returns the address of the capture", async () => {
    const { captures, recording } = await api();
    const { pid, uri } = await captured(5);
    assert.equal(pid, demoPid());
    assert.ok(uri.fsPath.startsWith(shopFile("captures").fsPath), uri.fsPath);
    assert.ok(existsSync(uri.fsPath));
    const opened = captures.get(uri);
    assert.ok(opened, "it stays open");
    assert.equal(opened.live, false);
    const { capture } = opened;
    assert.ok(capture.totals.samples > 0, `${String(capture.totals.samples)} samples`);
    assert.ok(
      capture.functions.some(
        ({ name, file }) => name === "demo_pricing:best_price/2" && file.endsWith("demo_pricing.erl"),
      ),
    );
    const { medianMs, count } = recording.refreshCost;
    console.log(measuredLine("editor, refresh of a live capture", medianMs, "after attaching by arguments"));
    assert.ok(count >= 1, `${String(count)} refreshes`);
  });

  it("names the commit of the workspace, from the start, and its sources at the end", async () => {
    const { captures } = await api();
    const top = shopFile("").fsPath;
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], {
        cwd: top,
        encoding: "utf8",
      }).trim();
    git("init", "-q", "-b", "main");
    try {
      git("add", "demo");
      git("commit", "-qm", "first");
      const commit = git("rev-parse", "HEAD");
      const { uri } = await captured(2);
      assert.match(uri.fsPath, new RegExp(`-${commit.slice(0, 7)}(-\\d+)?\\.pb\\.gz$`));
      const facts = () => captures.get(uri)?.capture.facts;
      assert.equal(facts()?.origin?.commit, commit);
      assert.equal(facts()?.origin?.branch, "main");
      await eventually("the sources", () => facts()?.origin?.sources["demo/src/demo_pricing.erl"] !== undefined);
      assert.equal(
        facts()?.origin?.sources["demo/src/demo_pricing.erl"],
        git("hash-object", "--no-filters", "demo/src/demo_pricing.erl"),
      );
      assert.ok((facts()?.host?.cpus ?? 0) > 0);
      // The user's facts are appended: nothing before them changes, and the file contains them, too.
      const before = readFileSync(uri.fsPath);
      await vscode.commands.executeCommand("extrospect.pinCapture", { uri });
      assert.equal(facts()?.user?.pinned, true);
      const after = readFileSync(uri.fsPath);
      assert.ok(after.length > before.length && after.subarray(0, before.length).equals(before));
      await vscode.commands.executeCommand("extrospect.closeCapture", { uri });
      await vscode.commands.executeCommand("extrospect.openCapture", { uri });
      await eventually("the capture again", () => facts() !== undefined);
      assert.deepEqual([facts()?.user?.pinned, facts()?.origin?.commit], [true, commit]);
    } finally {
      rmSync(join(top, ".git"), { recursive: true, force: true });
    }
  });

  it("runs until stopped on request", async () => {
    const { captures, recording } = await api();
    const attached = await vscode.commands.executeCommand<{ uri: vscode.Uri } | undefined>("extrospect.attach", {
      pid: demoPid(),
      durationSeconds: 0,
    });
    assert.ok(attached);
    await eventually("samples", () => (captures.get(attached.uri)?.capture.totals.samples ?? 0) > 0);
    assert.equal(captures.get(attached.uri)?.live, true);
    assert.equal(recording.phase, "recording");
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.equal(captures.get(attached.uri)?.live, false);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: attached.uri.toString() });
    assert.equal(captures.get(attached.uri), undefined);
    assert.ok(existsSync(attached.uri.fsPath), "the file stays");
  });

  it("two requests at once start one capture, with a message", async () => {
    const { captures, recording } = await api();
    const attach = (pid: number) =>
      vscode.commands.executeCommand<{ uri: vscode.Uri } | undefined>("extrospect.attach", { pid, durationSeconds: 0 });
    const open = captures.all.length;
    let answers: readonly ({ uri: vscode.Uri } | undefined)[] = [];
    // The second is of another VM as far as can be known: it is not attached to.
    const messages = await messagesDuring(async () => {
      answers = await Promise.all([attach(demoPid()), attach(process.pid), attach(demoPid())]);
    });
    const [attached, ...others] = answers;
    assert.ok(attached);
    assert.deepEqual([others, captures.all.length], [[undefined, undefined], open + 1]);
    assert.equal(messages.length, 1, messages.join("; "));
    assert.match(messages[0] ?? "", /^Another capture is being started/);
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.deepEqual([recording.isCapturing, captures.all.filter(({ live }) => live)], [false, []]);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: attached.uri });
  });

  it("is stopped by its address, and by no other", async () => {
    const { captures, recording } = await api();
    const attached = await vscode.commands.executeCommand<{ uri: vscode.Uri } | undefined>("extrospect.attach", {
      pid: demoPid(),
      durationSeconds: 0,
    });
    assert.ok(attached);
    const other = vscode.Uri.joinPath(attached.uri, "../other.pb.gz");
    assert.equal(await vscode.commands.executeCommand("extrospect.stopCapture", { uri: other }), undefined);
    assert.deepEqual([recording.isCapturing, captures.get(attached.uri)?.live], [true, true]);
    await vscode.commands.executeCommand("extrospect.stopCapture", { uri: attached.uri });
    assert.deepEqual([recording.isCapturing, captures.get(attached.uri)?.live], [false, false]);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: attached.uri });
  });

  it("continues when Where Processes Spend Their Time ends its own capture", async () => {
    const { captures, recording } = await api();
    const watching = vscode.commands.executeCommand<{ cpu: vscode.Uri } | undefined>("extrospect.watchTime", {
      pid: demoPid(),
      durationSeconds: 15,
    });
    await eventually("its capture", () => recording.isCapturing);
    const own = await vscode.commands.executeCommand<vscode.Uri | undefined>("extrospect.stopCapture");
    const attached = await vscode.commands.executeCommand<{ uri: vscode.Uri } | undefined>("extrospect.attach", {
      pid: demoPid(),
      durationSeconds: 0,
    });
    assert.ok(own && attached);
    assert.equal((await watching)?.cpu.toString(), own.toString());
    assert.deepEqual([recording.isCapturing, captures.get(attached.uri)?.live], [true, true]);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: attached.uri });
    assert.equal(recording.isCapturing, false, "closing it ends it");
    await tidied();
  });

  for (const [given, reason] of [
    [{ pid: "all" }, /pid must be a process id/],
    [{ pid: -1 }, /pid must be a process id/],
    [{ pid: 1.5 }, /pid must be a process id/],
    [{ pid: 1, frequencyHz: 0 }, /frequencyHz must be a whole number from 1 to 10000/],
    [{ pid: 1, frequencyHz: 10_001 }, /frequencyHz must be a whole number from 1 to 10000/],
    [{ pid: 1, durationSeconds: -1 }, /durationSeconds must be a number of seconds, or 0/],
    [{ pid: 1, durationSeconds: "5" }, /durationSeconds must be a number of seconds, or 0/],
    [{ pid: 1, kernelFrames: "yes" }, /kernelFrames must be true or false/],
  ] as const) {
    it(`refuses ${JSON.stringify(given)}, and names the invalid member`, async () => {
      const { recording } = await api();
      await assert.rejects(Promise.resolve(vscode.commands.executeCommand("extrospect.attach", given)), reason);
      assert.equal(recording.isCapturing, false);
    });
  }

  it("starts nothing with a process that is no VM, or that is not there", async () => {
    const { captures, recording } = await api();
    for (const pid of [process.pid, 4_194_303]) {
      const open = captures.all.length;
      assert.equal(await vscode.commands.executeCommand("extrospect.attach", { pid, durationSeconds: 1 }), undefined);
      assert.equal(recording.isCapturing, false);
      assert.equal(captures.all.length, open);
    }
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  it("finds the VM among those of the machine", async () => {
    const { helper } = await api();
    const { beams } = await helper.request("extrospect/list", {});
    assert.ok(beams.some(({ pid }) => pid === demoPid()));
  });
});
