// Bills of materials, compared with the requirements of CycloneDX 1.6, and with the package that they lie beside.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { bomFile } from "../scripts/sbom.mjs";

/** The licences that the packages may consist of. */
const LICENCES = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "GPL-3.0-or-later",
  "ISC",
  "LGPL-2.1-or-later",
  "MIT",
  "Unicode-3.0",
  "Unlicense",
  "Zlib",
  "GCC-exception-3.1",
  "LLVM-exception",
];

/** @typedef {import("../scripts/sbom.mjs").Component} Component */

/**
 * @param {string} file   a package
 * @returns {{components: Component[], dependencies: {ref: string, dependsOn: string[]}[]}} its bill of materials
 */
export function readBom(file) {
  const bom = JSON.parse(readFileSync(bomFile(file), "utf8"));
  assert.equal(bom.bomFormat, "CycloneDX");
  assert.equal(bom.specVersion, "1.6");
  assert.equal(bom.version, 1);
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(bom.metadata.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assertComponent(bom.metadata.component);
  assert.equal(
    bom.metadata.component.hashes[0].content,
    createHash("sha256").update(readFileSync(file)).digest("hex"),
    "it is of this very package",
  );
  for (const component of bom.components) assertComponent(component);
  const references = [bom.metadata.component, ...bom.components].map((one) => one["bom-ref"]);
  assert.equal(new Set(references).size, references.length, "references are unique");
  const told = bom.dependencies.map((/** @type {{ref: string}} */ { ref }) => ref);
  assert.deepEqual([...told].sort(), [...references].sort(), "each states its needs once");
  // Whatever is listed is there because something needs it.
  const reached = new Set();
  const visit = (/** @type {string} */ ref) => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const next of bom.dependencies.find((/** @type {{ref: string}} */ one) => one.ref === ref).dependsOn)
      visit(next);
  };
  visit(bom.metadata.component["bom-ref"]);
  assert.deepEqual([...reached].sort(), [...references].sort());
  return bom;
}

/** @param {Component} component */
function assertComponent(component) {
  const { type, name, version, purl, licenses, hashes = [] } = component;
  const shown = JSON.stringify(component);
  assert.ok(["application", "library"].includes(type) && name !== "" && version !== "", shown);
  assert.match(
    purl ?? "",
    /^pkg:(cargo|npm|generic)\/(%40[\w.-]+\/)?[\w.-]+(@[\w.+-]+)?(\?download_url=file:[\w/-]+)?$/,
  );
  assert.equal(licenses?.length, 1, shown);
  const words = (licenses[0]?.expression ?? "")
    .split(/[\s()]+/)
    .filter((word) => word !== "" && !["AND", "OR", "WITH"].includes(word));
  assert.ok(words.length > 0, shown);
  for (const word of words) assert.ok(LICENCES.includes(word), `${word} of ${shown}`);
  for (const { alg, content } of hashes)
    assert.match(content, alg === "SHA-256" ? /^[0-9a-f]{64}$/ : /^[0-9a-f]{128}$/);
}
