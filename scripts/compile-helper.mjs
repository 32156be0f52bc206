// Compiles the native helper with cargo.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_TARGET, HELPER_WORKSPACE } from "./project.mjs";
import { withoutFolders } from "./reproducible.mjs";

/**
 * The helper as it is shipped.
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, nice?: number, workspace?: string, cargoHome?: string}} options
 *   the sources and the crates may lie in other folders: the program is the same
 * @returns {Promise<Buffer>} the program
 */
export async function compile({ signal, progress, nice, workspace = HELPER_WORKSPACE, cargoHome }) {
  const remapped = await withoutFolders(HELPER_TARGET, { workspace, signal, ...(cargoHome && { cargoHome }) });
  return cargoBuild([...remapped, "--release"], "release", {
    signal,
    progress,
    ...(nice !== undefined && { nice }),
    workspace,
    ...(cargoHome && { cargoHome }),
  });
}

/**
 * @param {string[]} flags
 * @param {"first" | "quick" | "release"} folder
 * @param {{signal?: AbortSignal | undefined, progress?: ((text: string) => void) | undefined, nice?: number, workspace?: string, cargoHome?: string}} options
 * @returns {Promise<Buffer>} the program
 */
export async function cargoBuild(flags, folder, { signal, progress, nice, workspace = HELPER_WORKSPACE, cargoHome }) {
  const target = join(workspace, "target");
  const args = ["build", ...flags, "--locked", "-p", "cli", "--target-dir", target];
  const { code, stderr } = await run(cargo(), args, {
    cwd: workspace, // where .cargo/config.toml sets static linking
    env: { ...cargoEnvironment(), ...(cargoHome && { CARGO_HOME: cargoHome }) },
    ...(signal && { signal }),
    ...(nice !== undefined && { nice }),
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
