// Compiles the native helper with cargo.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_TARGET, HELPER_WORKSPACE } from "./project.mjs";
import { withoutFolders } from "./reproducible.mjs";
import { inTemporaryFolder } from "./temporary-folder.mjs";

/**
 * The helper as it is shipped.
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, workspace?: string, cargoHome?: string}} options
 *   the sources and the crates may lie in other folders: the program is the same
 * @returns {Promise<Buffer>} the program
 */
export async function compile({ signal, progress, workspace = HELPER_WORKSPACE, cargoHome }) {
  const remapped = await withoutFolders(HELPER_TARGET, { workspace, signal, ...(cargoHome && { cargoHome }) });
  const flags = [FRAME_POINTERS, ...((await mergesEqualFunctions(signal)) ? [ONE_OF_EQUAL_FUNCTIONS] : [])];
  const smaller = ["--config", `target.${HELPER_TARGET}.rustflags=${JSON.stringify(flags)}`];
  return cargoBuild([...remapped, ...smaller, "--release"], "release", {
    signal,
    progress,
    workspace,
    ...(cargoHome && { cargoHome }),
  });
}

/**
 * A frame's address is in a register, so that the tables for unwinding need no entry for each word that a function
 * pushes: the program is 3.5 % smaller, and `perf` unwinds it without them.
 */
const FRAME_POINTERS = "-Cforce-frame-pointers=yes";
/** Generic code that is compiled for several types is often the same in the end. The linker keeps one of it. */
const ONE_OF_EQUAL_FUNCTIONS = "-Clink-arg=-Wl,--icf=all";

/**
 * LLD can, with which Rust's own compilers of this target link; GNU's linker cannot.
 * @param {AbortSignal} [signal]
 * @returns {Promise<boolean>}
 */
async function mergesEqualFunctions(signal) {
  return inTemporaryFolder(async (folder) => {
    const source = join(folder, "empty.rs");
    writeFileSync(source, "fn main() {}\n");
    const args = ["--target", HELPER_TARGET, ONE_OF_EQUAL_FUNCTIONS, "-o", join(folder, "empty"), source];
    const { code } = await run("rustc", args, {
      cwd: HELPER_WORKSPACE,
      env: cargoEnvironment(),
      ...(signal && { signal }),
    });
    return code === 0;
  });
}

/**
 * @param {string[]} flags
 * @param {"first" | "quick" | "release"} folder
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, workspace?: string, cargoHome?: string}} options
 * @returns {Promise<Buffer>} the program
 */
export async function cargoBuild(flags, folder, { signal, progress, workspace = HELPER_WORKSPACE, cargoHome }) {
  const target = join(workspace, "target");
  const args = ["build", ...flags, "--locked", "-p", "cli", "--target-dir", target];
  const { code, stderr } = await runCargo(args, {
    cwd: workspace, // where .cargo/config.toml sets static linking
    env: { ...cargoEnvironment(), ...(cargoHome && { CARGO_HOME: cargoHome }) },
    ...(signal && { signal }),
    onStderr: (text) => progress?.(lastLines(text, 1).trim()),
  });
  if (code !== 0) {
    throw new Problem(
      "the helper does not build",
      lastLines(stderr),
      "cd native-helper && cargo build --locked -p cli",
    );
  }
  return readFileSync(join(target, HELPER_TARGET, folder, "extrospect"));
}
