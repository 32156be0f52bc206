// Pages of files in a real browser, as a user opens them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { once } from "node:events";
import { extname, join } from "node:path";
import { startChromium } from "../chromium.mjs";
import { PATIENCE_MS } from "../until.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * A page in Chromium, and a server on loopback of a folder.
 * @param {import("node:test").TestContext} t
 * @param {string} folder
 */
export async function browserPage(t, folder) {
  const types = /** @type {Record<string, string>} */ ({
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".wasm": "application/wasm",
  });
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? "/", "http://x").pathname);
    if (!existsSync(file)) response.writeHead(404).end();
    else
      response
        .writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
        .end(readFileSync(file));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const browser = await startChromium();
  t.after(async () => {
    await browser.close();
    server.close();
  });
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(PATIENCE_MS);
  /** @type {string[]} */
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  /** @type {string[]} */
  const consoleErrors = [];
  page.on("console", (message) => message.type() === "error" && consoleErrors.push(message.text()));
  return Object.assign(page, { problems, consoleErrors, address: `http://127.0.0.1:${port}` });
}

/**
 * axe finds no fault in the page as it is shown now, in both colour schemes.
 * @param {import("playwright-core").Page} page
 */
export async function assertAccessible(page) {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    // Not as a script of the page, which runs none but its own.
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => /** @type {any} */ (window).axe.run());
    assert.deepEqual(
      violations.map((/** @type {any} */ { id, nodes }) => `${colorScheme}, ${id}: ${nodes[0]?.html}`),
      [],
    );
  }
}

/**
 * The page runs its own scripts and styles and no others: its policy has the hash of each.
 * @param {string} html @param {number} [scripts] how many it has
 */
export function assertPolicyFits(html, scripts = 2) {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
  const parts = [...html.matchAll(/<(script|style)>(.*?)<\/\1>/gs)].map(([, kind, text = ""]) => ({
    kind,
    hash: `sha256-${createHash("sha256").update(text).digest("base64")}`,
  }));
  assert.equal(parts.filter(({ kind }) => kind === "script").length, scripts, "scripts");
  assert.ok(
    parts.some(({ kind }) => kind === "style"),
    "a style",
  );
  for (const { kind, hash } of parts) {
    const allowed = policy.split("; ").find((line) => line.startsWith(`${kind}-src`)) ?? "";
    assert.ok(
      allowed.includes(`'${hash}'`),
      `one of the page's ${kind}s has changed: its hash is ${hash} now, and the policy has ${allowed}`,
    );
  }
  assert.ok(policy.startsWith("default-src 'none'; ") && !policy.includes("unsafe"), policy);
}
