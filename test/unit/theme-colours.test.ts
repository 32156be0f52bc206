// Marks and frames stand out from the editor of every kind of theme.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contrast, parseColour } from "../../webviews/graph/colour.js";

const ROOT = process.cwd();
const BACKGROUNDS = {
  dark: "#1f1f1f",
  light: "#ffffff",
  highContrast: "#000000",
  highContrastLight: "#ffffff",
} as const;
const TEXT = { dark: "#cccccc", light: "#3b3b3b", highContrast: "#ffffff", highContrastLight: "#292929" } as const;
/** WCAG 2.2: graphical objects, and text. */
const MARK = 3;
const READABLE = 4.5;

type Theme = keyof typeof BACKGROUNDS;
const THEMES = Object.keys(BACKGROUNDS) as Theme[];

const { contributes } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  contributes: { colors: { id: string; defaults: Record<Theme, string> }[] };
};

/** Red, green and blue of `colour` laid over `background`. */
function over(colour: string, background: string): { red: number; green: number; blue: number } {
  assert.match(colour, /^#([0-9a-f]{6}|[0-9a-f]{8})$/);
  const channel = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  const alpha = colour.length === 9 ? channel(colour, 7) / 255 : 1;
  const mixed = (at: number) => Math.round(alpha * channel(colour, at) + (1 - alpha) * channel(background, at));
  return { red: mixed(1), green: mixed(3), blue: mixed(5) };
}

function ratio(colour: string, background: string): number {
  return contrast(over(colour, background), parseColour(background) ?? assert.fail());
}

test("frames, matches and marks in the ruler", () => {
  const solid = contributes.colors.filter(({ id }) =>
    /Frame$|Time$|searchMatch$|overviewRuler$|selectedFunction$/.test(id),
  );
  assert.equal(solid.length, 12);
  const weak = solid
    .flatMap(({ id, defaults }) =>
      THEMES.map((theme) => ({ id, theme, ratio: ratio(defaults[theme], BACKGROUNDS[theme]) })),
    )
    .filter((each) => each.ratio < MARK);
  assert.deepEqual(weak, []);
});

test("marks in the gutter", () => {
  const files = readdirSync(join(ROOT, "media/gutter"));
  assert.equal(files.length, 12);
  for (const file of files) {
    const colours = [
      ...readFileSync(join(ROOT, "media/gutter", file), "utf8").matchAll(/(?:fill|stroke)="(#[0-9a-f]{6})"/g),
    ].map(([, colour = ""]) => colour);
    assert.ok(colours.length > 0, file);
    const backgrounds = file.includes("-dark") ? [BACKGROUNDS.dark, BACKGROUNDS.highContrast] : [BACKGROUNDS.light];
    for (const colour of colours)
      for (const background of backgrounds)
        assert.ok(
          ratio(colour, background) >= MARK,
          `${file} ${colour} on ${background}: ${ratio(colour, background)}`,
        );
  }
});

test("text on the background of hot lines", () => {
  const heat = contributes.colors.filter(({ id }) => /heat\d$/.test(id));
  assert.equal(heat.length, 5);
  for (const { id, defaults } of heat) {
    for (const theme of THEMES) {
      const value = contrast(parseColour(TEXT[theme]) ?? assert.fail(), over(defaults[theme], BACKGROUNDS[theme]));
      assert.ok(value >= READABLE, `${id} ${theme}: ${value}`);
    }
  }
});
