// Bundles test/editor/api/*.ts for the extension host, which takes CommonJS.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./project.mjs";

const SOURCES = "test/editor/api";
const OUTPUT = "dist/test-api";

/** @returns {Promise<string>} the file whose `run()` runs them all */
export async function bundleApiTests() {
  const { build } = await import("esbuild");
  rmSync(join(ROOT, OUTPUT), { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: readdirSync(join(ROOT, SOURCES))
      .filter((name) => name === "index.ts" || name.endsWith(".test.ts"))
      .map((name) => `${SOURCES}/${name}`),
    outdir: OUTPUT,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "error",
  });
  return join(ROOT, OUTPUT, "index.cjs");
}
