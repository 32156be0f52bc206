// Colours by kind of frame: one theme colour each, a few shades so that neighbours part, and a label that can be read.

import { CHANGE_STEPS, FRAME_KINDS, NODE_CHANGES, type FlameData } from "../../contract/flame-data.js";

export interface Rgb {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

type Kind = (typeof FRAME_KINDS)[number];

/** Theme variables to try, and the colour when the theme has none of them. */
export const KIND_VARIABLES: Record<Kind, { readonly names: readonly string[]; readonly fallback: string }> = {
  erlang: { names: ["--vscode-extrospect-erlangFrame", "--vscode-charts-orange"], fallback: "#d18616" },
  bif: { names: ["--vscode-extrospect-bifFrame", "--vscode-charts-yellow"], fallback: "#cca700" },
  fragment: { names: ["--vscode-extrospect-fragmentFrame", "--vscode-charts-purple"], fallback: "#b180d7" },
  native: { names: ["--vscode-extrospect-nativeFrame", "--vscode-charts-blue"], fallback: "#3794ff" },
  nif: { names: ["--vscode-extrospect-nifFrame", "--vscode-charts-green"], fallback: "#89d185" },
  kernel: { names: ["--vscode-extrospect-kernelFrame", "--vscode-charts-red"], fallback: "#f14c4c" },
  marker: { names: ["--vscode-extrospect-markerFrame", "--vscode-disabledForeground"], fallback: "#808080" },
};

/** Made for backgrounds of lines, so mostly see-through: only their hue is taken. */
const HEAT_FALLBACKS = ["#f6c343", "#f6a53c", "#f5823a", "#ef5b3a", "#e53935"];

export const SHADES = 6;
/** Erlang code that is not the user's own, where own code stands out: painted like a kind of its own. */
export const NOT_OWN = FRAME_KINDS.length;
/** In a graph by node each has a hue of its own, painted like kinds after those; more nodes than these share them. Told apart by nearly everybody (Okabe and Ito). */
const NODE_HUES = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#999999"];
const LINE_CONTRAST = 3;
const FIRST_NODE = NOT_OWN + 1;
/** So much of it gives way to the background. */
const NOT_OWN_FADES = 0.55;

/** The colour of each function: `kind * SHADES + shade`. */
export function functionColours({
  functionNames,
  functionKinds,
  functionIsOwn,
}: Pick<FlameData, "functionNames" | "functionKinds" | "functionIsOwn">): Uint8Array {
  const fades = functionIsOwn.includes(1);
  return Uint8Array.from(functionNames, (name, index) => {
    const kind = functionKinds[index] ?? 0;
    const painted = fades && FRAME_KINDS[kind] === "erlang" && functionIsOwn[index] !== 1 ? NOT_OWN : kind;
    return painted * SHADES + shadeOf(name);
  });
}

/**
 * The colour of each frame: by its function, by the VM it is of in a graph by node, or by its change where there are
 * two sides.
 */
export function nodeColours(data: FlameData): (node: number) => number {
  const { difference, nodeFunction } = data;
  if (data.groupedBy === "node") return vmColours(data);
  if (difference)
    return (node) => changeColour(difference.nodeChange[node] ?? 0, difference.nodeStep[node] ?? 0) * SHADES;
  const colours = functionColours(data);
  return (node) => colours[nodeFunction[node] as number] as number;
}

/** The VMs of a graph by node, by name. */
export function vmsOf({ nodeDepth, nodeFunction, functionNames }: FlameData): readonly string[] {
  const names = new Set<string>();
  nodeDepth.forEach((depth, node) => {
    if (depth === 1) names.add(functionNames[nodeFunction[node] ?? 0] ?? "");
  });
  return [...names].sort();
}

/** Which hue each VM has, by its name among all of a capture: one that does more now, or is alone in a filter, keeps it. */
export function vmHues(vms: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(vms)].sort().map((name, at) => [name, at]));
}

/** The same for a graph by node. Nodes that are no VM of the capture come behind those. */
export function huesOf(data: FlameData): ReadonlyMap<string, number> {
  const hues = new Map(vmHues(data.vms ?? []));
  for (const name of vmsOf(data)) if (!hues.has(name)) hues.set(name, hues.size);
  return hues;
}

/** Of a VM with this hue, as a CSS colour. */
export function vmColour(hue: number): string {
  return NODE_HUES[hue % NODE_HUES.length] ?? "";
}

