// ThirdPartyNotices.txt: the third-party code that is bundled into the extension and linked into the helper, with its
// licences. As a program it reports whether that file is current; with `--write` it makes it anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledNpmPackages, linkedCrates } from "./components.mjs";
import { Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";

const NOTICES = "ThirdPartyNotices.txt";
const COMMON_LICENCES = "/usr/share/common-licenses";
const RULE = "-".repeat(80);

/**
 * @typedef {object} Component
 * @property {string} name
 * @property {string} version
 * @property {string} licence   as its package names it
 * @property {string[]} texts
 */

/** @returns {Promise<Component[]>} */
async function npmComponents() {
  const packages = await bundledNpmPackages();
  return packages.map(({ folder, name, version, license, author }) => ({
    name,
    version,
    licence: license,
    texts: licenceTexts(join(ROOT, folder), license, author),
  }));
}

/** @returns {Promise<Component[]>} */
async function cargoComponents() {
  const crates = await linkedCrates();
  return crates
    .map(({ crate }) => crate)
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, authors, manifest_path: manifest }) => {
      const holders =
        authors.length > 0
          ? authors.map((author) => author.replace(/ *<.*>/, "")).join(", ")
          : `the authors of ${name}`;
      return { name, version, licence: license ?? "", texts: licenceTexts(dirname(manifest), license ?? "", holders) };
    });
}

/** The parts that the compiler and the system add to a static program. @returns {Component[]} */
function systemComponents() {
  const text = readFileSync(join(COMMON_LICENCES, "LGPL-2.1"), "utf8");
  return [
    {
      name: "Rust standard library",
      version: "",
      licence: "MIT OR Apache-2.0",
      texts: [mitText("The Rust Project Contributors")],
    },
    { name: "GNU C library", version: "", licence: "LGPL-2.1-or-later", texts: [text] },
    { name: "GCC runtime library", version: "", licence: "GPL-3.0-or-later WITH GCC-exception-3.1", texts: [] },
  ];
}

/**
 * The texts of a package: where it offers several licences, that of MIT, else the one text it has or that of Apache;
 * and its notices of parts that it took from others.
 * @param {string} folder
 * @param {string} licence
 * @param {string} holders   for packages that name MIT as their licence and hold no text
 */
function licenceTexts(folder, licence, holders) {
  const names = readdirSync(folder).sort();
  const offersMit = /\bMIT\b/.test(licence);
  const mit = names.filter((name) => /^licen[cs]e-mit\b/i.test(name));
  const plain = names.filter((name) => /^(licen[cs]e|copying|unlicense)(-code)?(\.(md|txt))?$/i.test(name));
  const apache = /\bApache-2\.0\b/.test(licence) ? names.filter((name) => /^licen[cs]e-apache\b/i.test(name)) : [];
  const withoutMit = plain.length > 0 ? plain : apache;
  const chosen = offersMit && mit.length > 0 ? mit : offersMit ? plain : withoutMit;
  if (chosen.length === 0 && !offersMit)
    throw new Problem(
      `${folder} holds no text of its licence, ${licence}`,
      "it must go with the package",
      `see scripts/third-party-notices.mjs`,
    );
  const others = names.filter((name) => /^(notice|licen[cs]e-third-party|thirdpartynotices?)\b/i.test(name));
  const texts = [...chosen, ...others].map((name) => readFileSync(join(folder, name), "utf8"));
  return chosen.length > 0 ? texts : [mitText(holders), ...texts];
}

/** @param {string} holders */
function mitText(holders) {
  return `MIT License

Copyright (c) ${holders}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

/** @param {Component} component */
const titleOf = ({ name, version, licence }) => [name, version, `(${licence})`].filter((part) => part !== "").join(" ");

/** @returns {Promise<string>} the text that the file must have */
export async function thirdPartyNotices() {
  const parts = [
    { title: "In the extension and its pages", components: await npmComponents() },
    {
      title: "In the helper, which is in the packages for x86-64 Linux",
      components: [...(await cargoComponents()), ...systemComponents()],
    },
  ];
  /** @type {Map<string, {text: string, titles: string[]}>} */
  const byText = new Map();
  const lists = parts.map(({ title, components }) => {
    const sorted = components.sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
    for (const component of sorted) for (const text of component.texts) noteText(byText, text, titleOf(component));
    return `${title}:\n\n${sorted.map((component) => `- ${titleOf(component)}`).join("\n")}\n`;
  });
  const texts = [...byText.values()].map(({ text, titles }) => `${RULE}\n${titles.join("\n")}\n${RULE}\n\n${text}\n`);
  return `Third-party notices\n\nExtrospect itself is under the Apache License 2.0. It holds software of others, which is listed here with its licences.\n\n${[...lists, ...texts].join("\n")}`;
}

/** Packages that share a text, line breaks apart, have it once. @param {Map<string, {text: string, titles: string[]}>} byText @param {string} text @param {string} title */
function noteText(byText, text, title) {
  const key = text.replace(/\s+/g, " ").trim();
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const known = byText.get(key) ?? {
    text: lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trim(),
    titles: [],
  };
  if (!known.titles.includes(title)) known.titles.push(title);
  byText.set(key, known);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(ROOT, NOTICES);
  const wanted = await thirdPartyNotices();
  if (process.argv.includes("--write")) writeFileSync(file, wanted);
  else if (!existsSync(file) || readFileSync(file, "utf8") !== wanted) {
    console.log(`${NOTICES} does not list what is packed: node scripts/third-party-notices.mjs --write`);
    process.exitCode = 1;
  }
}
