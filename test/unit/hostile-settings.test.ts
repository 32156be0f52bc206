// Settings of a workspace are text from its author: a senseless value counts as not set, and no other value is shown as
// markup.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plainText, shownName } from "../../contract/plain-text.js";
import { SETTING_VALUES, settingValue, type SettingName } from "../../extension/src/setting-values.js";

const NAMES = Object.keys(SETTING_VALUES) as SettingName[];
const TEXTS = [
  "\u001b]0;title\u0007\u001b[2J",
  "\u202egnp.exe\u2069",
  "[click](command:workbench.action.terminal.new)",
  "<img src=x onerror=alert(1)>",
  "$(error)",
  "a\0b",
  "x".repeat(1 << 20),
  "../../../etc/passwd",
  "__proto__",
];
const VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  ...TEXTS,
  [],
  [""],
  [null],
  [[]],
  TEXTS,
  {},
  JSON.parse('{"__proto__": {"polluted": true}, "metric": 1, "url": []}'),
  { metric: "x".repeat(1 << 16), url: "javascript:alert(1)" },
  { length: 1, 0: "a" },
  Array.from({ length: 100_000 }, () => "a"),
];

test("whatever a setting holds, what counts makes sense", () => {
  assert.ok(NAMES.length > 20);
  for (const name of NAMES) {
    const { usual, fits } = SETTING_VALUES[name];
    assert.ok(fits(usual), name);
    for (const value of VALUES) {
      const counted: unknown = settingValue(name, value);
      assert.ok(fits(counted), `${name}: ${JSON.stringify(value)?.slice(0, 100)}`);
      assert.equal(typeof counted, typeof usual, name);
      assert.equal(Array.isArray(counted), Array.isArray(usual), name);
    }
  }
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("what is shown of a text is one line without what is obeyed, in both ways", () => {
  const obeyed = [
    "\u0000",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u009b",
    "\u00ad",
    "\u061c",
    "\u180e",
    "\u200b",
    "\u200e",
    "\u2028",
    "\u202e",
    "\u2060",
    "\u2066",
    "\u206f",
    "\ufeff",
    "\ufff9",
    "\u{e0041}",
  ];
  for (const character of obeyed) {
    assert.equal(plainText(`a${character}b`), "a b", character.codePointAt(0)?.toString(16));
    assert.equal(shownName(`a${character}b`), `a\\u{${(character.codePointAt(0) ?? 0).toString(16)}}b`);
  }
  for (const text of TEXTS) assert.doesNotMatch(plainText(text), /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/);
});
