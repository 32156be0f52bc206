// Finding cargo, and its environment.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_TARGET, HELPER_WORKSPACE } from "./project.mjs";

/** @returns {string} full path of cargo */
export function cargo() {
  const found = findProgram("cargo");
  if (found !== null) return found;
  throw new Problem(
    "cargo is missing",
    "the helper is written in Rust",
    "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y   (see https://rustup.rs)",
  );
}

/**
 * The environment for cargo: flags of the user's would undo the workspace's own, static linking among them. A folder that they
 * have for all builds would have the programs of another clone under the same names.
 */
export function cargoEnvironment() {
  const {
    RUSTFLAGS: _flags,
    CARGO_ENCODED_RUSTFLAGS: _encoded,
    CARGO_BUILD_TARGET: _target,
    CARGO_TARGET_DIR: _folder,
    CARGO_BUILD_TARGET_DIR: _configured,
    ...rest
  } = process.env;
  return { ...rest, PATH: `${dirname(cargo())}:${rest.PATH ?? ""}`, CARGO_TERM_COLOR: "never" };
}

/**
 * Its compilers end with it.
 * @param {string[]} args
 * @param {import("./command.mjs").CommandOptions} options
 */
export const runCargo = (args, options) => run(cargo(), args, { ...options, withChildren: true });

/** @type {Map<string, boolean>} */
const withIncremental = new Map();

/**
 * The environment for cargo when it compiles Rust tests: one for all calls of a run, since cargo compiles all crates
 * anew in another one. Tests are compiled without data for incremental builds, unless there are such data from a
 * developer's own `cargo test`: only then does a later build use them. The folder is the workspace's own,
 * whatever the configuration of cargo has.
 * @param {string} [workspace]
 */
export function testCargoEnvironment(workspace = HELPER_WORKSPACE) {
  const isIncremental = withIncremental.get(workspace) ?? hasIncrementalData(workspace);
  withIncremental.set(workspace, isIncremental);
  const target = { CARGO_TARGET_DIR: join(workspace, "target") };
  return { ...cargoEnvironment(), ...target, ...(isIncremental ? {} : { CARGO_INCREMENTAL: "0" }) };
}

/** Cargo makes their folder in any case. @param {string} workspace */
function hasIncrementalData(workspace) {
  const folder = join(workspace, "target", HELPER_TARGET, "debug/incremental");
  return existsSync(folder) && readdirSync(folder).length > 0;
}
