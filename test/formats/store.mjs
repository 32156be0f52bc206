// A real Pyroscope on loopback, that can be killed and started again with its data.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { storeProgram } from "../../scripts/install-store.mjs";
import { until } from "../until.mjs";

const HOST = "127.0.0.1";
/** Everything that would look for a network interface. */
const ADDRESSES = [
  "compactor.ring.instance-addr",
  "distributor.ring.instance-addr",
  "ingester.lifecycler.addr",
  "overrides-exporter.ring.instance-addr",
  "query-frontend.instance-addr",
  "query-scheduler.ring.instance-addr",
  "store-gateway.sharding-ring.instance-addr",
  "memberlist.bind-addr",
  "memberlist.advertise-addr",
];

export class Store {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;
  #log = "";

  /** @param {string} folder @param {number} port @param {number} gossipPort */
  constructor(folder, port, gossipPort) {
    this.folder = folder;
    this.port = port;
    this.gossipPort = gossipPort;
    this.url = `http://${HOST}:${port}`;
  }

  /** @param {string} folder */
  static async start(folder) {
    const store = new Store(folder, await freePort(), await freePort());
    await store.up();
    return store;
  }

  async up() {
    mkdirSync(join(this.folder, "data"), { recursive: true });
    const flags = ADDRESSES.map((name) => `-${name}=${HOST}`);
    const more = [
      "-target=all",
      `-server.http-listen-port=${this.port}`,
      `-server.http-listen-address=${HOST}`,
      "-server.grpc-listen-port=0",
      `-memberlist.bind-port=${this.gossipPort}`,
      "-pyroscopedb.data-path=data",
      "-storage.backend=filesystem",
      "-storage.filesystem.dir=data/blocks",
      "-self-profiling.disable-push=true",
    ];
    const [command = "", ...args] = [...boundToThis("KILL"), storeProgram(), ...flags, ...more];
    const child = spawn(command, args, { cwd: this.folder, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (this.#log = `${this.#log}${chunk}`.slice(-4000)));
    await until("the store is ready", async () => {
      assert.equal(child.exitCode, null, this.#log);
      const answer = await fetch(`${this.url}/ready`);
      return answer.status === 200 || assert.fail(`status ${answer.status}`);
    });
  }

  /** As by a power cut. */
  async kill() {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  /** The data of a service: names of functions, and total. @param {string} matcher `service_name="x",node="y"` */
  async profile(matcher) {
    const now = Math.floor(Date.now() / 1000);
    const query = `process_cpu:cpu:nanoseconds:cpu:nanoseconds{${matcher}}`;
    const answer = await fetch(
      `${this.url}/pyroscope/render?${new URLSearchParams({ query, from: String(now - 3500), until: String(now + 60) })}`,
    );
    const { flamebearer } = /** @type {any} */ (await answer.json());
    return { names: /** @type {string[]} */ (flamebearer.names), total: /** @type {number} */ (flamebearer.numTicks) };
  }

  /** Labels of all series. @returns {Promise<Record<string, string>[]>} */
  async series() {
    const nowMs = Date.now();
    const answer = await fetch(`${this.url}/querier.v1.QuerierService/Series`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ start: nowMs - 3_500_000, end: nowMs + 60_000 }),
    });
    const { labelsSet = [] } = /** @type {any} */ (await answer.json());
    return labelsSet.map((/** @type {any} */ { labels }) =>
      Object.fromEntries(labels.map((/** @type {any} */ { name, value }) => [name, value])),
    );
  }
}
