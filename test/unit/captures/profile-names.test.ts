// Files of other tools are offered to be opened as captures, in menus and in the dialog, by the same names.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  DIALOG_ENDINGS,
  PROFILE_ENDINGS,
  PROFILE_GLOBS,
  PROFILE_NAMES,
} from "../../../extension/src/captures/profile-names.js";
import { stacksFile } from "../../../webviews/flame-graph/export-file.js";
import { SMALL } from "../flame-graph/fixtures.js";

interface MenuRow {
  readonly command: string;
  readonly when?: string;
}
interface Contributes {
  readonly menus: Readonly<Record<string, readonly MenuRow[]>>;
  readonly customEditors: readonly { readonly selector: readonly { readonly filenamePattern: string }[] }[];
}
const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as { contributes: Contributes };

const offers = (menu: string): readonly string[] =>
  (contributes.menus[menu] ?? [])
    .filter(({ command, when }) => command === "extrospect.openAsCapture" && when !== "false")
    .map(({ when }) => when ?? "");

test("the explorer and the title of an editor offer every kind of file that is read", () => {
  for (const menu of ["explorer/context", "editor/title"]) {
    const [when = "", ...others] = offers(menu);
    assert.deepEqual(others, []);
    assert.ok(when.startsWith(`resourceFilename =~ ${String(PROFILE_NAMES)}`), `${menu}: ${when}`);
  }
});

test("the pattern fits the names that other tools give their files, and no others", () => {
  for (const name of [
    "a.pb.gz",
    "a.folded",
    "a.speedscope.json",
    "a.cpuprofile",
    "perf.txt",
    "b.perf.txt",
    "c.otlp",
    "d.folded.gz",
    "e.folded.txt",
    "f.collapsed.txt",
    "profile.json",
    "profile.json.gz",
    "Firefox 2026-11-21 14.03 profile.json.gz",
    "shop-profile.json",
    "shop_profile.json",
  ])
    // prettier-ignore
    assert.match(name, PROFILE_NAMES);
  for (const name of ["a.json", "a.txt", "a.gz", "perf", "superb.txt", "a.pbx", "a.folded.erl"])
    assert.doesNotMatch(name, PROFILE_NAMES);
  for (const name of ["myprofile.json", "profile.jsonc"]) assert.doesNotMatch(name, PROFILE_NAMES);
  for (const ending of PROFILE_ENDINGS) {
    assert.match(`x.${ending}`, PROFILE_NAMES);
    assert.ok(DIALOG_ENDINGS.includes(ending));
  }
});

test("what the flame graph exports as stacks is offered as well", () => {
  for (const format of ["folded", "speedscope"] as const)
    assert.match(stacksFile(format, SMALL, "shop@host · 14:03").suggestedName, PROFILE_NAMES);
});

test("the capture editor can be chosen for each of them", () => {
  const patterns = contributes.customEditors.flatMap(({ selector }) => selector.map((one) => one.filenamePattern));
  assert.deepEqual([...patterns].sort(), [...PROFILE_GLOBS].sort());
});
