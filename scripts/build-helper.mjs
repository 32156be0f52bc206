// Builds the native helper and puts it into dist/. As a program (`npm run build`): that, then the extension.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildEditorModule } from "./build-editor-module.mjs";
import { buildExtension } from "./build-extension.mjs";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { helperFault } from "./elf-check.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { FORGETFUL_HELPER, HELPER, HELPER_FILE, HELPER_TARGET, HELPER_WORKSPACE } from "./project.mjs";
import { folderFault, withoutFolders } from "./reproducible.mjs";
import { step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/**
 * @param {{signal?: AbortSignal | undefined, progress?: (text: string) => void}} [options]
 * @returns {Promise<string>} what was done
 */
export async function buildHelper({ signal, progress } = {}) {
  const built = await compile({ signal, progress });
  const fault = helperFault(built) ?? folderFault(built);
  if (fault !== null) throw new Problem("the helper was built wrongly", fault, "see native-helper/.cargo/config.toml");
  const size = `${(built.length / 1e6).toFixed(1)} MB`;
  return putInPlace(HELPER, built) ? `built ${HELPER_FILE}, static, ${size}` : `ready, ${size}`;
}

/**
 * Builds the helper that tests use to pretend that a VM is not known (the feature `test-forget`). It is never packed,
 * and compiled as Rust's own tests are: most of it is there when they are.
 * @param {{signal?: AbortSignal | undefined, progress?: (text: string) => void}} [options]
 * @returns {Promise<string>} what was done
 */
export async function buildForgetfulHelper(options = {}) {
  const built = await cargoBuild(["--features", "test-forget"], "debug", options);
  return putInPlace(FORGETFUL_HELPER, built) ? "built" : "ready";
}

/**
 * The helper as it is shipped.
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, workspace?: string, cargoHome?: string}} options
 *   the sources and the crates may lie in other folders: the program is the same
 * @returns {Promise<Buffer>} the program
 */
export function compile({ signal, progress, workspace = HELPER_WORKSPACE, cargoHome }) {
  const remapped = withoutFolders(HELPER_TARGET, { workspace, ...(cargoHome && { cargoHome }) });
  return cargoBuild([...remapped, "--release"], "release", { signal, progress, workspace, ...(cargoHome && { cargoHome }) });
}

/**
 * @param {string[]} flags
 * @param {"debug" | "release"} folder
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, workspace?: string, cargoHome?: string}} options
 * @returns {Promise<Buffer>} the program
 */
async function cargoBuild(flags, folder, { signal, progress, workspace = HELPER_WORKSPACE, cargoHome }) {
  const target = join(workspace, "target");
  const args = ["build", ...flags, "--locked", "-p", "cli", "--target-dir", target];
  const { code, stderr } = await run(cargo(), args, {
    cwd: workspace, // where .cargo/config.toml asks for static linking
    env: { ...cargoEnvironment(), ...(cargoHome && { CARGO_HOME: cargoHome }) },
    ...(signal && { signal }),
    onStderr: (text) => progress?.(lastLines(text, 1).trim()),
  });
  if (code !== 0) {
    throw new Problem("the helper does not build", lastLines(stderr), "cd native-helper && cargo build --locked -p cli");
  }
  return readFileSync(join(target, HELPER_TARGET, folder, "extrospect"));
}

/**
 * @param {string} place
 * @param {Buffer} built
 * @returns {boolean} false when it was there already: capabilities given to it with setcap stay
 */
function putInPlace(place, built) {
  if (existsSync(place) && readFileSync(place).equals(built)) return false;
  mkdirSync(dirname(place), { recursive: true });
  const fresh = `${place}.${process.pid}`; // a rename works while an older one is running
  try {
    writeFileSync(fresh, built, { mode: 0o755 });
    renameSync(fresh, place);
  } finally {
    rmSync(fresh, { force: true });
  }
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await step("system packages", async (progress) => ({ outcome: await ensureSystemPackages(BUILD_REQUIREMENTS, { progress }) }));
    await step("helper", async (progress) => ({ outcome: await buildHelper({ progress }) }));
    await step("npm packages", async () => ({ outcome: await ensureNpmPackages() }));
    await step("editor module", async () => ({ outcome: await buildEditorModule() }));
    await step("extension", async () => ({ outcome: await buildExtension() }));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
