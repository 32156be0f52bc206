// Releases of public projects for bench/releases.mjs, with what their release notes state about speed.
import "../../scripts/outer-repository.mjs";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Project
 * @property {string} url
 * @property {string} base     tag of the older release
 * @property {string} new      tag of the newer release
 * @property {string[]} sources   folders that the build needs
 * @property {string} build    a shell's command in a checkout: writes ebin
 * @property {boolean} [elixir]   needs the libraries of Elixir
 * @property {string} notes    of the newer release: where, and the sentence
 * @property {string[]} faster    sections of the driver that are faster by these notes; about others they state nothing
 */

const ELIXIR_BUILD = 'mkdir -p ebin && elixirc -o ebin "lib/**/*.ex"';

/** The driver of each is beside this file. @type {Record<string, Project>} */
export const PROJECTS = {
  jsx: {
    url: "https://github.com/talentdeficit/jsx",
    base: "v2.3.1",
    new: "v2.4.0",
    sources: ["src"],
    build: "mkdir -p ebin && erlc +debug_info -o ebin src/*.erl",
    notes:
      "CHANGES.md: enough performance improvements to justify a new version. 2-3x speedup depending on mode of operation",
    faster: ["decode", "is_json", "minify", "encode", "encode_strings"],
  },
  jason: {
    url: "https://github.com/michalmuskala/jason",
    base: "v1.3.0",
    new: "v1.4.0",
    sources: ["lib"],
    build: ELIXIR_BUILD,
    elixir: true,
    notes:
      "CHANGELOG.md: use float_to_binary(_, [:short]) where available (OTP 24.1+), with much less memory used and significantly improved performance",
    faster: ["encode_floats"],
  },
  decimal: {
    url: "https://github.com/ericmj/decimal",
    base: "v2.3.0",
    new: "v2.4.0",
    sources: ["lib"],
    build: ELIXIR_BUILD,
    elixir: true,
    notes:
      "CHANGELOG.md: optimize hot paths for large decimals: coef_length, normalize, to_integer, integer?, parsing, and large-coefficient string formatting",
    faster: ["normalize_large", "to_integer_large", "is_integer_large", "parse_large", "to_string_large"],
  },
};

/** Where the libraries of a project are that it does not bring. @param {Project} project @returns {string[]} */
export function librariesOf({ elixir = false }) {
  if (!elixir) return [];
  return [execFileSync("elixir", ["-e", "IO.puts(:code.lib_dir(:elixir, :ebin))"], { encoding: "utf8" }).trim()];
}

/**
 * A checkout of a release that is built; one that is there is taken as it is.
 * @param {Project} project @param {string} tag @param {string} clone @param {string} folder   for all checkouts
 */
export function builtRelease({ sources, build }, tag, clone, folder) {
  const checkout = join(folder, tag);
  const done = join(folder, `${tag}.built`);
  if (existsSync(done)) return checkout;
  mkdirSync(folder, { recursive: true });
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync("git", args, { stdio: ["ignore", "ignore", "inherit"] });
  // A clone for each: a worktree of one would share its sparse checkout.
  if (!existsSync(checkout)) git("clone", "--quiet", "--no-checkout", clone, checkout);
  git("-C", checkout, "sparse-checkout", "set", ...sources);
  git("-C", checkout, "checkout", "--quiet", "--force", "--detach", tag);
  execFileSync("sh", ["-c", build], { cwd: checkout, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(done, "");
  return checkout;
}
