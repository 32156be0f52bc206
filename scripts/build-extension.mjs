// Bundles the extension and its webviews into dist/. Part of `npm run build`.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "./project.mjs";
import { putInPlace } from "./put-in-place.mjs";

const EXTENSION = "dist/extension";
const WEBVIEWS = "dist/webviews";

/** Each folder of webviews/ with a main.ts is one page: NAME.js and NAME.css. */
export function webviewNames() {
  return readdirSync(join(ROOT, "webviews"))
    .filter((name) => existsSync(join(ROOT, "webviews", name, "main.ts")))
    .sort();
}

/**
 * The program of the extension host and the pages, bundled but not written; `metafile` lists the contents.
 * @param {{sourcemap?: boolean}} [options]
 */
export async function bundled({ sourcemap = false } = {}) {
  // Imported late: the caller installs the npm packages first.
  const { build } = await import("esbuild");
  const shared = {
    absWorkingDir: ROOT,
    bundle: true,
    minify: !sourcemap,
    sourcemap,
    logLevel: /** @type {const} */ ("error"),
    write: /** @type {const} */ (false),
    metafile: /** @type {const} */ (true),
  };
  const host = await build({
    ...shared,
    entryPoints: {
      main: "extension/src/activate.ts",
      "ssh-askpass": "extension/src/remote/askpass-main.ts",
      "capture-thread": "extension/src/capture/thread/capture-thread.ts",
      "editor-module-thread": "extension/src/editor-module/editor-module-thread.ts",
    },
    outdir: EXTENSION,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    platform: "node",
    target: "node20",
    external: ["vscode"],
    // Packages with an ES module build name it in "module"; those work in the bundle, their CommonJS twins often do
    // not.
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
  return { host, pages };
}

/**
 * @param {{sourcemap?: boolean}} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function buildExtension(options) {
  const { host, pages } = await bundled(options);
  const files = [...host.outputFiles, ...pages.outputFiles];
  put(files);
  const bytes = files
    .filter(({ path }) => !path.endsWith(".map"))
    .reduce((sum, { contents }) => sum + contents.length, 0);
  return `bundled, ${(bytes / 1e6).toFixed(2)} MB`;
}

/**
 * Leaves unchanged files alone, and puts the others in place in one move each: an editor may be running the program.
 * @param {import("esbuild").OutputFile[]} files
 */
function put(files) {
  const built = new Set(files.map(({ path }) => relative(ROOT, path)));
  // Nothing of an earlier build, such as a map, may get into the package.
  for (const folder of [EXTENSION, WEBVIEWS].filter((name) => existsSync(join(ROOT, name)))) {
    const older = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name),
    );
    for (const name of older.filter((path) => !built.has(path)))
      rmSync(join(ROOT, name), { recursive: true, force: true });
  }
  for (const { path, contents } of files) putInPlace(path, contents);
}
