import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import * as vscode from "vscode";
import { api, eventually, messagesDuring, type Attached } from "./demo-shop.js";

/** Functions of `gt_names.so` that nothing but its debug file names. */
const HIDDEN = "hidden_inner_loop";

describe("debug files", () => {
  const folder = process.env["EXTROSPECT_NAMES_FOLDER"] ?? "";
  const asked: string[] = [];
  /** The content of each answer, for the debug file that is there. */
  let answers: Buffer | undefined;
  let server: Server;
  let vm: ChildProcess;
  let pid = 0;

  before(async () => {
    vm = spawn("erl", ["-noshell", "-pa", folder, "-s", "gt_names", "main"], { stdio: ["pipe", "pipe", "inherit"] });
    assert.ok(vm.stdout);
    const [line] = (await once(vm.stdout, "data")) as [Buffer];
    pid = (JSON.parse(line.toString()) as { pid: number }).pid;
    server = createServer((request, response) => {
      asked.push(request.url ?? "");
      // Whatever is requested: a file of another build is not taken.
      response.writeHead(answers === undefined ? 500 : 200).end(answers);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(async () => {
    vm.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
    await set("fetch", undefined);
    await set("servers", undefined);
  });

  const set = async (name: "fetch" | "servers", value: unknown) => {
    await vscode.workspace
      .getConfiguration("extrospect.debuginfod")
      .update(name, value, vscode.ConfigurationTarget.Global);
  };

  const namesOfCapture = async (): Promise<readonly string[]> => {
    const { captures, recording } = await api();
    const attached = await vscode.commands.executeCommand<Attached | undefined>("extrospect.attach", {
      pid,
      durationSeconds: 0,
      frequencyHz: 997,
    });
    assert.ok(attached);
    const names = () => captures.get(attached.uri)?.capture.functions.map(({ name }) => name) ?? [];
    await eventually("samples in the library", () =>
      names().some((name) => name.startsWith("gt_names.so!") || name === HIDDEN),
    );
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.equal(recording.isCapturing, false);
    const seen = names();
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: attached.uri.toString() });
    return seen;
  };

  it("are fetched only if the user permits it", async () => {
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    await set("servers", [`http://127.0.0.1:${String(address.port)}`]);
    for (const fetch of ["environment", "never"]) {
      await set("fetch", fetch);
      assert.ok(!(await namesOfCapture()).includes(HIDDEN));
    }
    assert.deepEqual(asked, []);
  });

  it("cost one message when no server has any, and the capture goes on without", async () => {
    await set("fetch", "always");
    const said = await messagesDuring(async () => {
      assert.ok(!(await namesOfCapture()).includes(HIDDEN));
      assert.ok(!(await namesOfCapture()).includes(HIDDEN));
    });
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0] ?? "", /No debug files could be fetched.*500/);
    assert.ok(asked.length > 0);
  });

  it("come from the server of the settings and give functions their names", async () => {
    answers = readFileSync(join(folder, "debug-files/gt_names.so.debug"));
    await set("fetch", "always");
    const names = await namesOfCapture();
    assert.ok(names.includes(HIDDEN) && !names.some((name) => name.startsWith("gt_names.so!")), names.join(" "));
  });
});