/** How many VMs before it share its hue. */
export function vmHueRounds(hue: number): number {
  return Math.floor(hue / NODE_HUES.length);
}

/** The same for a thin line, which has to stand out from the background by itself (WCAG 2, graphics: 3:1). */
export function vmLineColour(hue: number, palette: Pick<Palette, "background" | "foreground">): string {
  const [colour, background, foreground] = [vmColour(hue), palette.background, palette.foreground].map((text) =>
    parseColour(text),
  );
  if (!colour || !background || !foreground) return vmColour(hue);
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = mix(colour, foreground, share);
    if (contrast(mixed, background) >= LINE_CONTRAST) return cssOf(mixed);
  }
  return palette.foreground;
}

/** An index into a palette, as a kind has one. */
function vmHue(at: number): number {
  return FIRST_NODE + (at % NODE_HUES.length);
}

function vmColours(data: FlameData): (node: number) => number {
  const { nodeParent, nodeDepth, nodeFunction, functionNames } = data;
  const place = huesOf(data);
  const shades = Uint8Array.from(functionNames, shadeOf);
  const hues = new Uint8Array(nodeDepth.length);
  // Parents come before their callees.
  for (let node = 1; node < hues.length; node++)
    hues[node] =
      nodeDepth[node] === 1
        ? vmHue(place.get(functionNames[nodeFunction[node] ?? 0] ?? "") ?? 0)
        : (hues[nodeParent[node] ?? 0] ?? 0);
  return (node) => (hues[node] ?? 0) * SHADES + (shades[nodeFunction[node] ?? 0] ?? 0);
}

const LESS = ["less", "gone"];

/** In a palette of changes: 0 for none, then `CHANGE_STEPS` of more, then as many of less. */
function changeColour(change: number, step: number): number {
  const name = NODE_CHANGES[change] ?? "none";
  if (name === "none" || step === 0) return 0;
  return (LESS.includes(name) ? CHANGE_STEPS : 0) + step;
}

export interface Palette {
  /** fill[kind * SHADES + shade] and the label colour that goes with it, as CSS colours. */
  readonly fill: readonly string[];
  readonly label: readonly string[];
  /** One per kind, for `NOT_OWN` and for hues of nodes, for legend and minimap. */
  readonly kind: readonly string[];
  /** Five, from little to much. */
  readonly heat: readonly string[];
  readonly highContrast: boolean;
  readonly background: string;
  readonly foreground: string;
  readonly border: string;
  readonly focus: string;
  readonly match: string;
  readonly tiny: string;
}

/**
 * `#rgb`, `#rrggbb`, `#rrggbbaa`, `rgb(...)`, `rgba(...)`; a translucent colour is laid over `under`. Null for any
 * other text.
 */
export function parseColour(text: string, under: Rgb = { red: 0, green: 0, blue: 0 }): Rgb | null {
  const value = text.trim();
  const hex = /^#([0-9a-f]{3,8})$/i.exec(value)?.[1];
  if (hex) {
    if (hex.length === 5 || hex.length === 7) return null;
    const wide = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join("") : hex;
    const channel = (at: number) => parseInt(wide.slice(at, at + 2), 16);
    const alpha = wide.length === 8 ? channel(6) / 255 : 1;
    return mix(under, { red: channel(0), green: channel(2), blue: channel(4) }, alpha);
  }
  const parts = /^rgba?\(([^)]+)\)$/i
    .exec(value)?.[1]
    ?.split(/[\s,/]+/)
    .filter(Boolean)
    .map((part) => (part.endsWith("%") ? parseFloat(part) / 100 : parseFloat(part)));
  if (!parts || parts.length < 3 || parts.some(Number.isNaN)) return null;
  const [red = 0, green = 0, blue = 0, alpha = 1] = parts;
  return mix(under, { red, green, blue }, alpha);
}

/** `share` of `to` over `from`. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const one = (a: number, b: number) => Math.round(a + (b - a) * share);
  return { red: one(from.red, to.red), green: one(from.green, to.green), blue: one(from.blue, to.blue) };
}

export function cssOf({ red, green, blue }: Rgb): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Relative luminance of WCAG 2. */
export function luminance({ red, green, blue }: Rgb): number {
  const linear = (channel: number) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const BLACK: Rgb = { red: 0, green: 0, blue: 0 };
const WHITE: Rgb = { red: 255, green: 255, blue: 255 };

/** Black while it reads well (4.5:1), so that shades of one colour have the same label; else white. */
export function labelOn(fill: Rgb): Rgb {
  return contrast(fill, BLACK) >= 4.5 ? BLACK : WHITE;
}

/** The same name has the same shade in every graph. */
export function shadeOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return ((hash >>> 16) ^ (hash & 0xffff)) % SHADES;
}

