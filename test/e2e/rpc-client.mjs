// Speaks with `extrospect serve --stdio` as an editor would.
import { spawn } from "node:child_process";
import { HELPER } from "./helper.mjs";

/** @typedef {{code: number, message: string, data?: {what: string, why: string, fix: string, exitCode: number}}} RpcError */

export class RpcClient {
  /** @param {Record<string, string>} [env] @param {readonly string[]} [wrapper] of the helper's command */
  constructor(env = {}, wrapper = []) {
    const [program = HELPER, ...args] = [...wrapper, HELPER, "serve", "--stdio"];
    this.child = spawn(program, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    this.stderr = "";
    /** @type {{method: string, params: any}[]} */
    this.notifications = [];
    /** @type {RpcError[]} errors that answer nothing */
    this.strayErrors = [];
    this.lastId = 0;
    this.buffer = Buffer.alloc(0);
    /** @type {Map<number, {resolve: (result: any) => void, reject: (error: any) => void}>} */
    this.waiting = new Map();
    /** @type {(() => void)[]} */
    this.watchers = [];
    /** @type {Promise<{code: number | null, signal: string | null}>} */
    this.ended = new Promise((resolve) => this.child.once("close", (code, signal) => resolve({ code, signal })));
    this.child.stdin.on("error", () => {});
    this.child.stderr.on("data", (chunk) => (this.stderr += chunk));
    this.child.stdout.on("data", (chunk) => this.take(chunk));
    this.hasEnded = false;
    void this.ended.then(() => {
      this.hasEnded = true;
      for (const { reject } of this.waiting.values()) reject(new Error(`the helper ended: ${this.stderr}`));
      for (const watcher of this.watchers.splice(0)) watcher();
    });
  }

  /** @param {string} text */
  sendRaw(text) {
    this.child.stdin.write(text);
  }

  /** @param {any} message */
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.sendRaw(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** @param {string} method @param {any} [params] @returns {Promise<any>} */
  request(method, params) {
    const id = ++this.lastId;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.send({ id, method, params });
    return answer;
  }

  /** @param {string} method @param {any} [params] @returns {Promise<RpcError>} */
  async refused(method, params) {
    try {
      await this.request(method, params);
    } catch (error) {
      if (error instanceof Error) throw error;
      return /** @type {RpcError} */ (error);
    }
    throw new Error(`${method} was not refused`);
  }

  /** @returns {Promise<any>} */
  initialize() {
    const initializationOptions = { protocolVersion: 1, capabilities: { increments: true } };
    return this.request("initialize", { clientInfo: { name: "test" }, initializationOptions });
  }

  /** Waits for so many notifications. @param {string} method @param {number} count */
  async notified(method, count) {
    const of = () => this.notifications.filter((it) => it.method === method).map((it) => it.params);
    while (of().length < count) {
      if (this.hasEnded) throw new Error(`${of().length} of ${count} ${method} came; the helper ended: ${this.stderr}`);
      await new Promise((resolve) => this.watchers.push(() => resolve(undefined)));
    }
    return of();
  }

  async shutdown() {
    await this.request("shutdown");
    this.send({ method: "exit" });
    return this.ended;
  }

  kill() {
    this.child.kill("SIGKILL");
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    this.buffer = Buffer.concat([this.buffer, chunk]);
    for (;;) {
      const headerEnd = this.buffer.indexOf("\r\n\r\n");
      if (headerEnd < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.buffer.toString("latin1", 0, headerEnd))?.[1]);
      const end = headerEnd + 4 + length;
      if (this.buffer.length < end) return;
      this.receive(JSON.parse(this.buffer.toString("utf8", headerEnd + 4, end)));
      this.buffer = this.buffer.subarray(end);
    }
  }

  /** @param {any} message */
  receive(message) {
    if (message.method !== undefined) this.notifications.push(message);
    else if (message.id === null) this.strayErrors.push(message.error);
    else {
      const waiter = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) waiter?.reject(message.error);
      else waiter?.resolve(message.result);
    }
    for (const watcher of this.watchers.splice(0)) watcher();
  }
}
