// Keeps the folders of the build machine out of its builds: the same sources make the same program in any folder.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines } from "./command.mjs";
import { homeFolder } from "./home-folder.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";

/** Names of folders as they appear in builds, in panic messages. */
const WORKSPACE_NAME = "/extrospect";
const CRATES_NAME = "/crates";

/** An empty one is none for cargo. */
export const CARGO_HOME = process.env["CARGO_HOME"] || join(homeFolder(), ".cargo");

/**
 * The folder of this machine that a program contains and should not.
 * @param {Buffer} program
 * @returns {string | null}
 */
export function folderFault(program) {
  const found = [ROOT, CARGO_HOME].find((folder) => program.includes(`${folder}/`));
  return found === undefined
    ? null
    : `it names ${found}, a folder of this machine: built elsewhere it would be another program`;
}

/**
 * Arguments of cargo, beside those of .cargo/config.toml, which they join. The folder of the workspace is one of them
 * only for a shipped build: cargo gives the compiler paths inside of it, so that the quick build does not name it, and
 * crates that were compiled in one clone can be used in another.
 * @param {string} target     for which is compiled
 * @param {{workspace?: string, cargoHome?: string, isShipped?: boolean, signal?: AbortSignal | undefined}} [options]
 * @returns {Promise<string[]>}
 */
export async function withoutFolders(
  target,
  { workspace = HELPER_WORKSPACE, cargoHome = CARGO_HOME, isShipped = true, signal } = {},
) {
  await fetchCrates(target, { workspace, cargoHome, signal });
  const registry = join(cargoHome, "registry/src");
  // Each registry has a folder of its own there, called after its address.
  const registries = existsSync(registry) ? readdirSync(registry).map((name) => join(registry, name)) : [];
  /** The later ones count where several fit. @type {[string, string][]} */
  const names = [
    [cargoHome, "/cargo"],
    ...registries.sort().map((folder) => /** @type {[string, string]} */ ([folder, CRATES_NAME])),
  ];
  if (isShipped) names.push([workspace, WORKSPACE_NAME]);
  const flags = names.map(([folder, name]) => `--remap-path-prefix=${folder}=${name}`);
  return ["--config", `target.${target}.rustflags=${JSON.stringify(flags)}`];
}

/**
 * Has cargo unpack the crates: on a fresh machine the folders of its registries are not there before, so that the first program would name
 * other folders than the second, and all of it would be compiled twice.
 * @param {string} target
 * @param {{workspace: string, cargoHome: string, signal: AbortSignal | undefined}} options
 */
async function fetchCrates(target, { workspace, cargoHome, signal }) {
  const args = ["fetch", "--locked", "--target", target];
  const { code, stderr } = await runCargo(args, {
    cwd: workspace,
    env: { ...cargoEnvironment(), CARGO_HOME: cargoHome },
    ...(signal && { signal }),
  });
  if (code !== 0)
    throw new Problem("the crates cannot be fetched", lastLines(stderr), `cd native-helper && cargo ${args.join(" ")}`);
}
