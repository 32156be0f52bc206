// No source text ever goes to the helper, and nothing of the workspace: shown against a server that requests all of it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { test, type TestContext } from "node:test";
import { build } from "esbuild";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type { LanguageClient } from "vscode-languageclient/node";

interface Bundle {
  readonly FeaturelessClient: typeof LanguageClient;
  readonly LanguageClient: typeof LanguageClient;
  readonly vscode: { fire(event: string, value: unknown): void; document: unknown; folder: unknown };
}

async function bundled(t: TestContext): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-client-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const outfile = join(folder, "client.cjs");
  await build({
    stdin: {
      contents: `
        export { FeaturelessClient } from "./extension/src/helper/featureless-client.ts";
        export { LanguageClient } from "vscode-languageclient/node";
        export const vscode = require("vscode");
      `,
      resolveDir: resolve("."),
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "error",
    alias: { vscode: resolve("test/unit/helper/editor-stub.cjs") },
  });
  return createRequire(outfile)(outfile) as Bundle;
}

/** Starts a client, changes everything there is to change, and returns the messages that the server received. */
async function heardBy(Client: typeof LanguageClient, { vscode }: Bundle) {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const server = createMessageConnection(new StreamMessageReader(toServer), new StreamMessageWriter(toClient));
  const heard: { method: string; params: unknown }[] = [];
  server.onRequest((method, params) => {
    heard.push({ method, params });
    const greedy = {
      textDocumentSync: { openClose: true, change: 1, save: { includeText: true } },
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      experimental: {},
    };
    return method === "initialize" ? { capabilities: greedy, protocolVersion: 1 } : null;
  });
  const left = new Promise<void>((resolveLeft) => {
    server.onNotification((method, params) => {
      heard.push({ method, params });
      if (method === "exit") resolveLeft();
    });
  });
  server.listen();
  const log = Object.fromEntries(
    ["trace", "debug", "info", "warn", "error", "append", "appendLine", "show", "dispose"].map((name) => [
      name,
      () => {},
    ]),
  );
  const channel = { ...log, name: "stub", logLevel: 3, onDidChangeLogLevel: () => ({ dispose: () => {} }) };
  const client = new Client("extrospect", "Extrospect", () => Promise.resolve({ reader: toClient, writer: toServer }), {
    documentSelector: [{ scheme: "file" }],
    outputChannel: channel as never,
    initializationOptions: { protocolVersion: 1 },
  });
  await client.start();
  vscode.fire("onDidOpenTextDocument", vscode.document);
  vscode.fire("onDidChangeTextDocument", {
    document: vscode.document,
    contentChanges: [{ text: "-module(secret)." }],
    reason: undefined,
  });
  vscode.fire("onDidSaveTextDocument", vscode.document);
  vscode.fire("onDidChangeWorkspaceFolders", { added: [vscode.folder], removed: [] });
  vscode.fire("onDidChangeConfiguration", { affectsConfiguration: () => true });
  assert.deepEqual(await client.sendRequest("extrospect/list", {}), null);
  await client.stop();
  await left;
  return heard;
}

test("the helper receives the life cycle and the requests, and nothing else", async (t) => {
  const bundle = await bundled(t);
  const heard = await heardBy(bundle.FeaturelessClient, bundle);
  const methods = heard.map(({ method }) => method).filter((method) => method !== "$/setTrace");
  assert.deepEqual(methods, ["initialize", "initialized", "extrospect/list", "shutdown", "exit"]);
  assert.doesNotMatch(JSON.stringify(heard), /project|secret|module/);
  const { capabilities } = heard[0]?.params as { capabilities: unknown };
  assert.deepEqual(capabilities, {});
});

test("the language client as it comes would send all of it, so the test above can fail", async (t) => {
  const bundle = await bundled(t);
  const heard = await heardBy(bundle.LanguageClient, bundle);
  assert.ok(heard.some(({ method }) => method === "textDocument/didOpen"));
  assert.match(JSON.stringify(heard), /-module\(secret\)/);
});
