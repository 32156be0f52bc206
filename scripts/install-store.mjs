// A real store of continuous profiles, Pyroscope, built from Go modules into the user's cache: for tests.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.mjs";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { removeHalfMade } from "./half-made.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { step } from "./steps.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

/** The first that is to be had and takes OTLP profiles by HTTP, with one dictionary for a message. */
const VERSION = "v1.21.1";
const MODULE = "github.com/grafana/pyroscope";
/** It replaces this part of itself by a folder; the module of that time is the same. */
const API = { path: `${MODULE}/api`, version: "v1.4.0" };

/** `pyroscope-VERSION.PID` */
const HALF_BUILT = /^pyroscope-v\d+\.\d+\.\d+\.(\d+)$/;

/** @returns {string} the folder it is built in */
export function storeFolder() {
  return join(cacheFolder(), "store", `pyroscope-${VERSION}`);
}

/** The program, once it is built. */
export const storeProgram = (folder = storeFolder()) => join(folder, "pyroscope");

/**
 * Builds it unless it is there: some minutes on two cores, once.
 * @param {{signal?: AbortSignal | undefined, progress?: (text: string) => void, folder?: string}} [options]
 * @returns {Promise<string>} a summary of the work
 */
export async function installStore({ signal, progress, folder = storeFolder() } = {}) {
  const program = storeProgram(folder);
  removeHalfMade(dirname(folder), HALF_BUILT);
  if (existsSync(program)) return "ready";
  // Two that build at once each have a folder of their own; the one that ends last wins.
  const work = `${folder}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    progress?.("its sources");
    await go(work, ["mod", "download", `${MODULE}@${VERSION}`], signal);
    const modules = (await go(work, ["env", "GOMODCACHE"], signal)).trim();
    const source = join(modules, `${MODULE}@${VERSION}`);
    const own = readFileSync(join(source, "go.mod"), "utf8").split("\n").slice(1).join("\n");
    const pinned = own
      .replaceAll(`${API.path} => ./api`, "")
      .replace(/(\spyroscope\/api|github\.com\/grafana\/pyroscope\/api) v[\d.]+/, `$1 ${API.version}`);
    writeFileSync(join(work, "go.mod"), `module profilestore\n${pinned}\nrequire ${MODULE} ${VERSION}\n`);
    for (const sums of ["go.sum", "go.work.sum"])
      appendFileSync(join(work, "go.sum"), readFileSync(join(source, sums)));
    progress?.("the compiler runs");
    await go(work, ["build", "-o", "pyroscope", `${MODULE}/cmd/pyroscope`], signal);
    mkdirSync(folder, { recursive: true });
    renameSync(join(work, "pyroscope"), program);
    return `built Pyroscope ${VERSION}`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} cwd @param {string[]} args @param {AbortSignal | undefined} signal */
async function go(cwd, args, signal) {
  const program = findProgram("go");
  if (program === null)
    throw new Problem(
      "go is missing",
      "the store that profiles are pushed to is built with it",
      "sudo apt-get install golang-go",
    );
  const env = { ...process.env, GOFLAGS: "-mod=mod" };
  const { code, stdout, stderr } = await run(program, args, {
    cwd,
    env,
    ...(signal && { signal }),
  });
  if (code !== 0)
    throw new Problem("the store of profiles cannot be built", lastLines(stderr || stdout, 12), `go ${args.join(" ")}`);
  return stdout;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureSystemPackages([{ package: "golang-go", program: "go" }]);
    await step("store of profiles", async (progress) => ({ outcome: await installStore({ progress }) }));
    console.log(dirname(storeProgram()));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
