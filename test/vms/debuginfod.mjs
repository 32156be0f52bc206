// Servers of debug files: elfutils' own, and hostile ones.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { boundToThis } from "../../scripts/bound-process.mjs";
import { freePort } from "../../scripts/free-port.mjs";
import { until } from "../until.mjs";

/** @param {import("node:http").Server} server */
function portOf(server) {
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

/**
 * elfutils' server over the ELF files below a folder, once it has read them all.
 * @param {import("node:test").TestContext} t
 * @param {string} folder
 * @param {number} files   how many debug files there are
 */
export async function startDebuginfod(t, folder, files) {
  const port = await freePort();
  // Its index is kept in memory. It queries no other server.
  const { DEBUGINFOD_URLS: _urls, ...env } = process.env;
  const [command = "", ...args] = [...boundToThis("KILL"), "debuginfod", "-F", "-d", ":memory:", "-p", String(port)];
  const server = spawn(command, [...args, folder], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.on("data", (text) => (said = (said + text).slice(-2000)));
  const ended = once(server, "exit");
  const stop = async () => {
    server.kill("SIGTERM");
    await ended;
  };
  t.after(stop);
  const url = `http://127.0.0.1:${String(port)}`;
  await until("debuginfod has read the debug files", async () => {
    assert.equal(server.exitCode, null, `debuginfod ended: ${said}`);
    const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
    /** @param {string} name */
    const metric = (name) => Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0);
    return metric("ready") === 1 && metric('found_debuginfo_total{source="files"}') >= files;
  });
  return { url, stop };
}

/**
 * A server of our own.
 * @param {import("node:test").TestContext} t
 * @param {import("node:http").RequestListener} answer
 */
export async function startServer(t, answer) {
  /** @type {string[]} */
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    // A connection that is cut off gives an error.
    response.on("error", () => {});
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(stop);
  return { url: `http://127.0.0.1:${String(portOf(server))}`, asked, stop };
}

/**
 * The processes that have a word in their environment and run that program, with the kernel's status of them.
 * @param {string} program @param {string} word
 * @returns {{pid: number, status: string}[]}
 */
export function processesWith(program, word) {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const isIt =
        status.startsWith(`Name:\t${program}\n`) && readFileSync(`/proc/${name}/environ`, "utf8").includes(word);
      return isIt ? [{ pid: Number(name), status }] : [];
    } catch {
      return []; // it has ended since it was listed
    }
  });
}
