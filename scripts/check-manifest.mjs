// npm run check: the declarations of package.json are those that the sources use, and the reverse; texts have their
// translations.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./project.mjs";
import { contributionIds, settingDefaults, sourceUses, webviewColours } from "./source-uses.mjs";

const BUNDLE = "l10n/bundle.l10n.json";

/**
 * @typedef {object} Facts
 * @property {any} manifest                       package.json
 * @property {Record<string, string>} texts       package.nls.json
 * @property {Record<string, any>} ids            exports of contributions.ts
 * @property {Record<string, unknown>} defaults   of the settings, as the sources have them
 * @property {import("./source-uses.mjs").SourceUses} uses
 * @property {Map<string, string>} colours        of the webviews
 * @property {string[]} files                     below media/, as `media/…`
 * @property {string} linkTexts                   Markdown of the walkthrough
 * @property {Record<string, string>} bundle      l10n/bundle.l10n.json
 * @property {Record<string, {texts: Record<string, string> | null, bundle: Record<string, string> | null}>} translations  by language; null: no such file
 */

/** @param {string} [root] @returns {Promise<Facts>} */
export async function manifestFacts(root = ROOT) {
  const json = (/** @type {string} */ file) =>
    existsSync(join(root, file)) ? JSON.parse(readFileSync(join(root, file), "utf8")) : {};
  const files = readdirSync(join(root, "media"), { recursive: true, encoding: "utf8" }).map((file) => `media/${file}`);
  const translation = (/** @type {string} */ file) => (existsSync(join(root, file)) ? json(file) : null);
  const names = [...readdirSync(root), ...readdirSync(join(root, "l10n"))];
  const languages = new Set(
    names.flatMap((name) => /^(?:package\.nls|bundle\.l10n)\.([\w-]+)\.json$/.exec(name)?.[1] ?? []),
  );
  return {
    manifest: json("package.json"),
    texts: json("package.nls.json"),
    ids: await contributionIds(root),
    defaults: await settingDefaults(root),
    uses: sourceUses(root),
    colours: webviewColours(root),
    files,
    linkTexts: files
      .filter((file) => file.endsWith(".md"))
      .map((file) => readFileSync(join(root, file), "utf8"))
      .join("\n"),
    bundle: json(BUNDLE),
    translations: Object.fromEntries(
      [...languages].map((language) => [
        language,
        {
          texts: translation(`package.nls.${language}.json`),
          bundle: translation(`l10n/bundle.l10n.${language}.json`),
        },
      ]),
    ),
  };
}

/** @param {Facts} facts @returns {string[]} one line for each thing that is wrong */
export function manifestProblems(facts) {
  return [
    ...idProblems(facts),
    ...settingProblems(facts),
    ...colourProblems(facts),
    ...whenProblems(facts),
    ...commandProblems(facts),
    ...fileProblems(facts),
    ...engineProblems(facts),
    ...textProblems(facts),
    ...messageProblems(facts),
    ...pageProblems(facts),
  ];
}

/** Commands, views, editor and settings by their constants. @param {Facts} facts */
function idProblems({ manifest, ids, uses }) {
  const { commands, views, customEditors } = manifest.contributes;
  const declared = {
    COMMANDS: commands.map((/** @type {any} */ { command }) => command),
    VIEWS: Object.values(views)
      .flat()
      .map((/** @type {any} */ { id }) => id),
  };
  const problems = [];
  for (const [group, there] of Object.entries(declared)) {
    problems.push(...differences(there, Object.values(ids[group]), group, "package.json", "contributions.ts"));
    for (const [key, id] of Object.entries(ids[group]))
      if (!isUsed(`${group}.${key}`, String(id), uses))
        problems.push(`${id} is declared and never used in the sources`);
  }
  problems.push(
    ...differences(
      customEditors.map((/** @type {any} */ { viewType }) => viewType),
      [ids.CAPTURE_EDITOR],
      "custom editor",
      "package.json",
      "contributions.ts",
    ),
  );
  if (!isUsed("CAPTURE_EDITOR", ids.CAPTURE_EDITOR, uses))
    problems.push(`${ids.CAPTURE_EDITOR} is declared and never used in the sources`);
  for (const [key, id] of Object.entries(ids.PANELS))
    if (!isUsed(`PANELS.${key}`, String(id), uses)) problems.push(`panel ${id} is named and never used in the sources`);
  for (const event of manifest.activationEvents) {
    const panel = /^onWebviewPanel:(.*)$/.exec(event)?.[1];
    if (panel !== undefined && !Object.values(ids.PANELS).includes(panel))
      problems.push(`activation event ${event}: there is no such panel`);
  }
  const known = new Set([
    ...Object.values(declared).flat(),
    ids.CAPTURE_EDITOR,
    ...Object.values(ids.PANELS),
    ...Object.values(ids.CONTEXT),
    ...settingsOf(manifest),
    ...coloursOf(manifest),
  ]);
  for (const [id, place] of uses.ids)
    if (!known.has(id) && ![...known].some((there) => String(there).startsWith(`${id}.`)))
      problems.push(`${place}: ${id} is not declared`);
  return problems;
}

