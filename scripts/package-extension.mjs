// npm run package: the VSIX files, with the helper for editors on x86-64 Linux, and for all others with one for hosts
// alone; the helper as a Debian package; and the bill of materials of each of them.
import { readFileSync, renameSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildEditorModule } from "./build-editor-module.mjs";
import { buildExtension } from "./build-extension.mjs";
import { buildHelper } from "./build-helper.mjs";
import { lastLines, run } from "./command.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { packageDeb } from "./package-deb.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { ALPINE_VSIX, HELPER, HELPER_FOR_HOSTS_FILE, ROOT, VSIX, VSIX_WITHOUT_HELPER } from "./project.mjs";
import { putInPlace } from "./put-in-place.mjs";
import { writeBoms } from "./sbom.mjs";
import { step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/**
 * @typedef {object} Package
 * @property {string} file
 * @property {string} [target]   the platform it is for; without it: any, and the helper is one for hosts, compressed
 */

/** @type {Package} */
export const LINUX_PACKAGE = { file: VSIX, target: "linux-x64" };
/** @type {Package[]} */
const PACKAGES = [LINUX_PACKAGE, { file: ALPINE_VSIX, target: "alpine-x64" }, { file: VSIX_WITHOUT_HELPER }];

const IGNORE_FILE = join(ROOT, ".vscodeignore");
const IGNORE_FILE_WITHOUT_HELPER = join(ROOT, "dist/vscodeignore-without-helper");
const HELPER_LINE = "!dist/helper/**\n";

/**
 * Packs the built files. The helper and the npm packages must be there.
 * @param {{signal?: AbortSignal | undefined, packages?: Package[], profile?: import("./build-editor-module.mjs").EditorModuleProfile}} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function packageExtension({ signal, packages = PACKAGES, profile = "editor-module" } = {}) {
  await buildEditorModule({ signal, profile });
  await buildExtension();
  const all = readFileSync(IGNORE_FILE, "utf8");
  if (!all.includes(HELPER_LINE))
    throw new Problem(
      ".vscodeignore does not name the helper",
      `the line ${HELPER_LINE.trim()} is not in it`,
      "see scripts/package-extension.mjs",
    );
  putInPlace(IGNORE_FILE_WITHOUT_HELPER, all.replace(HELPER_LINE, `!${HELPER_FOR_HOSTS_FILE}\n`));
  putInPlace(join(ROOT, HELPER_FOR_HOSTS_FILE), gzipSync(readFileSync(HELPER), { level: 9 }));
  const packed = await Promise.all(packages.map((one) => pack(one, signal)));
  return `packed ${packed.join(" and ")}`;
}

/** @param {Package} wanted @param {AbortSignal | undefined} signal @returns {Promise<string>} the file and its size */
async function pack({ file, target }, signal) {
  const name = relative(ROOT, file);
  const variant = target === undefined ? ["--ignoreFile", IGNORE_FILE_WITHOUT_HELPER] : ["--target", target];
  // Everything is bundled, so there are no dependencies to pack. Links of the README stay as they are: it has no home on the web yet.
  const fresh = `${name}.${process.pid}`;
  const args = [
    "package",
    "--no-dependencies",
    "--no-rewrite-relative-links",
    "--allow-missing-repository",
    ...variant,
    "--out",
    fresh,
  ];
  const { code, stdout, stderr } = await run(join(ROOT, "node_modules/.bin/vsce"), args, {
    cwd: ROOT,
    ...(signal && { signal }),
  });
  if (code !== 0)
    throw new Problem(
      "the extension cannot be packed",
      lastLines(stderr || stdout),
      `node_modules/.bin/vsce ${args.join(" ")}`,
    );
  // In one move: an editor may be installing the one before.
  renameSync(join(ROOT, fresh), file);
  return `${name}, ${(statSync(file).size / 1e6).toFixed(1)} MB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await step("system packages", async (progress) => ({
      outcome: await ensureSystemPackages(BUILD_REQUIREMENTS, { progress }),
    }));
    await step("npm packages", async () => ({ outcome: await ensureNpmPackages() }));
    await step("helper", async (progress) => ({ outcome: await buildHelper({ progress }) }));
    await step("editor module", async () => ({ outcome: await buildEditorModule() }));
    await step("extension", async () => ({ outcome: await packageExtension() }));
    await step("Debian package", async () => ({ outcome: await packageDeb() }));
    await step("bills of materials", async () => ({ outcome: await writeBoms() }));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
