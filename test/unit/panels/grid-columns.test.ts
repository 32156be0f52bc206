// Which columns a table shows and how wide, and where long names are cut.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nameParts } from "../../../webviews/elements/name-parts.js";
import { fitColumns, readWidths } from "../../../webviews/grid/column-fit.js";

describe("names that are cut in the middle", () => {
  const parts = (name: string) => {
    const { module, start, end } = nameParts(name);
    assert.equal(module + start + end, name);
    return [module, start + end];
  };

  test("the module is what stands before the function, in Erlang, Elixir, with quotes and in closures", () => {
    assert.deepEqual(parts("lists:map/2"), ["lists", ":map/2"]);
    assert.deepEqual(parts("Jason.Formatter.pp_string/4"), ["Jason.Formatter", ".pp_string/4"]);
    assert.deepEqual(parts("'a:b':'c.d:e'/12"), ["'a:b'", ":'c.d:e'/12"]);
    assert.deepEqual(parts("demo:'-sales/1-lc$^0/1-0-'/2"), ["demo", ":'-sales/1-lc$^0/1-0-'/2"]);
    assert.deepEqual(parts(":lists.map/2"), [":lists", ".map/2"]);
  });

  test("what has none is one piece, and a character of two units stays whole", () => {
    assert.deepEqual(parts("std::map<int>::find(int)"), ["", "std::map<int>::find(int)"]);
    assert.deepEqual(parts("beam.smp!fn@0x2e9b00"), ["", "beam.smp!fn@0x2e9b00"]);
    assert.deepEqual(parts(""), ["", ""]);
    assert.equal(nameParts(`${"🐇".repeat(12)}`).end, "🐇".repeat(10));
  });
});

describe("columns that fit", () => {
  const COLUMNS = [
    { id: "name", numeric: false, track: "minmax(100px, 1fr)", leastPx: 100, wantsPx: 200 },
    { id: "self", numeric: true, track: "80px", leastPx: 80, leftOut: 1 },
    { id: "place", numeric: false, track: "90px", leastPx: 90, leftOut: 2 },
  ];
  const fit = (roomPx: number, widths = {}, kept = new Set<string>()) => {
    const { shown, tracks, leastPx } = fitColumns(COLUMNS, widths, roomPx, kept);
    return [[...shown].join(" "), tracks, leastPx];
  };

  test("the last to shrink is the name, and one figure stays", () => {
    assert.deepEqual(fit(370), ["name self place", "minmax(100px, 1fr) 80px 90px", 270]);
    assert.deepEqual(fit(369), ["name self", "minmax(100px, 1fr) 80px", 180]);
    assert.deepEqual(fit(100), ["name self", "minmax(100px, 1fr) 80px", 180]);
    assert.deepEqual(fit(369, {}, new Set(["place"])), ["name self place", "minmax(100px, 1fr) 80px 90px", 270]);
    assert.deepEqual(fit(0), fit(1000), "out of sight nothing is left out");
  });

  test("with a width of its own for the name, the last column takes what is left", () => {
    assert.deepEqual(fit(1000, { name: 300 }), ["name self place", "300px 80px minmax(90px, 1fr)", 470]);
    assert.deepEqual(fit(1000, { name: 300, place: 200 }), ["name self place", "300px 80px minmax(200px, 1fr)", 580]);
    assert.deepEqual(fit(469, { name: 300 }), ["name self", "300px 80px", 380]);
  });

  test("widths of a state are numbers within bounds", () => {
    assert.deepEqual(readWidths({ name: 300.4, self: 1, place: 1e9, x: "7", y: NaN }), {
      name: 300,
      self: 40,
      place: 2000,
    });
    for (const nonsense of [undefined, null, 7, "x"]) assert.deepEqual(readWidths(nonsense), {});
  });
});
