// Bundles the extension and its webviews into dist/. Part of `npm run build`.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./project.mjs";

const EXTENSION = "dist/extension";
const WEBVIEWS = "dist/webviews";

/** Each folder of webviews/ with a main.ts is one page: NAME.js and NAME.css. */
export function webviewNames() {
  return readdirSync(join(ROOT, "webviews")).filter((name) => existsSync(join(ROOT, "webviews", name, "main.ts"))).sort();
}

/**
 * @param {{sourcemap?: boolean}} [options]
 * @returns {Promise<string>} what was done
 */
export async function buildExtension({ sourcemap = false } = {}) {
  // Only now: the npm packages are installed by whoever calls this.
  const { build } = await import("esbuild");
  const shared = { absWorkingDir: ROOT, bundle: true, minify: !sourcemap, sourcemap, logLevel: /** @type {const} */ ("error"), metafile: /** @type {const} */ (true) };
  // Nothing of an earlier build, such as a map, may get into the package.
  for (const folder of [EXTENSION, WEBVIEWS]) rmSync(join(ROOT, folder), { recursive: true, force: true });
  const host = await build({
    ...shared,
    entryPoints: ["extension/src/activate.ts"],
    outfile: `${EXTENSION}/main.cjs`,
    format: "cjs",
    platform: "node",
    target: "node20",
    external: ["vscode"],
    // Packages with an ES module build say so in "module"; those work in the bundle, their CommonJS twins often do not.
    mainFields: ["module", "main"],
  });
  const names = webviewNames();
  const pages = await build({
    ...shared,
    entryPoints: Object.fromEntries(names.map((name) => [name, `webviews/${name}/main.ts`])),
    outdir: WEBVIEWS,
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  const outputs = { ...host.metafile.outputs, ...pages.metafile.outputs };
  const bytes = Object.entries(outputs).filter(([file]) => !file.endsWith(".map")).reduce((sum, [, { bytes: size }]) => sum + size, 0);
  return `bundled, ${(bytes / 1e6).toFixed(2)} MB`;
}
