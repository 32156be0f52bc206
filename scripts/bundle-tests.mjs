// Node runs no TypeScript: bundles every test/unit/**/*.test.ts into a file it can run.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./project.mjs";

const OUTPUT = "dist/test-unit";

/**
 * Bundles the TypeScript unit tests.
 * @returns {Promise<string[]>} the files to run, relative to the root
 */
export async function bundleTests() {
  rmSync(join(ROOT, OUTPUT), { recursive: true, force: true });
  const sources = typescriptTests();
  if (sources.length === 0) return [];
  // Only now: the npm packages are installed by whoever calls this.
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: ROOT,
    entryPoints: sources,
    outbase: "test/unit",
    outdir: OUTPUT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    logLevel: "error",
  });
  return sources.map((source) => source.replace("test/unit/", `${OUTPUT}/`).replace(/\.ts$/, ".mjs"));
}

function typescriptTests() {
  const names = readdirSync(join(ROOT, "test/unit"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".test.ts")).sort().map((name) => `test/unit/${name}`);
}
