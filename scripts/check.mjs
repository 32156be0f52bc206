// npm run check: types, lint, dead code, words to avoid, the manifest, third-party notices, circles of Rust modules, that compiled crates can be kept, the protocol's document, Rust formatting and Rust lints, all at once.
import { join } from "node:path";
import { cargo, cargoEnvironment } from "./cargo.mjs";
import { run } from "./command.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { exitCodeOf, explain } from "./problem.mjs";
import { HELPER_WORKSPACE, ROOT } from "./project.mjs";
import { stepLine } from "./steps.mjs";
import { BUILD_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/** @param {string} name */
const npmProgram = (name) => join(ROOT, "node_modules/.bin", name);

/** @returns {{name: string, command: string, args: string[], cwd: string, env?: NodeJS.ProcessEnv}[]} */
function checks() {
  const rust = { command: cargo(), cwd: HELPER_WORKSPACE, env: cargoEnvironment() };
  const clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "-D", "warnings"];
  return [
    { name: "types", command: npmProgram("tsc"), args: ["--noEmit"], cwd: ROOT },
    { name: "types, contract", command: npmProgram("tsc"), args: ["--noEmit", "-p", "contract"], cwd: ROOT },
    { name: "types, webviews", command: npmProgram("tsc"), args: ["--noEmit", "-p", "webviews"], cwd: ROOT },
    { name: "types, webview tests", command: npmProgram("tsc"), args: ["--noEmit", "-p", "test/webviews"], cwd: ROOT },
    { name: "types, format tests", command: npmProgram("tsc"), args: ["--noEmit", "-p", "test/formats"], cwd: ROOT },
    { name: "types, editor tests", command: npmProgram("tsc"), args: ["--noEmit", "-p", "test/editor"], cwd: ROOT },
    { name: "lint", command: npmProgram("eslint"), args: ["--max-warnings", "0", "."], cwd: ROOT },
    { name: "dead code", command: npmProgram("knip"), args: ["--no-progress"], cwd: ROOT },
    { name: "format", command: npmProgram("prettier"), args: ["--check", "--log-level", "warn", "."], cwd: ROOT },
    { name: "manifest", command: process.execPath, args: ["scripts/check-manifest.mjs"], cwd: ROOT },
    { name: "notices", command: process.execPath, args: ["scripts/third-party-notices.mjs"], cwd: ROOT },
    { name: "module circles", command: process.execPath, args: ["scripts/check-module-cycles.mjs"], cwd: ROOT },
    { name: "words", command: process.execPath, args: ["scripts/check-words.mjs"], cwd: ROOT },
    // Of `npm test`: a new Rust test breaks it most easily, by the name of a folder in the program.
    { name: "kept builds", command: process.execPath, args: ["--test", "test/unit/kept-builds.test.mjs"], cwd: ROOT },
    // Of `npm test`: a changed message or type breaks it, and nothing else here notices.
    { name: "protocol", args: ["test", "-p", "protocol", "--locked", "--quiet"], ...rust },
    { name: "rustfmt", args: ["fmt", "--all", "--check"], ...rust },
    { name: "clippy", args: clippy, ...rust },
    // Fuzzing has a workspace of its own, whose lock file no other check reads.
    {
      name: "fuzzing's lock file",
      args: ["metadata", "--locked", "--format-version", "1", "--manifest-path", "fuzz/Cargo.toml"],
      ...rust,
    },
  ];
}

try {
  await ensureSystemPackages(BUILD_REQUIREMENTS);
  await ensureNpmPackages();
  const failed = await Promise.all(
    checks().map(async ({ name, command, args, ...options }) => {
      const startedMs = performance.now();
      const { code, stdout, stderr } = await run(command, args, options);
      console.log(stepLine(name, code === 0 ? "ok" : "FAILED", performance.now() - startedMs));
      if (code === 0) return [];
      console.log(`${stdout}${stderr}`.trimEnd());
      return [name];
    }),
  );
  const names = failed.flat();
  console.log(names.length === 0 ? "check: all fine" : `check: failed: ${names.join(", ")}`);
  process.exitCode = names.length === 0 ? 0 : 1;
} catch (error) {
  console.error(explain(error));
  process.exitCode = exitCodeOf(error);
}
