// The extension's own helpers and hosts in a window that a test makes.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { build } from "esbuild";
import type { Helper } from "../../../extension/src/helper/helper.js";
import type { Hosts } from "../../../extension/src/remote/hosts.js";

export interface Window {
  readonly Helper: typeof Helper;
  readonly Hosts: typeof Hosts;
  readonly vscode: {
    readonly settings: Record<string, unknown>;
    readonly progresses: { readonly title: string; cancel(): void }[];
  };
  readonly context: ConstructorParameters<typeof Hosts>[0]["context"];
  readonly log: ConstructorParameters<typeof Hosts>[0]["log"];
}

const METHODS = ["trace", "debug", "info", "warn", "error", "append", "appendLine", "replace", "clear", "show", "hide"];

/** A window with storage and a log; its subscriptions end with the test. */
export async function inWindow(t: TestContext): Promise<Window> {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-window-"));
  const subscriptions: { dispose(): unknown }[] = [];
  t.after(() => {
    for (const each of subscriptions) each.dispose();
    rmSync(folder, { recursive: true });
  });
  const outfile = join(folder, "window.cjs");
  await build({
    stdin: {
      contents: `
        export { Helper } from "./extension/src/helper/helper.ts";
        export { Hosts } from "./extension/src/remote/hosts.ts";
        export const vscode = require("vscode");
      `,
      resolveDir: resolve("."),
    },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    logLevel: "error",
    alias: { vscode: resolve("test/unit/helper/window-stub.cjs") },
  });
  const stored = new Map<string, unknown>();
  const packageJSON: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  const context = {
    subscriptions,
    extension: { packageJSON },
    asAbsolutePath: (path: string) => resolve(path),
    globalState: {
      get: (key: string) => stored.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
      keys: () => [...stored.keys()],
      setKeysForSync: () => {},
    },
  };
  const log = { ...Object.fromEntries(METHODS.map((name) => [name, () => {}])), name: "log", logLevel: 3 };
  const window = createRequire(outfile)(outfile) as Pick<Window, "Helper" | "Hosts" | "vscode">;
  return { ...window, context: context as never, log: log as never };
}
