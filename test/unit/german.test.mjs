// German addresses the user in one way: sentences that instruct have the imperative with "Sie", labels the infinitive.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";

/** @param {string} file @returns {Record<string, string>} */
const texts = (file) => JSON.parse(readFileSync(join(ROOT, file), "utf8"));

const BUNDLE = texts("l10n/bundle.l10n.de.json");

/** What begins with one of these instructs. *Show* and *Delete* are words of buttons and questions. */
const VERBS =
  "Add|Append|Attach|Boot|Build|Capture|Check|Choose|Click|Compile|Connect|Convert|Copy|Correct|Empty (?:it|the)|" +
  "End|Enter (?:a|the)|Export|Fetch|Find|Fix|Free|Get|Give|Have|Import|Install|Let|Log in|Look up|Make|Map|Move|" +
  "Mount|Open|Pick|Press|Profile|Put|Raise|Record|Refresh|Reload|Rename|Report|Restart|Reuse|Run|Sample|Save|" +
  "Search|See|Select|Send|Set|Spread|Start|Stop|Take|Thaw|Trust|Try|Update|Use|Wait|Watch|Write";
const INSTRUCTS = new RegExp(
  `^(?:(?:please|then|otherwise|in [^,]+,|on [^,]+,|if [^,]+,) )*(?:${VERBS})\\b(?! of\\b)`,
  "i",
);

/** Parts of a text that stand for themselves, without the names of commands in them. @param {string} english */
const parts = (english) => english.replace(/“[^”]*”/g, "“”").split(/(?<=[.;:?!]) |\n|(?<=,) (?=then )/);

/** German that does not address the user where the English instructs. @param {[string, string][]} pairs of both */
const withoutAddress = (pairs) =>
  pairs
    .filter(([english]) => parts(english).some((part) => INSTRUCTS.test(part)))
    .map(([, german]) => german)
    .filter((german) => !/\bSie\b/.test(german));

test("a sentence that instructs has the imperative with Sie", () => {
  /** @type {[string, string][]} */
  const sentences = [];
  for (const [english, german] of Object.entries(BUNDLE)) {
    // Without a full stop, the first part may be a label.
    const prose = english.endsWith(".") ? english : english.split("; ").slice(1).join("; ");
    sentences.push([prose, german]);
  }
  assert.ok(sentences.length > 1000);
  assert.deepEqual(withoutAddress(sentences), []);
});

test("so do the remedies in the helper's messages", () => {
  const protocol = readFileSync(join(ROOT, "contract/protocol.generated.ts"), "utf8");
  const remedies = [...protocol.matchAll(/^ {2}to[A-Z]\w*:\s+(".*"),$/gm)].map(([, text]) => JSON.parse(text ?? ""));
  assert.ok(remedies.length > 40);
  assert.deepEqual(withoutAddress(remedies.map((text) => [text, BUNDLE[text] ?? ""])), []);
});

test("so do the pages of the walkthrough and of empty views", () => {
  const english = texts("package.nls.json");
  const german = texts("package.nls.de.json");
  const pages = Object.keys(german).filter((name) => /^(?:welcome\.|walkthrough\..*description$)/.test(name));
  assert.ok(pages.length > 8);
  // Of the links, the texts are those of buttons.
  const prose = (/** @type {string} */ text) => text.replace(/^\[.*$/gm, "");
  assert.deepEqual(withoutAddress(pages.map((name) => [prose(english[name] ?? ""), prose(german[name] ?? "")])), []);
});

test("commands and titles have the infinitive, and no text the informal address", () => {
  const shown = texts("package.nls.de.json");
  const titles = Object.entries(shown).filter(([name]) => /^command\.|\.title$/.test(name));
  assert.deepEqual(
    titles.filter(([, text]) => /\bSie\b/.test(text)),
    [],
  );
  const folder = join(ROOT, "media/walkthrough");
  const pages = readdirSync(folder).filter((name) => name.endsWith(".nls.de.md"));
  const all = [...Object.values(shown), ...Object.values(BUNDLE)];
  for (const page of pages) all.push(readFileSync(join(folder, page), "utf8"));
  assert.deepEqual(
    all.filter((text) => /(?<![\wäöüß-])(?:du|dich|dir|dein(?:e[mnrs]?)?)(?![\wäöüß-])/i.test(text)),
    [],
  );
});

test("a message about an error has the user's language, not that of the log", () => {
  const folder = join(ROOT, "extension/src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  assert.ok(sources.length > 300);
  assert.deepEqual(
    sources.filter((name) =>
      /show(?:Error|Warning|Information)Message\(\s*errorText\(/.test(readFileSync(join(folder, name), "utf8")),
    ),
    [],
  );
});
