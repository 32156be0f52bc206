import assert from "node:assert/strict";
import { test } from "node:test";
import { contentSecurityPolicy, webviewPage } from "../../../extension/src/panels/page/page-html.js";
import {
  contrast,
  createPalette,
  functionColours,
  labelOn,
  nodeColours,
  NOT_OWN,
  parseColour,
  SHADES,
  shadeOf,
  vmColour,
  vmLineColour,
  vmsOf,
  huesOf as hueByName,
} from "../../../webviews/graph/colour.js";
import { stackText, toFolded } from "../../../webviews/flame-graph/export-folded.js";
import { toSpeedscope } from "../../../webviews/flame-graph/export-speedscope.js";
import { escapeXml, toSvg } from "../../../webviews/flame-graph/export-svg.js";
import { actionFor } from "../../../webviews/graph/keyboard.js";
import { createLayout } from "../../../webviews/graph/layout.js";
import {
  percent,
  selfShareText,
  setMinimumSamples,
  shareText,
  tooFewIn,
} from "../../../webviews/graph/graph-figures.js";
import { labelOf, sentenceOf } from "../../../webviews/graph/shares.js";
import { fitLabel, fitText } from "../../../webviews/graph/text-fit.js";
import { THEMES } from "../../webviews/themes.mjs";
import { flameOf, SMALL } from "./fixtures.js";

test("colours of every form a theme writes", () => {
  const red = { red: 255, green: 0, blue: 0 };
  for (const text of ["#f00", "#ff0000", "#ff0000ff", "rgb(255, 0, 0)", "rgba(255,0,0,1)", "rgb(255 0 0 / 100%)"])
    assert.deepEqual(parseColour(text), red, text);
  assert.deepEqual(parseColour("rgba(255, 255, 255, 0.5)"), { red: 128, green: 128, blue: 128 });
  for (const text of ["", "red", "#12345", "rgb(1,2)", "rgb(a,b,c)"]) assert.equal(parseColour(text), null, text);
});

test("labels can be read on every shade of every theme", () => {
  for (const [name, theme] of Object.entries(THEMES)) {
    const palette = createPalette((variable) => theme.variables[variable] ?? "", name === "high-contrast");
    for (const [index, fill] of palette.fill.entries()) {
      const ratio = contrast(
        parseColour(fill) ?? assert.fail(),
        parseColour(palette.label[index] ?? "") ?? assert.fail(),
      );
      assert.ok(ratio >= 4.5, `${name} ${fill}: ${ratio}`);
    }
  }
  assert.deepEqual(labelOn({ red: 255, green: 255, blue: 255 }), { red: 0, green: 0, blue: 0 });
});

test("shades are the same for a name, and spread", () => {
  assert.equal(shadeOf("m:f/1"), shadeOf("m:f/1"));
  assert.equal(new Set(Array.from({ length: 100 }, (_, at) => shadeOf(`m:f${at}/1`))).size, SHADES);
});

test("own code stands out: other Erlang code fades, and nothing does where none is own", () => {
  const tables = { functionNames: ["shop:a/0", "lists:map/2", "copy_struct"], functionKinds: Uint8Array.of(0, 0, 3) };
  const kinds = (functionIsOwn: Uint8Array) =>
    [...functionColours({ ...tables, functionIsOwn })].map((colour) => Math.floor(colour / SHADES));
  assert.deepEqual(kinds(Uint8Array.of(1, 0, 0)), [0, NOT_OWN, 3]);
  assert.deepEqual(kinds(new Uint8Array(3)), [0, 0, 3]);
  for (const theme of Object.values(THEMES)) {
    const palette = createPalette((variable) => theme.variables[variable] ?? "", false);
    const [own, other, background] = [palette.kind[0], palette.kind[NOT_OWN], palette.background].map(
      (text) => parseColour(text ?? "") ?? assert.fail(),
    );
    assert.ok(own && other && background && contrast(own, background) > contrast(other, background));
  }
});

