// The components of the packages: the npm packages in the bundles, the crates in the programs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundled } from "./build-extension.mjs";
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines } from "./command.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_TARGET, HELPER_WORKSPACE, ROOT } from "./project.mjs";

export const EDITOR_MODULE_TARGET = "wasm32-unknown-unknown";

/**
 * @typedef {object} CargoPackage
 * @property {string} id
 * @property {string} name
 * @property {string} version
 * @property {string | null} source    null: a crate of the workspace
 * @property {string | null} license
 * @property {string | null} description
 * @property {string[]} authors
 * @property {string} manifest_path
 * @property {{kind: string[]}[]} targets
 *
 * @typedef {{id: string, deps: {pkg: string, dep_kinds: {kind: string | null}[]}[]}} CargoNode
 *
 * @typedef {object} LinkedCrate
 * @property {CargoPackage} crate
 * @property {CargoPackage[]} needs   the crates that it is linked with
 *
 * @typedef {object} NpmPackage
 * @property {string} folder   from the root of the repository on
 * @property {string} name
 * @property {string} version
 * @property {string} license
 * @property {string} author
 */

/**
 * The crates that are linked into a program or library of the workspace, itself first.
 * @param {string} root     `cli` is the helper
 * @param {string} target   for which it is compiled
 * @returns {Promise<LinkedCrate[]>}
 */
export async function linkedCrates(root = "cli", target = HELPER_TARGET) {
  const args = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
  const { code, stdout, stderr } = await runCargo(args, { cwd: HELPER_WORKSPACE, env: cargoEnvironment() });
  if (code !== 0)
    throw new Problem("cargo does not say what the helper is made of", lastLines(stderr), `cargo ${args.join(" ")}`);
  /** @type {{packages: CargoPackage[], resolve: {nodes: CargoNode[]}}} */
  const { packages, resolve } = JSON.parse(stdout);
  const packageOf = new Map(packages.map((one) => [one.id, one]));
  const nodeOf = new Map(resolve.nodes.map((node) => [node.id, node]));
  // Code that runs in the compiler is not in its output.
  const isLinked = (/** @type {CargoPackage | undefined} */ one) =>
    one !== undefined && !one.targets.some(({ kind }) => kind.includes("proc-macro"));
  /** @type {Map<string, LinkedCrate>} */
  const linked = new Map();
  const visit = (/** @type {CargoPackage} */ crate) => {
    if (linked.has(crate.id)) return;
    const normal = (nodeOf.get(crate.id)?.deps ?? []).filter(({ dep_kinds: kinds }) =>
      kinds.some(({ kind }) => kind === null),
    );
    const needs = normal.flatMap(({ pkg }) => packageOf.get(pkg) ?? []).filter(isLinked);
    linked.set(crate.id, { crate, needs });
    needs.forEach(visit);
  };
  packages.filter(({ name, source }) => name === root && source === null).forEach(visit);
  return [...linked.values()];
}

/** The npm packages of which the bundles hold at least a part. @returns {Promise<NpmPackage[]>} */
export async function bundledNpmPackages() {
  const { host, pages } = await bundled();
  const inputs = [host, pages].flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap(({ inputs: parts }) => Object.keys(parts)),
  );
  const folders = new Set(
    inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []),
  );
  return [...folders].sort().map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
    return { folder, name, version, license, author: typeof author === "string" ? author : (author?.name ?? name) };
  });
}
