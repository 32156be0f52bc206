// Builds the native helper and puts it into dist/. As a program (`npm run build`): that, then the extension.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildEditorModule } from "./build-editor-module.mjs";
import { buildExtension } from "./build-extension.mjs";
import { cargoBuild } from "./compile-helper.mjs";
import { helperFault } from "./elf-check.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { FORGETFUL_HELPER, HELPER, HELPER_FILE, HELPER_TARGET, HELPER_WORKSPACE } from "./project.mjs";
import { putInPlace } from "./put-in-place.mjs";
import { folderFault, withoutFolders } from "./reproducible.mjs";
import { shippedHelper } from "./shipped-helper.mjs";
import { step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/**
 * @typedef {{signal?: AbortSignal | undefined, progress?: (text: string) => void}} Building
 */

/**
 * Puts the helper as it is shipped in place: small, and built in some minutes unless these sources were built before.
 * @param {Building} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function buildHelper(options = {}) {
  const { program } = await shippedHelper(options);
  return placed(program);
}

/**
 * Builds the helper of tests in the same place: the same sources and options except for the link, which takes minutes.
 * @param {Building} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function buildQuickHelper(options = {}) {
  return buildForThisMachine("quick", options);
}

/**
 * Builds the helper of `npm start`. Where nothing is compiled yet, this takes half of the time of the quick build,
 * since only the work for each sample is optimised. Where a quick build was compiled, it builds that.
 * @param {Building} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function buildFirstHelper(options = {}) {
  return buildForThisMachine(
    existsSync(join(HELPER_WORKSPACE, "target", HELPER_TARGET, "quick")) ? "quick" : "first",
    options,
  );
}

/** @param {"first" | "quick"} profile @param {Building} options */
async function buildForThisMachine(profile, { signal, progress }) {
  const remapped = await withoutFolders(HELPER_TARGET, { isShipped: false, signal });
  const built = await cargoBuild([...remapped, "--profile", profile], profile, { signal, progress });
  return checked(built, helperFault(built));
}

/**
 * Builds the helper that tests use to pretend that a VM is not known (the feature `test-forget`). It is never packed.
 * All of it but the crate `cli` is the quick one's; that is not optimised, so that it is compiled in a quarter of the time.
 * @param {Building} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function buildForgetfulHelper({ signal, progress } = {}) {
  const remapped = await withoutFolders(HELPER_TARGET, { isShipped: false, signal });
  const built = await cargoBuild(
    [
      ...remapped,
      "--profile",
      "quick",
      "--config",
      "profile.quick.package.cli.opt-level=0",
      "--features",
      "test-forget",
    ],
    "quick",
    { signal, progress },
  );
  return putInPlace(FORGETFUL_HELPER, built, { mode: 0o755 }) ? "built" : "ready";
}

/**
 * @param {Buffer} built
 * @param {string | null} fault
 */
function checked(built, fault) {
  const found = fault ?? folderFault(built);
  if (found !== null) throw new Problem("the helper was built wrongly", found, "see native-helper/.cargo/config.toml");
  return placed(built);
}

/** @param {Buffer} built */
function placed(built) {
  const size = `${(built.length / 1e6).toFixed(1)} MB`;
  return putInPlace(HELPER, built, { mode: 0o755 }) ? `built ${HELPER_FILE}, static, ${size}` : `ready, ${size}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await step("system packages", async (progress) => ({
      outcome: await ensureSystemPackages(BUILD_REQUIREMENTS, { progress }),
    }));
    await step("helper", async (progress) => ({ outcome: await buildHelper({ progress }) }));
    await step("npm packages", async () => ({ outcome: await ensureNpmPackages() }));
    await step("editor module", async () => ({ outcome: await buildEditorModule() }));
    await step("extension", async () => ({ outcome: await buildExtension() }));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