test("a graph by node is painted by node, whatever a VM does more at a time; and so is its picture", () => {
  const graph = (first: string, second: string) => ({
    ...flameOf(`all\n  ${first}\n    m:f/0\n      copy 3\n  ${second}\n    m:f/0 2`),
    groupedBy: "node" as const,
  });
  const data = graph("b@h", "a@h");
  assert.deepEqual(vmsOf(data), ["a@h", "b@h"]);
  const huesOf = (of: ReturnType<typeof graph>) => {
    const colourOf = nodeColours(of);
    const names = (node: number): string =>
      node <= 0 ? "" : `${names(of.nodeParent[node] ?? 0)}/${of.functionNames[of.nodeFunction[node] ?? 0] ?? ""}`;
    return new Map(
      Array.from(of.nodeDepth, (_, node) => [names(node), Math.floor(colourOf(node) / SHADES)] as const).slice(1),
    );
  };
  const hues = huesOf(data);
  assert.equal(new Set([hues.get("/b@h"), hues.get("/b@h/m:f/0"), hues.get("/b@h/m:f/0/copy")]).size, 1);
  assert.equal(hues.get("/a@h"), hues.get("/a@h/m:f/0"));
  assert.notEqual(hues.get("/a@h"), hues.get("/b@h"));
  assert.ok([...hues.values()].every((hue) => hue > NOT_OWN));
  assert.equal(huesOf(graph("a@h", "b@h")).get("/b@h"), hues.get("/b@h"));
  const palette = createPalette(() => "", false);
  assert.equal(palette.kind[hues.get("/a@h") ?? 0], "rgb(230, 159, 0)");
  assert.equal(vmColour(0), vmColour(8));
  // Alone in a filter, a VM keeps the hue it has among all.
  const filtered = { ...graph("b@h", "c@h"), vms: ["c@h", "b@h", "a@h"] };
  assert.deepEqual(
    [...hueByName(filtered)],
    [
      ["a@h", 0],
      ["b@h", 1],
      ["c@h", 2],
    ],
  );
  assert.equal(huesOf(filtered).get("/b@h"), hues.get("/b@h"));
  assert.equal(
    hueByName({ ...graph("b@h", "All of one node"), vms: ["b@h"] }).get("b@h"),
    0,
    "what is no VM comes behind them",
  );
});

test("a thin line of a VM stands out from the background of each theme", () => {
  for (const [name, theme] of Object.entries(THEMES)) {
    const palette = createPalette((variable) => theme.variables[variable] ?? "", false);
    for (let hue = 0; hue < 8; hue++) {
      const [line, background] = [vmLineColour(hue, palette), palette.background].map(
        (text) => parseColour(text) ?? assert.fail(),
      );
      assert.ok(line && background && contrast(line, background) >= 3, `${name}, hue ${hue}`);
    }
  }
});

test("folded stacks hold every sample once", () => {
  const folded = toFolded(SMALL);
  assert.ok(folded.includes("m:run/1;m:work/2;copy_struct 6\n"));
  const sum = folded
    .trim()
    .split("\n")
    .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  assert.equal(sum, SMALL.totalSamples);
  assert.equal(toFolded(flameOf("all\n  a;b 1")), "a:b 1\n");
  assert.equal(toFolded(flameOf("all 2\n  a 1")), "all 2\na 1\n", "samples without a frame");
  assert.equal(stackText(SMALL, 3), "copy_struct\nm:work/2\nm:run/1");
});

test("speedscope's file weighs in nanoseconds", () => {
  const file = JSON.parse(toSpeedscope(SMALL, "t")) as {
    profiles: { samples: number[][]; weights: number[]; endValue: number }[];
    shared: { frames: { name: string; file?: string; line?: number }[] };
  };
  const [profile] = file.profiles;
  assert.ok(profile);
  assert.equal(profile.samples.length, profile.weights.length);
  assert.equal(
    profile.weights.reduce((a, b) => a + b, 0),
    SMALL.totalSamples * SMALL.periodNs,
  );
  assert.equal(profile.endValue, SMALL.totalSamples * SMALL.periodNs);
  assert.deepEqual(
    profile.samples[2]?.map((frame) => file.shared.frames[frame]?.name),
    ["m:run/1", "m:work/2", "copy_struct"],
  );
  assert.deepEqual(file.shared.frames[1], { name: "m:run/1", file: "m.erl", line: 7 });
});

test("an SVG holds hostile names as text", () => {
  const data = flameOf('all\n  <script>alert(1)</script>"&\u0001 5');
  const palette = createPalette(() => "", false);
  const svg = toSvg(createLayout(data), {
    title: "<t>",
    widthPx: 1000,
    span: { left: 0, right: 5 },
    orientation: "flame",
    palette,
  });
  assert.ok(!svg.includes("<script"));
  assert.ok(!svg.includes("\u0001"));
  assert.ok(svg.includes("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;"));
  assert.equal(escapeXml('a<b>&"c'), "a&lt;b&gt;&amp;&quot;c");
});