function withoutAlpha(text: string): string {
  return text
    .trim()
    .replace(/^(#[0-9a-f]{6})[0-9a-f]{2}$/i, "$1")
    .replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/i, "rgb($1,$2,$3)");
}

type FirstColour = (names: readonly string[], fallback: string) => Rgb;

function frameKinds(first: FirstColour, background: Rgb): Rgb[] {
  const kinds = FRAME_KINDS.map((kind) => first(KIND_VARIABLES[kind].names, KIND_VARIABLES[kind].fallback));
  const notOwn = mix(kinds[FRAME_KINDS.indexOf("erlang")] ?? background, background, NOT_OWN_FADES);
  return [...kinds, notOwn, ...NODE_HUES.map((hue) => first([], hue))];
}

/** Orange and blue are told apart by nearly everybody, and have the same places in the table of changes. */
function changeKinds(first: FirstColour, background: Rgb): Rgb[] {
  const none = mix(background, first(["--vscode-editor-foreground", "--vscode-foreground"], "#808080"), 0.14);
  const steps = (to: Rgb) =>
    Array.from({ length: CHANGE_STEPS }, (_, step) => mix(none, to, (step + 1) / CHANGE_STEPS));
  return [
    none,
    ...steps(first(["--vscode-extrospect-moreTime"], "#e08a2e")),
    ...steps(first(["--vscode-extrospect-lessTime"], "#4aa3ff")),
  ];
}

/**
 * @param variable reads a theme variable; empty when it is not set
 * @param paints   the property that frames are coloured by
 */
export function createPalette(
  variable: (name: string) => string,
  highContrast: boolean,
  paints: "kinds" | "changes" = "kinds",
): Palette {
  const background = parseColour(variable("--vscode-editor-background")) ?? { red: 30, green: 30, blue: 30 };
  const first: FirstColour = (names, fallback) => {
    for (const name of names) {
      const colour = parseColour(variable(name), background);
      if (colour) return colour;
    }
    return parseColour(fallback, background) ?? background;
  };
  const foreground = first(
    ["--vscode-editor-foreground", "--vscode-foreground"],
    luminance(background) > 0.5 ? "#1f1f1f" : "#cccccc",
  );
  const kinds = paints === "changes" ? changeKinds(first, background) : frameKinds(first, background);
  const fill: string[] = [];
  const label: string[] = [];
  for (const kind of kinds) {
    for (let shade = 0; shade < SHADES; shade++) {
      // In high contrast the kind is in the outline, and text has the theme's own contrast.
      // The shades of a change are its steps: neighbours with the same change look the same.
      const colour = highContrast ? background : mix(kind, background, paints === "changes" ? 0 : 0.06 + shade * 0.055);
      fill.push(cssOf(colour));
      label.push(cssOf(highContrast ? foreground : labelOn(colour)));
    }
  }
  return {
    fill,
    label,
    kind: kinds.map(cssOf),
    heat: HEAT_FALLBACKS.map((fallback, index) =>
      cssOf(
        parseColour(withoutAlpha(variable(`--vscode-extrospect-heat${index + 1}`)), background) ?? first([], fallback),
      ),
    ),
    highContrast,
    background: cssOf(background),
    foreground: cssOf(foreground),
    border: cssOf(
      first(highContrast ? ["--vscode-contrastBorder"] : ["--vscode-editor-background"], cssOf(foreground)),
    ),
    focus: cssOf(
      first(
        highContrast ? ["--vscode-contrastActiveBorder", "--vscode-focusBorder"] : ["--vscode-focusBorder"],
        "#0078d4",
      ),
    ),
    match: cssOf(
      first(
        ["--vscode-extrospect-searchMatch", "--vscode-charts-foreground", "--vscode-editor-foreground"],
        cssOf(foreground),
      ),
    ),
    tiny: cssOf(mix(background, foreground, highContrast ? 0.5 : 0.22)),
  };
}
