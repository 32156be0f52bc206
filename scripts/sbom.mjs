// The components of each package, as CycloneDX JSON beside it: PACKAGE.cdx.json. The same sources make the same text.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { cargoEnvironment } from "./cargo.mjs";
import { run } from "./command.mjs";
import { bundledNpmPackages, EDITOR_MODULE_TARGET, linkedCrates } from "./components.mjs";
import { ALPINE_VSIX, DEB, HELPER_VERSION, HELPER_WORKSPACE, ROOT, VSIX, VSIX_WITHOUT_HELPER } from "./project.mjs";
import { sourceDate } from "./source-date.mjs";

/**
 * @typedef {object} Component   as CycloneDX 1.6 has it
 * @property {"application" | "library"} type
 * @property {string} bom-ref
 * @property {string} name
 * @property {string} version
 * @property {string} [purl]
 * @property {string} [description]
 * @property {({expression: string})[]} [licenses]
 * @property {{alg: "SHA-256" | "SHA-512", content: string}[]} [hashes]
 *
 * @typedef {object} Parts
 * @property {Component[]} components
 * @property {Map<string, string[]>} needs   references, by reference
 * @property {string[]} roots                the direct contents of the package
 */

/** Each package, and whether the helper and the extension are in it. */
const PACKAGES = [
  { file: VSIX, name: "extrospect-linux-x64", hasHelper: true, hasExtension: true },
  { file: ALPINE_VSIX, name: "extrospect-alpine-x64", hasHelper: true, hasExtension: true },
  { file: VSIX_WITHOUT_HELPER, name: "extrospect-without-helper", hasHelper: true, hasExtension: true },
  { file: DEB, name: "extrospect-deb", hasHelper: true, hasExtension: false },
];

/** @param {string} file a package @returns {string} */
export const bomFile = (file) => `${file}.cdx.json`;

/**
 * Writes one beside each package that is there.
 * @param {string[]} [files]   only of these
 * @returns {Promise<string>} a summary of the work
 */
export async function writeBoms(files = PACKAGES.map(({ file }) => file)) {
  const helper = joined([crateParts(await linkedCrates()), await systemParts()]);
  const extension = joined([crateParts(await linkedCrates("editor-module", EDITOR_MODULE_TARGET)), await npmParts()]);
  const seconds = await sourceDate();
  const written = PACKAGES.filter(({ file }) => files.includes(file) && existsSync(file)).map(
    ({ file, name, hasHelper, hasExtension }) => {
      const parts = joined([...(hasExtension ? [extension] : []), ...(hasHelper ? [helper] : [])]);
      writeFileSync(bomFile(file), `${JSON.stringify(bom({ file, name, parts, seconds }), null, 2)}\n`);
      return `${basename(bomFile(file))}, ${parts.components.length} parts`;
    },
  );
  return `wrote ${written.join("; ")}`;
}

/** @param {{file: string, name: string, parts: Parts, seconds: number}} what */
function bom({ file, name, parts, seconds }) {
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  const root = `pkg:generic/${name}@${HELPER_VERSION}`;
  const needs = new Map([[root, parts.roots], ...parts.needs]);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    // One for each package, and the same for the same package.
    serialNumber: `urn:uuid:${uuid(sha256)}`,
    version: 1,
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString().replace(".000Z", "Z"),
      component: {
        type: "application",
        "bom-ref": root,
        name,
        version: HELPER_VERSION,
        purl: root,
        licenses: [{ expression: "Apache-2.0" }],
        hashes: [{ alg: "SHA-256", content: sha256 }],
      },
    },
    components: [...parts.components].sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1)),
    dependencies: [...needs]
      .map(([ref, dependsOn]) => ({ ref, dependsOn: [...new Set(dependsOn)].sort() }))
      .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  };
}