test("labels give up the module before the function", () => {
  assert.equal(fitText("lists:map/2", 11), "lists:map/2");
  assert.equal(fitText("demo_customer:visit/2", 15), "demo_c…:visit/2");
  assert.equal(fitText("demo_customer:visit/2", 8), "visit/2");
  assert.equal(fitText("demo_customer:visit/2", 5), "visi…");
  assert.equal(fitText("global::call_light_bif", 15), "call_light_bif");
  assert.equal(fitText("erts_garbage_collect", 8), "erts_ga…");
  assert.equal(fitText("abc", 2), "");
  for (let chars = 3; chars < 30; chars++) assert.ok(fitText("'Elixir.Some:Module':fun_name/3", chars).length <= chars);
});

test("a collapsed run shows its depth, in the frame, in words and in a picture", () => {
  const data = { ...flameOf("all\n  m:run/1 2\n    lists:map/2 3"), nodeLevels: Uint16Array.of(1, 37, 1) };
  assert.equal(labelOf(data, 1), "m:run/1 ×37");
  assert.equal(labelOf(data, 2), "lists:map/2");
  assert.match(sentenceOf(data, 1, 1), /^m:run\/1, up to 37 levels deep, Erlang, /);
  assert.equal(stackText(data, 2), "lists:map/2\nm:run/1 ×37");
  const palette = createPalette(() => "", false);
  const svg = toSvg(createLayout(data), {
    title: "t",
    widthPx: 1000,
    span: { left: 0, right: 5 },
    orientation: "flame",
    palette,
  });
  assert.match(svg, /<title>m:run\/1 ×37: 5 samples/);
  assert.match(svg, />m:run\/1 ×37<\/text>/);
});

test("a label gives up its function before its depth, and its depth before the last letters", () => {
  assert.equal(fitLabel("demo_customer:visit/2", " ×37", 19), "demo_c…:visit/2 ×37");
  assert.equal(fitLabel("demo_customer:visit/2", " ×37", 7), "vi… ×37");
  assert.equal(fitLabel("demo_customer:visit/2", " ×37", 6), "visit…");
  assert.equal(fitLabel("abc", "", 3), "abc");
});

test("keys follow the orientation and leave the editor's own alone", () => {
  const key = (name: string, held: object = {}) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...held,
  });
  assert.deepEqual(actionFor(key("ArrowDown"), "icicle"), { do: "move", direction: "child" });
  assert.deepEqual(actionFor(key("ArrowDown"), "flame"), { do: "move", direction: "parent" });
  assert.deepEqual(actionFor(key("Enter", { ctrlKey: true }), "flame"), { do: "openSource" });
  assert.equal(actionFor(key("s", { ctrlKey: true }), "flame"), null);
  assert.equal(actionFor(key("toString"), "flame"), null);
});

test("figures read well", () => {
  assert.equal(percent(1, 12), "8.33%", "two digits: most frames are narrow");
  assert.equal(sentenceOf(SMALL, 3, 0), "copy_struct, C, 21.4% of all, 33.3% of parent, 6 samples, 0 children");
});

test("shares of too few samples are marked, each by the samples that it is of", () => {
  setMinimumSamples(7);
  assert.match(sentenceOf(SMALL, 3, 0), /, ≈ 21\.4% of all, ≈ 33\.3% of parent, 6 samples/);
  assert.equal(selfShareText(0, 20, 100), percent(0, 100), "one that only calls others has a certain 0");
  assert.equal(selfShareText(3, 20, 100), `≈ ${percent(3, 100)}`);
  assert.equal(shareText(7, 100), percent(7, 100));
  assert.match(tooFewIn("≈ 3%"), /fewer than 7/);
  assert.equal(tooFewIn("7%"), "");
  setMinimumSamples(0);
});

test("the page allows one script and no inline style", () => {
  assert.equal(
    contentSecurityPolicy({ nonce: "n", cspSource: "x:" }),
    "default-src 'none'; script-src 'nonce-n'; style-src x:; base-uri 'none'; form-action 'none'",
  );
  const page = webviewPage("Flame graph", {
    nonce: "n",
    cspSource: "x:",
    scriptUri: 's"><b',
    styleUri: "c",
    language: "en",
  });
  assert.ok(page.includes('src="s&quot;&gt;&lt;b"'));
  assert.ok(!page.includes("style="));
});
