// Builds the helper's code that computes in the editor, as WebAssembly, and puts it into dist/.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { withoutFolders } from "./reproducible.mjs";

export const EDITOR_MODULE = "dist/editor-module/editor-module.wasm";
const TARGET = "wasm32-unknown-unknown";

/** As it is shipped, or without the optimisation as one program, which takes minutes: for tests and `npm start`. @typedef {"editor-module" | "quick"} EditorModuleProfile */

/**
 * @param {{signal?: AbortSignal | undefined, profile?: EditorModuleProfile}} [options]
 * @returns {Promise<string>} the outcome, in some words
 */
export async function buildEditorModule({ signal, profile = "editor-module" } = {}) {
  await ensureTarget();
  // The crate type is named here: the helper's own static target has no dynamic libraries.
  const args = [
    "rustc",
    "--profile",
    profile,
    "--locked",
    "-p",
    "editor-module",
    "--lib",
    "--crate-type",
    "cdylib",
    "--target",
    TARGET,
    "--target-dir",
    join(HELPER_WORKSPACE, "target"),
  ];
  const { code, stderr } = await runCargo(
    [...(await withoutFolders(TARGET, { isShipped: profile === "editor-module", signal })), ...args],
    {
      cwd: HELPER_WORKSPACE,
      env: cargoEnvironment(),
      ...(signal && { signal }),
    },
  );
  if (code !== 0)
    throw new Problem(
      "the editor's module does not compile",
      lastLines(stderr, 8),
      "cargo test -p editor-module   (in native-helper)",
    );
  const built = readFileSync(join(HELPER_WORKSPACE, "target", TARGET, profile, "editor_module.wasm"));
  const size = `${(built.length / 1e6).toFixed(1)} MB`;
  const path = join(ROOT, EDITOR_MODULE);
  if (existsSync(path) && readFileSync(path).equals(built)) return `ready, ${size}`;
  mkdirSync(dirname(path), { recursive: true });
  // In one move: an editor may be reading it.
  writeFileSync(`${path}.new`, built);
  renameSync(`${path}.new`, path);
  return `built, ${size}`;
}

/** The standard library for WebAssembly, which is a part of Rust that not everybody installs. */
async function ensureTarget() {
  const env = cargoEnvironment();
  const { stdout } = await run("rustc", ["--print", "target-libdir", "--target", TARGET], {
    cwd: HELPER_WORKSPACE,
    env,
  });
  if (existsSync(stdout.trim())) return;
  const rustup = findProgram("rustup");
  const added = rustup === null ? null : await run(rustup, ["target", "add", TARGET], { cwd: HELPER_WORKSPACE, env });
  if (added?.code === 0) return;
  throw new Problem(
    "Rust cannot compile to WebAssembly yet",
    added === null
      ? "there is no rustup, so its standard library for that has to come from your packages"
      : lastLines(added.stderr, 3),
    `rustup target add ${TARGET}`,
  );
}