/** Of the form that random ones have. @param {string} hex */
function uuid(hex) {
  const variant = ((Number.parseInt(hex[16] ?? "0", 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** @param {Parts[]} all @returns {Parts} each component once */
function joined(all) {
  const components = new Map(all.flatMap((parts) => parts.components.map((one) => [one["bom-ref"], one])));
  return {
    components: [...components.values()],
    needs: new Map(all.flatMap((parts) => [...parts.needs])),
    roots: all.flatMap((parts) => parts.roots),
  };
}

/** @param {import("./components.mjs").LinkedCrate[]} linked @returns {Parts} */
function crateParts(linked) {
  const checksums = lockedChecksums(readFileSync(join(HELPER_WORKSPACE, "Cargo.lock"), "utf8"));
  const components = linked.map(({ crate }) => {
    const checksum = checksums.get(`${crate.name} ${crate.version}`);
    return {
      type: /** @type {const} */ ("library"),
      "bom-ref": crateReference(crate),
      name: crate.name,
      version: crate.version,
      ...(crate.description && { description: crate.description.replace(/\s+/g, " ").trim() }),
      ...(checksum !== undefined && { hashes: [{ alg: /** @type {const} */ ("SHA-256"), content: checksum }] }),
      licenses: [{ expression: spdx(crate.license ?? "NOASSERTION") }],
      purl: crateReference(crate),
    };
  });
  const needs = new Map(linked.map(({ crate, needs: all }) => [crateReference(crate), all.map(crateReference)]));
  return { components, needs, roots: linked.slice(0, 1).map(({ crate }) => crateReference(crate)) };
}

/**
 * The workspace's own crates are in no registry: their address states where they are instead.
 * @param {import("./components.mjs").CargoPackage} crate
 */
function crateReference({ name, version, source, manifest_path: manifest }) {
  const address = source === null ? `?download_url=file:${relative(ROOT, dirname(manifest))}` : "";
  return `pkg:cargo/${name}@${version}${address}`;
}

/** Checksums of crates from a registry, by name and version. @param {string} lock @returns {Map<string, string>} */
export function lockedChecksums(lock) {
  const entries = lock.split("[[package]]").slice(1);
  const value = (/** @type {string} */ entry, /** @type {string} */ key) =>
    new RegExp(`^${key} = "([^"]*)"`, "m").exec(entry)?.[1];
  return new Map(
    entries.flatMap((entry) => {
      const checksum = value(entry, "checksum");
      return checksum === undefined
        ? []
        : [/** @type {const} */ ([`${value(entry, "name")} ${value(entry, "version")}`, checksum])];
    }),
  );
}

/** @returns {Promise<Parts>} */
async function npmParts() {
  /** @type {{packages: Record<string, {integrity?: string}>}} */
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const all = await bundledNpmPackages();
  const components = all.map(({ folder, name, version, license }) => {
    const [, hash] = /^sha512-(\S+)/.exec(packages[folder]?.integrity ?? "") ?? [];
    return {
      type: /** @type {const} */ ("library"),
      "bom-ref": npmReference(name, version),
      name,
      version,
      ...(hash !== undefined && {
        hashes: [{ alg: /** @type {const} */ ("SHA-512"), content: Buffer.from(hash, "base64").toString("hex") }],
      }),
      licenses: [{ expression: spdx(license) }],
      purl: npmReference(name, version),
    };
  });
  // Bundled into one program, each of them is simply in the package.
  return {
    components,
    needs: new Map(components.map((one) => [one["bom-ref"], []])),
    roots: components.map((one) => one["bom-ref"]),
  };
}

/** @param {string} name @param {string} version */
const npmReference = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;

/** The parts that the compiler and the system add to a static program. @returns {Promise<Parts>} */
async function systemParts() {
  const rust = await run("rustc", ["--version"], { cwd: HELPER_WORKSPACE, env: cargoEnvironment() });
  const version = /rustc (\S+)/.exec(rust.stdout)?.[1] ?? "unknown";
  const components = [
    generic("rust-std", version, "MIT OR Apache-2.0"),
    generic("glibc", await glibcVersion(), "LGPL-2.1-or-later"),
    generic("libgcc", "unknown", "GPL-3.0-or-later WITH GCC-exception-3.1"),
  ];
  const references = components.map((one) => one["bom-ref"]);
  return { components, needs: new Map(references.map((reference) => [reference, []])), roots: references };
}

/** The one whose static library the linker takes. */
async function glibcVersion() {
  const { stdout } = await run("getconf", ["GNU_LIBC_VERSION"]);
  return /glibc (\S+)/.exec(stdout)?.[1] ?? "unknown";
}

/** @param {string} name @param {string} version @param {string} licence @returns {Component} */
function generic(name, version, licence) {
  const purl = `pkg:generic/${name}${version === "unknown" ? "" : `@${version}`}`;
  return { type: "library", "bom-ref": purl, name, version, licenses: [{ expression: licence }], purl };
}

/** Older crates have a slash for `OR`. @param {string} licence */
const spdx = (licence) => licence.replace(/\s*\/\s*/g, " OR ");
