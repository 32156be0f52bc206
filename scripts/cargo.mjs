// Finding cargo, and its environment.
import { dirname } from "node:path";
import { findProgram } from "./command.mjs";
import { Problem } from "./problem.mjs";

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

/** The environment for cargo: flags of the user's would undo the workspace's own, static linking among them. */
export function cargoEnvironment() {
  const { RUSTFLAGS: _flags, CARGO_ENCODED_RUSTFLAGS: _encoded, CARGO_BUILD_TARGET: _target, ...rest } = process.env;
  return { ...rest, PATH: `${dirname(cargo())}:${rest.PATH ?? ""}`, CARGO_TERM_COLOR: "never" };
}