/** @param {Facts} facts */
function settingProblems({ manifest, ids, uses, defaults }) {
  const declared = settingsOf(manifest);
  const byConstant = new Map(Object.entries(ids.SETTINGS).map(([key, name]) => [`extrospect.${name}`, key]));
  const problems = [...byConstant.keys()]
    .filter((id) => !declared.includes(id))
    .map((id) => `setting ${id} is in contributions.ts and not in package.json`);
  for (const id of declared) {
    const key = byConstant.get(id);
    const used = uses.ids.has(id) || (key !== undefined && uses.constants.has(`SETTINGS.${key}`));
    if (!used) problems.push(`setting ${id} is declared and never read`);
    const [there, here] = [JSON.stringify(propertiesOf(manifest)[id]?.default), JSON.stringify(defaults[id])];
    if (there !== here)
      problems.push(`setting ${id} is ${there} by default in package.json and ${here} in setting-values.ts`);
  }
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  for (const id of declared)
    if (/\.(path|folder|servers|workCommand|workMetric|sourcePrefixes)$/.test(id) && !restricted.includes(id))
      problems.push(`setting ${id} names a program, folder or server and is not in restrictedConfigurations`);
  for (const id of restricted)
    if (!declared.includes(id)) problems.push(`restrictedConfigurations: there is no setting ${id}`);
  return problems;
}

/** @param {Facts} facts */
function colourProblems({ manifest, ids, uses, colours }) {
  const declared = coloursOf(manifest);
  const used = new Set([...uses.ids.keys()].filter((id) => declared.includes(id)));
  const problems = [];
  for (const [key, value] of Object.entries(ids.COLORS)) {
    for (const id of [value].flat()) {
      if (!declared.includes(id)) problems.push(`colour ${id} is in contributions.ts and not in package.json`);
      if (uses.constants.has(`COLORS.${key}`)) used.add(id);
    }
  }
  for (const [id, place] of colours) {
    const found = id.endsWith("*")
      ? declared.filter((there) => there.startsWith(id.slice(0, -1)))
      : declared.filter((there) => there === id);
    if (found.length === 0) problems.push(`${place}: colour ${id} is not declared`);
    for (const there of found) used.add(there);
  }
  return [
    ...problems,
    ...declared.filter((id) => !used.has(id)).map((id) => `colour ${id} is declared and never used`),
  ];
}

