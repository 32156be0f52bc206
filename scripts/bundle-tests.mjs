// Node 20 runs no TypeScript: bundles every *.test.ts of a folder into a file it can run.
import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./project.mjs";
import { putInPlace } from "./put-in-place.mjs";

/**
 * Programs that tests run find their files by where they are themselves, so they stay there.
 * @type {import("esbuild").Plugin}
 */
const scriptsStayOutside = {
  name: "scripts-stay-outside",
  setup(build) {
    build.onResolve({ filter: /^\.\.?\/.*\.mjs$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      external: true,
    }));
  },
};

const UNUSED_MS = 24 * 3_600_000;

/** @typedef {"test/unit" | "test/oracles"} Folder */

/** The file to run for a TypeScript test. @param {string} source   path from the root */
export const bundledFile = (source) => source.replace(/^test\//, "dist/test-").replace(/\.ts$/, ".mjs");

/**
 * Bundles the TypeScript tests of a folder.
 * @param {Folder} folder
 * @returns {Promise<string[]>} the files to run, relative to the root
 */
export async function bundleTests(folder) {
  const output = folder.replace("test/", "dist/test-");
  const sources = typescriptTests(folder);
  if (sources.length === 0) return [];
  // Imported late: the caller installs the npm packages first.
  const { build } = await import("esbuild");
  const isOfCaptures = (/** @type {string} */ source) => source.startsWith(STATELESS);
  const bundles = await Promise.all(
    [sources.filter(isOfCaptures), sources.filter((source) => !isOfCaptures(source))]
      .filter((entryPoints) => entryPoints.length > 0)
      .map((entryPoints) =>
        build({
          absWorkingDir: ROOT,
          entryPoints,
          outbase: folder,
          outdir: output,
          outExtension: { ".js": ".mjs" },
          bundle: true,
          splitting: entryPoints.every(isOfCaptures),
          chunkNames: "shared/[name]-[hash]",
          format: "esm",
          platform: "node",
          target: "node20",
          packages: "external",
          plugins: [scriptsStayOutside],
          sourcemap: "inline",
          // They are beside it; copies in each bundle would be most of what a process reads.
          sourcesContent: false,
          logLevel: "error",
          write: false,
        }),
      ),
  );
  const files = bundles.flatMap(({ outputFiles }) => outputFiles);
  for (const { path, contents } of files) if (!putInPlace(path, contents)) utimesSync(path, new Date(), new Date());
  removeUnused(join(ROOT, output));
  return sources.map(bundledFile);
}

/**
 * Another run in this clone may read what an earlier state of the sources needed, but none takes so long.
 * @param {string} folder   of bundles: the times of its files are those of their last use
 */
function removeUnused(folder) {
  const before = Date.now() - UNUSED_MS;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && stat.mtimeMs < before) rmSync(path, { force: true });
  }
}

/**
 * Tests of modules without any state: they share one copy of these in a process, which is compiled once. Other tests have
 * copies of their own, so that none sees what another one has set.
 */
const STATELESS = "test/unit/capture/";

/** @param {Folder} folder @returns {string[]} paths from the root */
export function typescriptTests(folder) {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .map((name) => `${folder}/${name}`);
}

// As a program: bundles a folder and prints the files to run, for `node --test`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] === "test/oracles" ? "test/oracles" : "test/unit";
  console.log((await bundleTests(folder)).join("\n"));
}
