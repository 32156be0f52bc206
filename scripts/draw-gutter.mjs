// Draws media/gutter/*.svg: a column of bars that grows with the heat, so that shape shows the same as colour.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./project.mjs";

const COLOURS = {
  // Each at least 3:1 against the theme's gutter, high contrast ones too.
  dark: ["#d9b25f", "#f0a63c", "#f5883a", "#f2643d", "#ff4d45"],
  light: ["#8a6d1f", "#a3640a", "#b0500c", "#bb3413", "#c01414"],
};
const SIZE = 16;
const BAR_HEIGHT = 2;
const GAP = 1;

/**
 * @param {number} level 1 to 5
 * @param {string} colour
 */
function bars(level, colour) {
  const rects = Array.from({ length: level }, (_, index) => {
    const y = SIZE - 1 - (index + 1) * BAR_HEIGHT - index * GAP;
    const width = 4 + index * 2;
    return `<rect x="${SIZE - 2 - width}" y="${y}" width="${width}" height="${BAR_HEIGHT}" fill="${colour}"/>`;
  });
  return svg(rects.join(""));
}

/** @param {string} colour */
function edited(colour) {
  return svg(
    `<rect x="4.5" y="4.5" width="9" height="9" fill="none" stroke="${colour}" stroke-dasharray="2 1"/><path d="M6 10q1.5-2.5 3 -.8t3 -.8" fill="none" stroke="${colour}"/>`,
  );
}

/** @param {string} content */
function svg(content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}">${content}</svg>\n`;
}

const folder = join(ROOT, "media/gutter");
mkdirSync(folder, { recursive: true });
for (const [theme, colours] of Object.entries(COLOURS)) {
  for (const [index, colour] of colours.entries())
    writeFileSync(join(folder, `heat-${index + 1}-${theme}.svg`), bars(index + 1, colour));
  writeFileSync(join(folder, `heat-edited-${theme}.svg`), edited(colours[1] ?? ""));
}