/** Context keys and view items in `when` clauses. @param {Facts} facts */
function whenProblems({ manifest, ids, uses }) {
  const clauses = valuesOf(manifest.contributes, "when");
  const views = Object.values(ids.VIEWS);
  const keys = new Set(
    clauses
      .flatMap((clause) => clause.match(/extrospect\.\w+/g) ?? [])
      .filter((key) => !views.includes(key) && key !== ids.CAPTURE_EDITOR),
  );
  const problems = differences(
    [...keys],
    Object.values(ids.CONTEXT),
    "context key",
    "when clauses",
    "contributions.ts",
  );
  for (const [key, id] of Object.entries(ids.CONTEXT))
    if (!isUsed(`CONTEXT.${key}`, String(id), uses)) problems.push(`context key ${id} is never set`);
  for (const clause of clauses) {
    for (const [, item = ""] of clause.matchAll(/viewItem == (\w+)/g))
      if (!uses.texts.has(item)) problems.push(`when clause "${clause}": no row is ever ${item}`);
    for (const [, pattern = ""] of clause.matchAll(/viewItem =~ \/(.*?)\//g)) {
      const rows = new RegExp(pattern);
      if (![...uses.texts].some((text) => rows.test(text)))
        problems.push(`when clause "${clause}": no row ever matches`);
    }
    for (const [, editor = ""] of clause.matchAll(/activeCustomEditorId == ([\w.]+)/g))
      if (editor !== ids.CAPTURE_EDITOR) problems.push(`when clause "${clause}": there is no editor ${editor}`);
    for (const [, view = ""] of clause.matchAll(/view == ([\w.]+)/g))
      if (!views.includes(view)) problems.push(`when clause "${clause}": there is no view ${view}`);
  }
  return problems;
}

/** Wherever a command is named. @param {Facts} facts */
function commandProblems({ manifest, texts, linkTexts }) {
  const { commands, menus, keybindings, walkthroughs, viewsWelcome, views } = manifest.contributes;
  const there = new Set(commands.map((/** @type {any} */ { command }) => command));
  const viewIds = new Set(
    Object.values(views)
      .flat()
      .map((/** @type {any} */ { id }) => id),
  );
  const problems = [];
  const named = [
    ...valuesOf(menus, "command"),
    ...valuesOf(keybindings, "command"),
    ...`${Object.values(texts).join("\n")}\n${linkTexts}`.matchAll(/\(command:(extrospect\.[\w.]+)/g),
  ].map((name) => (typeof name === "string" ? name : (name[1] ?? "")));
  for (const { completionEvents } of walkthroughs.flatMap((/** @type {any} */ { steps }) => steps)) {
    for (const event of completionEvents) {
      const [kind, id = ""] = event.split(":");
      if (kind === "onCommand") named.push(id);
      if (kind === "onView" && !viewIds.has(id)) problems.push(`walkthrough: there is no view ${id}`);
    }
  }
  for (const { view } of viewsWelcome) if (!viewIds.has(view)) problems.push(`welcome: there is no view ${view}`);
  for (const command of new Set(named))
    if (!there.has(command)) problems.push(`command ${command} is offered and not declared`);
  for (const { command, title } of commands)
    if (resolved(title, texts).trim() === "") problems.push(`command ${command} has no title`);
  return problems;
}

/** The oldest editor: its types keep the sources from calling functions that it lacks. @param {Facts} facts */
function engineProblems({ manifest }) {
  const [oldest, types] = [manifest.engines.vscode, manifest.devDependencies["@types/vscode"]];
  return oldest === `^${types}` ? [] : [`engines.vscode is ${oldest}, and the types are those of ${types}`];
}

/** @param {Facts} facts */
function fileProblems({ manifest, files }) {
  const named = JSON.stringify(manifest).match(/media\/[\w/.-]+/g) ?? [];
  return [...new Set(named)].filter((file) => !files.includes(file)).map((file) => `${file} is named and not there`);
}

/** package.nls.json and its translations. @param {Facts} facts */
function textProblems({ manifest, texts, translations }) {
  const used = new Set([...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? ""));
  const problems = differences([...used], Object.keys(texts), "text", "package.json", "package.nls.json");
  for (const [key, text] of Object.entries(texts)) if (text.trim() === "") problems.push(`text ${key} is empty`);
  for (const [language, { texts: translated }] of Object.entries(translations)) {
    problems.push(
      ...translationProblems(
        texts,
        translated,
        `package.nls.${language}.json`,
        "the texts",
        (text) => text.match(/\(command:[\w.]+\)|`[^`]+`/g) ?? [],
      ),
    );
  }
  return problems;
}

/** The pages of walkthroughs: the editor looks for a translation beside each. @param {Facts} facts */
function pageProblems({ manifest, files, translations }) {
  const pages = manifest.contributes.walkthroughs
    .flatMap((/** @type {any} */ { steps }) => steps.map((/** @type {any} */ { media }) => media.markdown))
    .filter(Boolean);
  const wanted = pages.flatMap((/** @type {string} */ page) => [
    page,
    ...Object.keys(translations).map((language) => page.replace(/\.md$/, `.nls.${language}.md`)),
  ]);
  return wanted
    .filter((/** @type {string} */ page) => !files.includes(page))
    .map((/** @type {string} */ page) => `walkthrough: ${page} is missing`);
}

/** The texts given to `l10n.t`, and their translations. @param {Facts} facts */
function messageProblems({ uses, bundle, translations }) {
  const messages = Object.fromEntries([...uses.messages.keys()].map((message) => [message, message]));
  const problems = [
    ...uses.problems,
    ...differences(
      Object.keys(messages),
      Object.keys(bundle),
      "message",
      "the sources",
      `${BUNDLE} (node scripts/check-manifest.mjs --write)`,
    ),
  ];
  for (const [language, { bundle: translated }] of Object.entries(translations)) {
    problems.push(
      ...translationProblems(
        messages,
        translated,
        `l10n/bundle.l10n.${language}.json`,
        "the sources",
        (text) => text.match(/\{\w+\}|`[^`]+`/g) ?? [],
      ),
    );
  }
  return problems;
}

/**
 * @param {Record<string, string>} texts
 * @param {Record<string, string> | null} translated
 * @param {string} file
 * @param {string} from
 * @param {(text: string) => string[]} kept   the parts that a translation must keep
 */
function translationProblems(texts, translated, file, from, kept) {
  if (translated === null) return [`${file} is missing: a language has its package.nls file and its l10n bundle`];
  const problems = differences(Object.keys(texts), Object.keys(translated), "text", from, file);
  const sorted = (/** @type {string} */ text) => [...new Set(kept(text))].sort().join(" ");
  for (const [key, text] of Object.entries(texts)) {
    const other = translated[key];
    if (other === undefined) continue;
    if (other.trim() === "") problems.push(`${file}: ${key} is empty`);
    if (sorted(text) !== sorted(other))
      problems.push(`${file}: “${other}” must keep ${sorted(text) || "nothing"} of “${text}”`);
  }
  return problems;
}

/** @param {readonly unknown[]} here @param {readonly unknown[]} there @param {string} what @param {string} hereName @param {string} thereName */
function differences(here, there, what, hereName, thereName) {
  const [inHere, inThere] = [new Set(here), new Set(there)];
  return [
    ...here.filter((id) => !inThere.has(id)).map((id) => `${what} “${id}” is in ${hereName} and not in ${thereName}`),
    ...there.filter((id) => !inHere.has(id)).map((id) => `${what} “${id}” is in ${thereName} and not in ${hereName}`),
  ];
}

/** @param {string} constant @param {string} id @param {import("./source-uses.mjs").SourceUses} uses */
function isUsed(constant, id, uses) {
  return uses.constants.has(constant) || uses.ids.has(id);
}

/** @param {any} manifest @returns {string[]} */
const settingsOf = (manifest) => Object.keys(propertiesOf(manifest));

/** @param {any} manifest @returns {Record<string, {default?: unknown} | undefined>} */
const propertiesOf = (manifest) =>
  Object.assign({}, ...[manifest.contributes.configuration].flat().map(({ properties }) => properties));

/** @param {any} manifest @returns {string[]} */
const coloursOf = (manifest) => manifest.contributes.colors.map((/** @type {any} */ { id }) => id);

/** @param {string} text @param {Record<string, string>} texts */
function resolved(text, texts) {
  const key = /^%(.*)%$/.exec(text)?.[1];
  return key === undefined ? text : (texts[key] ?? "");
}

/** All texts below a name, wherever it is. @param {unknown} part @param {string} name @returns {string[]} */
function valuesOf(part, name) {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === name && typeof value === "string" ? [value] : valuesOf(value, name),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const facts = await manifestFacts();
  if (process.argv.includes("--write")) {
    const messages = [...facts.uses.messages.keys()].sort();
    writeFileSync(
      join(ROOT, BUNDLE),
      `${JSON.stringify(Object.fromEntries(messages.map((message) => [message, message])), null, 2)}\n`,
    );
    facts.bundle = JSON.parse(readFileSync(join(ROOT, BUNDLE), "utf8"));
  }
  const problems = manifestProblems(facts);
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
