import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import * as vscode from "vscode";
import { api, eventually, messagesDuring, type Attached } from "./demo-shop.js";
import { setRemote, startFarVm, withRemoteSettings } from "./far-vm.js";

interface ShownRow {
  readonly label: string;
  readonly description?: string;
}

describe("the nodes that a VM knows", () => {
  const [shop, far] = ["shop@127.0.0.1", "far_shop@127.0.0.1"];
  const started: ChildProcess[] = [];
  let shopPid = 0;
  let farPid = 0;

  /** Of the user of the other host, so that the helper there may read it. */
  async function node(name: string, epmdPort: string, after: string): Promise<number> {
    const vm = await startFarVm(after, ["-start_epmd", "false", "-name", name, "-setcookie", "extrospect-test"], {
      ERL_EPMD_PORT: epmdPort,
    });
    started.push(vm);
    return vm.pid ?? 0;
  }

  before(async () => {
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const port = String((probe.address() as AddressInfo).port);
    probe.close();
    await once(probe, "close");
    started.push(spawn("epmd", ["-port", port, "-address", "127.0.0.1"], { stdio: "ignore" }));
    await eventually("epmd answers", () =>
      once(spawn("epmd", ["-port", port, "-names"], { stdio: "ignore" }), "exit").then(([code]) => code === 0),
    );
    farPid = await node(far, port, "");
    shopPid = await node(
      shop,
      port,
      `(fun Join() -> net_kernel:connect_node('${far}') orelse begin timer:sleep(100), Join() end end)(),`,
    );
  });
  after(() => {
    for (const one of started) one.kill("SIGKILL");
  });
  withRemoteSettings({ nodeHosts: { "*_shop@127.0.0.1": "$1" } });

  /** Answers the list of nodes with the row of that name. */
  async function choosing<T>(
    name: string | undefined,
    work: () => Thenable<T>,
  ): Promise<{ shown: readonly ShownRow[]; answer: T }> {
    const { showQuickPick } = vscode.window;
    let shown: readonly ShownRow[] = [];
    const put = (rows: readonly ShownRow[]) => {
      shown = rows;
      return Promise.resolve(rows.find(({ label }) => label.includes(name ?? "no row")));
    };
    Object.assign(vscode.window, { showQuickPick: put });
    try {
      const answer = await work();
      return { shown, answer };
    } finally {
      Object.assign(vscode.window, { showQuickPick });
    }
  }

  const connectedNodes = () =>
    vscode.commands.executeCommand<Attached | undefined>("extrospect.connectedNodes", { pid: shopPid });

  it("are shown with their hosts, and the one that is chosen is attached to on its host", async () => {
    const { recording, captures } = await api();
    const put = await choosing(undefined, connectedNodes);
    assert.deepEqual(
      put.shown.map(({ label, description }) => [label.replace(/^\$\([a-z-]+\) /, ""), description]),
      [[far, "connected · far"]],
    );
    assert.equal(put.answer, undefined);
    assert.equal(recording.isCapturing, false, "nothing connects by itself");

    const { answer } = await choosing(far, connectedNodes);
    assert.equal(answer?.pid, farPid);
    const { uri } = answer;
    await vscode.commands.executeCommand("extrospect.stopCapture");
    assert.equal(captures.get(uri)?.capture.facts.target?.node, far);
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: uri.toString() });
  });

  it("that are not where the rule leads give a message that names the setting", async () => {
    await setRemote("nodeHosts", { "*": "" });
    started[1]?.kill("SIGKILL");
    await eventually("the other node has ended", async () =>
      (await choosing(undefined, connectedNodes)).shown.some(
        ({ description }) => description === "not connected · this machine",
      ),
    );
    const [said = "", ...more] = await messagesDuring(() => choosing(far, connectedNodes));
    // Another VM of this machine may have no name that can be read just then.
    assert.match(
      said,
      /^No VM there (has|is known to have) the name far_shop@127\.0\.0\.1\b.*: this machine.*nodeHosts/,
    );
    assert.deepEqual(more, []);
  });
});
