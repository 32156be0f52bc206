// npm run advisories: known vulnerabilities of the components. It queries databases that others keep, so it needs a
// network and is not part of `npm test`; a database that cannot be queried is reported, and does not count as a pass.
import { cargoEnvironment, runCargo } from "./cargo.mjs";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { exitCodeOf, explain } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";

/** @typedef {{name: string, verdict: "clean" | "holes" | "not queried", detail: string}} Queried */

/** Crates, by the database of RustSec. @param {string} lock @returns {Promise<Queried>} */
async function queryRustSec(lock) {
  const name = `crates of ${lock}`;
  if (findProgram("cargo-audit") === null)
    return { name, verdict: "not queried", detail: "cargo-audit is not installed: cargo install cargo-audit" };
  const { code, stdout, stderr } = await runCargo(["audit", "--file", lock], {
    cwd: HELPER_WORKSPACE,
    env: cargoEnvironment(),
  });
  const output = `${stdout}\n${stderr}`;
  // It ends with 1 for a hole and for a database that cannot be had.
  if (code !== 0 && !/vulnerabilit(y|ies) found/.test(output))
    return { name, verdict: "not queried", detail: lastLines(output, 3) };
  return { name, verdict: code === 0 ? "clean" : "holes", detail: lastLines(output, 40) };
}

/** npm packages, by the registry they come from. @returns {Promise<Queried>} */
async function queryNpm() {
  const name = "npm packages";
  const { stdout, stderr } = await run("npm", ["audit", "--json"], { cwd: ROOT });
  try {
    const { metadata, vulnerabilities } = JSON.parse(stdout);
    /** @type {number} */
    const total = metadata.vulnerabilities.total;
    const named = Object.entries(vulnerabilities).map(
      ([title, { severity, range }]) => `${title} ${range}: ${severity}`,
    );
    return { name, verdict: total === 0 ? "clean" : "holes", detail: named.join("\n") };
  } catch {
    return { name, verdict: "not queried", detail: lastLines(stderr || stdout, 3) };
  }
}

try {
  const all = [await queryRustSec("Cargo.lock"), await queryRustSec("fuzz/Cargo.lock"), await queryNpm()];
  for (const { name, verdict, detail } of all)
    console.log(`${name}: ${verdict}${detail === "" ? "" : `\n  ${detail.trim().replaceAll("\n", "\n  ")}`}`);
  process.exitCode = all.every(({ verdict }) => verdict === "clean")
    ? 0
    : all.some(({ verdict }) => verdict === "holes")
      ? 1
      : 2;
} catch (error) {
  console.error(explain(error));
  process.exitCode = exitCodeOf(error);
}
