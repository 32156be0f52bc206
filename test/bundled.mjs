// Modules of the extension and its pages in tests that are no TypeScript.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "../scripts/project.mjs";

/** Makes TypeScript of the extension usable here. @param {string[]} sources paths from the root */
export async function bundled(...sources) {
  const folder = mkdtempSync(join(tmpdir(), "panel-module-"));
  const contents = sources.map((source) => `export * from "./${source}";`).join("\n");
  try {
    await build({
      stdin: { contents, resolveDir: ROOT },
      mainFields: ["module", "main"],
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      outfile: join(folder, "module.mjs"),
      logLevel: "error",
    });
    return await import(pathToFileURL(join(folder, "module.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
