// package.json and the sources fit each other; and every mismatch is found.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { manifestFacts, manifestProblems } from "../../scripts/check-manifest.mjs";

/** @typedef {import("../../scripts/check-manifest.mjs").Facts} Facts */

/** As the helper and the sources of the extension have it. */
const MAX_FREQUENCY_HZ = Number(
  /^export const MAX_FREQUENCY_HZ = (\d+);$/m.exec(
    readFileSync(new URL("../../contract/protocol.generated.ts", import.meta.url), "utf8"),
  )?.[1],
);

/** The settings of the section that has one; of the first section without a name. @param {any} manifest @param {string} [name] */
function propertiesOf(manifest, name) {
  const sections = manifest.contributes.configuration;
  return (sections.find((/** @type {any} */ { properties }) => name === undefined || name in properties) ?? {})
    .properties;
}

describe("the manifest", () => {
  /** @type {Facts} */
  let facts;
  before(async () => {
    facts = await manifestFacts();
  });

  test("fits the sources", () => assert.deepEqual(manifestProblems(facts), []));

  test("has the highest frequency that the helper takes", () => {
    assert.equal(
      propertiesOf(facts.manifest, "extrospect.capture.frequencyHz")["extrospect.capture.frequencyHz"].maximum,
      MAX_FREQUENCY_HZ,
    );
  });

  /** @type {[string, (facts: Facts) => void, RegExp][]} */
  const mistakes = [
    [
      "an unknown command",
      ({ manifest }) => manifest.contributes.commands.push({ command: "extrospect.fly", title: "Fly" }),
      /COMMANDS “extrospect\.fly” is in package\.json/,
    ],
    [
      "a command that is not declared",
      ({ manifest }) => manifest.contributes.commands.shift(),
      /“extrospect\.attach” is in contributions\.ts and not in package\.json/,
    ],
    [
      "an unused command",
      ({ uses }) => void uses.constants.delete("COMMANDS.doctor"),
      /extrospect\.doctor is declared and never used/,
    ],
    ["a command without title", ({ texts }) => void (texts["command.attach"] = " "), /extrospect\.attach has no title/],
    [
      "a menu entry of no command",
      ({ manifest }) => manifest.contributes.menus["view/title"].push({ command: "extrospect.fly" }),
      /extrospect\.fly is offered and not declared/,
    ],
    [
      "a page of the walkthrough without translation",
      (all) => void (all.files = all.files.filter((file) => file !== "media/walkthrough/heat.nls.de.md")),
      /heat\.nls\.de\.md is missing/,
    ],
    [
      "a link to no command",
      (all) => void (all.linkTexts += "[x](command:extrospect.fly)"),
      /extrospect\.fly is offered and not declared/,
    ],
    [
      "an id the sources make up",
      ({ uses }) => void uses.ids.set("extrospect.fly", "a.ts:1"),
      /a\.ts:1: extrospect\.fly is not declared/,
    ],
    [
      "an unread setting",
      ({ manifest }) => void (propertiesOf(manifest)["extrospect.fly"] = {}),
      /setting extrospect\.fly is declared and never read/,
    ],
    [
      "a default that the sources do not share",
      ({ manifest }) =>
        void (propertiesOf(manifest, "extrospect.capture.frequencyHz")["extrospect.capture.frequencyHz"].default = 100),
      /setting extrospect\.capture\.frequencyHz is 100 by default in package\.json and 99 in/,
    ],
    [
      "a setting that is not declared",
      ({ manifest }) => void delete propertiesOf(manifest, "extrospect.heat.scope")["extrospect.heat.scope"],
      /setting extrospect\.heat\.scope is in contributions\.ts/,
    ],
    [
      "a setting that an untrusted workspace could set",
      ({ manifest }) => manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.pop(),
      /extrospect\.capture\.folder names a program, folder or server/,
    ],
    [
      "a server that an untrusted workspace could choose",
      ({ manifest }) => {
        const { untrustedWorkspaces: untrusted } = manifest.capabilities;
        untrusted.restrictedConfigurations = untrusted.restrictedConfigurations.filter(
          (/** @type {string} */ id) => id !== "extrospect.debuginfod.servers",
        );
      },
      /extrospect\.debuginfod\.servers names a program, folder or server/,
    ],
    [
      "a command that an untrusted workspace could choose",
      ({ manifest }) => {
        const { untrustedWorkspaces: untrusted } = manifest.capabilities;
        untrusted.restrictedConfigurations = untrusted.restrictedConfigurations.filter(
          (/** @type {string} */ id) => id !== "extrospect.capture.workCommand",
        );
      },
      /extrospect\.capture\.workCommand names a program, folder or server/,
    ],
    [
      "a restricted setting that is not there",
      ({ manifest }) => manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.push("extrospect.fly"),
      /there is no setting extrospect\.fly/,
    ],
    [
      "a menu of an editor that is not there",
      ({ manifest }) =>
        void (manifest.contributes.menus["editor/title"][0].when = "activeCustomEditorId == extrospect.fly"),
      /there is no editor extrospect\.fly/,
    ],
    [
      "an unused colour",
      ({ manifest }) => manifest.contributes.colors.push({ id: "extrospect.fly" }),
      /colour extrospect\.fly is declared and never used/,
    ],
    [
      "a colour of a webview that is not declared",
      ({ colours }) => void colours.set("extrospect.fly", "a.css"),
      /a\.css: colour extrospect\.fly is not declared/,
    ],
    [
      "a context key that is never set",
      ({ manifest }) => void (manifest.contributes.menus.commandPalette[0].when = "extrospect.fly"),
      /context key “extrospect\.fly” is in when clauses/,
    ],
    [
      "types of a newer editor than the oldest one",
      ({ manifest }) => void (manifest.engines.vscode = "^1.80.0"),
      /engines\.vscode is \^1\.80\.0, and the types are those of/,
    ],
    [
      "a row that never is",
      ({ manifest }) => void (manifest.contributes.menus.commandPalette[0].when = "viewItem == fly"),
      /no row is ever fly/,
    ],
    [
      "a picture that is not there",
      ({ manifest }) => void (manifest.icon = "media/fly.png"),
      /media\/fly\.png is named and not there/,
    ],
    [
      "a text that is missing",
      ({ texts }) => void delete texts["view.targets"],
      /text “view\.targets” is in package\.json and not/,
    ],
    ["a text nobody shows", ({ texts }) => void (texts["fly"] = "Fly"), /text “fly” is in package\.nls\.json and not/],
    [
      "a message without its place in the bundle",
      ({ uses }) => void uses.messages.set("Fly", "a.ts:1"),
      /message “Fly” is in the sources and not/,
    ],
    [
      "a message that cannot be translated",
      ({ uses }) => void uses.problems.push("a.ts:1: what l10n.t is given must be plain text"),
      /must be plain text/,
    ],
    [
      "a translation that lost a figure",
      (all) => {
        all.translations["xx"] = {
          texts: all.texts,
          bundle: { ...all.bundle, "Starting the capture of process {0}": "Anbinden" },
        };
      },
      /“Anbinden” must keep \{0\}/,
    ],
    [
      "a translation that is missing",
      (all) => {
        all.translations["xx"] = { texts: {}, bundle: all.bundle };
      },
      /is in the texts and not in package\.nls\.xx\.json/,
    ],
    [
      "a bundle without its package.nls file",
      (all) => {
        all.translations["xx"] = { texts: null, bundle: all.bundle };
      },
      /^package\.nls\.xx\.json is missing/,
    ],
    [
      "a package.nls file without its bundle",
      (all) => {
        all.translations["xx"] = { texts: all.texts, bundle: null };
      },
      /^l10n\/bundle\.l10n\.xx\.json is missing/,
    ],
  ];
  for (const [name, make, found] of mistakes) {
    test(`${name} is found`, () => {
      const changed = structuredClone(facts);
      make(changed);
      assert.match(manifestProblems(changed).join("\n"), found);
    });
  }
});
