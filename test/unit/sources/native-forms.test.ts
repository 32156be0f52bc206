import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nativeIdentityOf } from "../../../extension/src/sources/finding/function-identity.js";
import { originOf, type NamesakeFile } from "../../../extension/src/sources/finding/code-origin.js";
import { placeOf } from "../../../extension/src/sources/finding/module-file.js";
import { baselineOf } from "../../../extension/src/sources/drift/baseline.js";
import { scanForms } from "../../../extension/src/sources/forms/scan-forms.js";
import { DocumentView } from "../../../extension/src/sources/mapping/document-view.js";
import type { PlacedFunction } from "../../../extension/src/sources/mapping/capture-places.js";

const PROJECT = join(process.cwd(), "test/vms/native");

const C = `#include <x.h>
#define MAKE(NAME) int NAME(int x) { \\
  return x; }
/* int not(void) { */
static const char *text = "int nor(void) {";
struct pair { int a; };
enum kind { ONE, TWO };
static ErlNifFunc functions[] = {{"score", 1, score, 0}};
static __attribute__((noinline)) unsigned long
scored(unsigned long count)
{
  for (int i = 0; i < 3; i++) {
    if (i) { continue; }
  }
  struct pair p = (struct pair){ 1 };
  char brace = '{';
  return count;
}
int declared(int);
extern "C" {
int Shop::total(const std::vector<int> &all) const noexcept {
  return std::accumulate(all.begin(), all.end(), 0, [](int a, int b) { return a + b; });
}
Shop::Shop(int x) : a(x), b(x) {
}
}
`;

const RUST = `//! fn not() {}
use std::fmt;
/// "fn nor() {"
pub struct Weight<'a>(&'a u64);
impl<'a> Weight<'a> {
    #[inline(always)]
    pub fn added(&self, step: u64) -> u64 where u64: Copy {
        match step { 0 => { '{'; 1 } _ => 2 }
    }
}
impl fmt::Display for Weight<'_> {
    fn fmt(
        &self,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        f.write_str(r#"} " {"#)
    }
}
pub extern "C" fn weigh(x: u64) -> u64 {
    fn inner(y: u64) -> u64 { y }
    (0..x).map(|y| { inner(y) }).sum()
}
`;

const shown = (path: string, text: string) =>
  scanForms(path, text).map(({ name, headLine, endLine }) => [name, headLine, endLine]);

test("functions of C and C++ are found with their bodies", () => {
  assert.deepEqual(shown("shop.cpp", C), [
    ["scored", 10, 18],
    ["total", 21, 23],
    ["Shop", 24, 25],
  ]);
});

test("functions of Rust are found, methods and those in functions too", () => {
  assert.deepEqual(shown("lib.rs", RUST), [
    ["added", 7, 9],
    ["fmt", 12, 17],
    ["weigh", 19, 22],
    ["inner", 20, 20],
  ]);
});

test("texts that are no program are scanned to their end", () => {
  for (const text of ["", "}}}}", "((((", "{{{{", '"', "/*", "'", "fn ", "fn f(", 'R"x(', 'r####"', "#\\"]) {
    for (const path of ["a.c", "a.rs"]) assert.ok(Array.isArray(scanForms(path, text)));
  }
});

test("names of native functions are taken apart", () => {
  const named = (name: string) => {
    const { name: bare, isInner } = nativeIdentityOf(name, name);
    return isInner ? `inner ${bare}` : bare;
  };
  assert.deepEqual(
    [
      "scored",
      "scored.constprop.0",
      "shop_rust::Weight::added",
      "<shop::Weight as core::fmt::Display>::fmt",
      "std::vector<int, std::allocator<int> >::push_back",
      "shop::weighed::{{closure}}",
      "shop::weighed::{closure#0}",
      "shop::parse::<u64>",
    ].map(named),
    ["scored", "scored", "added", "fmt", "push_back", "inner weighed", "inner weighed", "parse"],
  );
});

test("the path of a native file shows its owner", () => {
  const file = (relative: string): NamesakeFile => ({
    path: `/home/me/shop/${relative}`,
    workspaceFolder: "/home/me/shop",
    isOwn: !relative.startsWith("deps/"),
    declares: undefined,
  });
  const originIn = (reported: string, ...files: string[]) => {
    const place = placeOf({ rawName: "f", kind: "nif", file: reported });
    assert.ok(place !== undefined);
    return originOf(place, files.map(file)).origin.kind;
  };
  assert.equal(originIn("/home/me/shop/c_src/shop.c", "c_src/shop.c"), "own");
  assert.equal(originIn("/build/shop/c_src/shop.c", "c_src/shop.c"), "own");
  assert.equal(originIn("/build/other/src/shop.c", "c_src/shop.c"), "library");
  assert.equal(
    originIn("/build/deps/jiffy/c_src/decoder.c", "deps/jiffy/c_src/decoder.c", "c_src/decoder.c"),
    "dependency",
  );
  assert.equal(originIn("/build/_build/default/lib/jiffy/c_src/decoder.c", "c_src/decoder.c"), "library");
  assert.equal(originIn("/build/_build/default/lib/shop/c_src/decoder.c", "c_src/decoder.c"), "own");
  assert.equal(originIn("/build/native/shop/src/lib.rs", "native/shop/src/lib.rs"), "own");
  assert.equal(originIn("/build/regex/src/lib.rs", "native/shop/src/lib.rs"), "library");
  assert.equal(originIn("/root/.cargo/registry/src/native/shop/src/lib.rs", "native/shop/src/lib.rs"), "library");
  assert.equal(placeOf({ rawName: "f", kind: "native", file: "" }), undefined);
  assert.equal(placeOf({ rawName: "f", kind: "kernel", file: "x.c" }), undefined);
});

const native = (name: string, headLine: number): PlacedFunction => ({
  ...nativeIdentityOf(name, name),
  index: 0,
  headLine,
});

test("lines of an edited text move with the functions they are in", () => {
  const path = join(PROJECT, "c_src/shop_c.c");
  const text = readFileSync(path, "utf8");
  const headOf = (name: string) => scanForms(path, text).find((form) => form.name === name)?.headLine ?? 0;
  const functions = ["mixed", "scored", "score"].map((name) => native(name, headOf(name)));
  const baseline = baselineOf(path, text, functions, "disk");
  assert.deepEqual(baseline.fit, { hits: 3, misses: 0 });
  const [mixed] = functions;
  assert.ok(mixed !== undefined);
  const view = new DocumentView(path, `// one\n// two\n${text}`, functions, baseline);
  assert.equal(view.headLine(mixed), headOf("mixed") + 2);
  assert.deepEqual(view.map(mixed, headOf("mixed") + 2), { line: headOf("mixed") + 4, state: "moved" });
  assert.ok(view.endLine(mixed) > view.headLine(mixed));
  assert.equal(
    baselineOf(path, text.replace("\n\n", "\n\n\n\n"), functions, "disk").fit.hits,
    0,
    "another text than the one that runs",
  );
});
