// The helper as a Debian package: dist/extrospect_VERSION_amd64.deb. The same sources make the same bytes.
import {
  chmodSync,
  copyFileSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { withPackagedLinks } from "./packaged-pages.mjs";
import { Problem } from "./problem.mjs";
import { DEB, HELPER, HELPER_VERSION, ROOT } from "./project.mjs";
import { sourceDate } from "./source-date.mjs";

const SOURCES = join(ROOT, "packaging");
const SCRIPTS = ["postinst", "prerm", "postrm"];
const DOCUMENTS = "usr/share/doc/extrospect";
/** Pages of docs/, by their names in the package. */
const PAGES = { "security.md": "security.md.gz", "security-tests.md": "security-tests.md.gz" };

/**
 * A file of the package.
 * @typedef {object} PackagedFile
 * @property {string} path      below the root folder
 * @property {Buffer} content
 * @property {boolean} [isProgram]
 */

/**
 * Packs the helper, which has been built.
 * @param {{signal?: AbortSignal | undefined, file?: string, helper?: string}} [options]
 * @returns {Promise<string>} a summary of the work; without dpkg-deb, that there was none
 */
export async function packageDeb({ signal, file = DEB, helper = HELPER } = {}) {
  const dpkg = findProgram("dpkg-deb");
  if (dpkg === null) return "left out: dpkg-deb is not there, which makes it (Debian and Ubuntu have it)";
  const folder = mkdtempSync(join(tmpdir(), "extrospect-deb-"));
  try {
    const epochS = await sourceDate();
    layOut(folder, files(helper));
    settle(folder, epochS);
    mkdirSync(dirname(file), { recursive: true });
    // Older systems read xz, and one thread cuts it into the same blocks everywhere.
    const args = ["--root-owner-group", "-Zxz", "--threads-max=1", "--build", folder, file];
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epochS) };
    let made = await run(dpkg, args, { env, ...(signal && { signal }) });
    // dpkg before 1.21.9 has no such option, and one thread.
    if (/unknown option/.test(made.stderr)) {
      const fewer = args.filter((arg) => !arg.startsWith("--threads"));
      made = await run(dpkg, fewer, { env, ...(signal && { signal }) });
    }
    if (made.code !== 0)
      throw new Problem("the Debian package cannot be made", lastLines(made.stderr), `${dpkg} ${args.join(" ")}`);
    return `packed ${relative(ROOT, file)}, ${(statSync(file).size / 1e6).toFixed(1)} MB`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All that is installed. @param {string} helper @returns {PackagedFile[]} */
function files(helper) {
  const source = (/** @type {string} */ path) => readFileSync(join(SOURCES, path));
  const packed = (/** @type {Buffer} */ content) => gzipSync(content, { level: 9 });
  const completion = (/** @type {string} */ name) => source(`completions/${name}`);
  const pages = readdirSync(join(SOURCES, "man")).sort();
  return [
    { path: "usr/bin/extrospect", content: readFileSync(helper), isProgram: true },
    { path: "usr/lib/sysusers.d/extrospect.conf", content: source("debian/sysusers.conf") },
    { path: "usr/share/bash-completion/completions/extrospect", content: completion("extrospect.bash") },
    { path: "usr/share/zsh/vendor-completions/_extrospect", content: completion("_extrospect") },
    { path: "usr/share/fish/vendor_completions.d/extrospect.fish", content: completion("extrospect.fish") },
    ...pages.map((page) => ({ path: `usr/share/man/man1/${page}.gz`, content: packed(source(`man/${page}`)) })),
    { path: `${DOCUMENTS}/copyright`, content: source("debian/copyright") },
    {
      path: `${DOCUMENTS}/ThirdPartyNotices.txt.gz`,
      content: packed(readFileSync(join(ROOT, "ThirdPartyNotices.txt"))),
    },
    ...pagesInPackage().map(({ path, content }) => ({ path, content: packed(content) })),
    { path: `${DOCUMENTS}/examples/policy.toml`, content: source("debian/policy.example.toml") },
  ];
}

/** The pages with links, not yet compressed. @returns {PackagedFile[]} */
export function pagesInPackage() {
  const page = (/** @type {string} */ source, /** @type {string} */ name) => ({
    path: `${DOCUMENTS}/${name}`,
    content: Buffer.from(withPackagedLinks(readFileSync(join(ROOT, source), "utf8"), PAGES)),
  });
  return [
    page("CHANGELOG.md", "changelog.gz"),
    ...Object.entries(PAGES).map(([name, packaged]) => page(`docs/${name}`, packaged)),
  ];
}

/** @param {string} folder @param {PackagedFile[]} all */
function layOut(folder, all) {
  for (const { path, content, isProgram } of all) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
    chmodSync(place, isProgram ? 0o755 : 0o644);
  }
  const control = join(folder, "DEBIAN");
  mkdirSync(control);
  const kib = Math.ceil(all.reduce((sum, { content }) => sum + content.length, 0) / 1024);
  const text = readFileSync(join(SOURCES, "debian/control"), "utf8");
  writeFileSync(join(control, "control"), text.replace("@VERSION@", HELPER_VERSION).replace("@KIB@", String(kib)));
  const sums = all.map(({ path, content }) => `${createHash("md5").update(content).digest("hex")}  ${path}\n`);
  writeFileSync(join(control, "md5sums"), sums.sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1)).join(""));
  for (const name of ["control", "md5sums"]) chmodSync(join(control, name), 0o644);
  for (const name of SCRIPTS) {
    copyFileSync(join(SOURCES, "debian", name), join(control, name));
    chmodSync(join(control, name), 0o755);
  }
}

/** One time and one mode for all folders, whatever the umask and the clock. @param {string} folder @param {number} epochS */
function settle(folder, epochS) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path, epochS);
    else lutimesSync(path, epochS, epochS);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, epochS, epochS);
}
