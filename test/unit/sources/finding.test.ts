import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { identityOf } from "../../../extension/src/sources/finding/function-identity.js";
import {
  candidateFolders,
  installationId,
  isInstalled,
  trustedCommand,
} from "../../../extension/src/sources/finding/install-folders.js";
import {
  declaresModule,
  globOf,
  mayLendCode,
  placeOf,
  SOURCE_GLOB,
} from "../../../extension/src/sources/finding/module-file.js";
import {
  chooseSource,
  mayHold,
  mayMake,
  type SourceCandidate,
} from "../../../extension/src/sources/finding/path-likeness.js";
import { RecentMap } from "../../../extension/src/sources/finding/recent-map.js";
import { SourcePicks } from "../../../extension/src/sources/finding/source-picks.js";
import { symbolLine } from "../../../extension/src/sources/mapping/symbol-line.js";

function choose(reported: string, relatives: readonly string[], declares: Record<string, boolean> = {}): string[] {
  const candidates: SourceCandidate<string>[] = relatives.map((relative) => ({
    file: relative,
    path: `/home/me/ws/${relative}`,
    relative,
    declaresModule: declares[relative],
  }));
  return chooseSource(reported, candidates).best.map(({ file }) => file);
}

test("names of functions are taken apart", () => {
  const of = (raw: string) => {
    const found = identityOf(raw);
    return found === undefined
      ? undefined
      : `${found.module}|${found.name}|${found.arity}|${found.isElixir ? "ex" : "erl"}|${found.isInner ? "inner" : "own"}`;
  };
  assert.equal(of("demo_pricing:best_price/2"), "demo_pricing|best_price|2|erl|own");
  assert.equal(of("'Elixir.Enum':map/2"), "Enum|map|2|ex|own");
  assert.equal(of("'Elixir.Enumerable.List':'reduce!'/3"), "Enumerable.List|reduce!|3|ex|own");
  assert.equal(of("demo_reports:'-sales/1-lc$^0/1-0-'/2"), "demo_reports|sales|1|erl|inner");
  assert.equal(of("gen:'-call/4-fun-0-'/4"), "gen|call|4|erl|inner");
  assert.equal(of("'Elixir.A':'-b/2-fun-1-'/1"), "A|b|2|ex|inner");
  assert.equal(of("m:'-fun.helper/3-'/3"), "m|helper|3|erl|inner");
  assert.equal(of("'Elixir.A':'MACRO-twice'/2"), "A|MACRO-twice|2|ex|own");
  assert.equal(of("'it\\'s:odd/':'a/b'/1"), "it's:odd/|a/b|1|erl|own");
  for (const raw of ["copy_struct_x", "", "'", "a:b", "a:b/x", ":b/1", "std::sort(int)", "'a"])
    assert.equal(of(raw), undefined, raw);
});

test("the file of the same app is preferred over its namesake in another one", () => {
  const both = ["apps/shop/src/util.erl", "apps/stock/src/util.erl"];
  assert.deepEqual(choose("/build/ci/apps/stock/src/util.erl", both), ["apps/stock/src/util.erl"]);
  assert.deepEqual(choose("/build/_build/default/lib/shop/src/util.erl", both), ["apps/shop/src/util.erl"]);
  assert.deepEqual(choose("/var/lib/shop-1.2.3/src/util.erl", both), ["apps/shop/src/util.erl"]);
});

test("umbrella apps that report the same path are distinguished by the content of their files", () => {
  const both = ["apps/a/lib/util.ex", "apps/b/lib/util.ex"];
  assert.deepEqual(choose("lib/util.ex", both, { "apps/a/lib/util.ex": false, "apps/b/lib/util.ex": true }), [
    "apps/b/lib/util.ex",
  ]);
  assert.deepEqual(choose("lib/util.ex", both), both, "without texts the user has to choose");
});

test("own sources come before dependencies, those before build copies", () => {
  assert.deepEqual(
    choose("src/x.erl", ["_build/default/lib/app/src/x.erl", "apps/app/src/x.erl", "deps/app/src/x.erl"]),
    ["apps/app/src/x.erl"],
  );
  assert.deepEqual(choose("/ci/_build/test/lib/dep/src/y.erl", ["_build/default/lib/dep/src/y.erl"]), [
    "_build/default/lib/dep/src/y.erl",
  ]);
  assert.deepEqual(choose("/home/me/ws/old/src/z.erl", ["src/z.erl", "old/src/z.erl"]), ["old/src/z.erl"]);
  assert.deepEqual(choose("x.erl", []), []);
});

/** The command line's tests read the table, too. */
test("lines of a header or a template are those of that file, not of one that is called alike", () => {
  const answers = new Set<string>();
  for (const row of readFileSync("test/unit/sources/fixtures/same-file.txt", "utf8").split("\n")) {
    if (row === "" || row.startsWith("#")) continue;
    const [answer = "", reported = "", folder = "", relative = ""] = row.split(" ");
    const candidate = { file: relative, path: `${folder}/${relative}`, relative };
    assert.equal(mayHold(reported, candidate) ? "same" : "other", answer, row);
    answers.add(answer);
  }
  assert.deepEqual(answers, new Set(["same", "other"]));
  const installed = { file: "", path: "/usr/lib/erlang/lib/parsetools-2.4/include/yeccpre.hrl", relative: undefined };
  assert.ok(mayHold("/opt/otp/lib/parsetools-2.5/include/yeccpre.hrl", installed));
  assert.ok(!mayHold("/ci/_build/default/lib/dep/include/yeccpre.hrl", installed));
  const alike = { file: "", path: "/home/me/ws/b/lib/page.heex", relative: "b/lib/page.heex", mayMakeModule: true };
  assert.ok(!mayMake("a/lib/page.heex", alike), "no macro makes a module in a template");
  assert.ok(mayMake("a/lib/page.ex", { ...alike, path: "/home/me/ws/b/lib/page.ex" }));
  assert.ok(!mayMake("deps/dep/lib/page.ex", { ...alike, path: "/home/me/ws/b/lib/page.ex" }), "of a dependency");
  const source = { file: "", path: "/home/me/ws/apps/shop/src/shop.erl", relative: "apps/shop/src/shop.erl" };
  assert.ok(mayHold("shop.erl", source), "of the text of a module, its name decides");
});

test("a file is looked for among those of its ending, or of its name where it has none", () => {
  assert.equal(globOf("/ci/src/cart.ERL"), SOURCE_GLOB);
  assert.equal(globOf("spec/grammar.peg"), "**/*.peg");
  assert.equal(globOf("lib/page.html-eex"), "**/*.html-eex");
  assert.equal(globOf("src/lexer.c++"), "**/*.c++");
  assert.equal(globOf("spec/keywords"), "**/keywords");
  assert.equal(globOf("./key-words"), "**/key-words");
  for (const other of ["", "a*b", "{a,b}", "a.{b,c}", "a.b?"]) assert.equal(globOf(other), undefined, other);
});

test("a text of Elixir lends code to modules that it may make, and by its macros to others", () => {
  const page = { module: "Shop.Page", isElixir: true, file: "lib/agent.ex" };
  assert.equal(mayLendCode("defmodule Jobs.Agent do\nend\n", page), false);
  assert.equal(mayLendCode("defmodule Jobs.Agent do\n  defmacro __using__(_), do: nil\nend\n", page), true);
  assert.equal(mayLendCode("defmodule Shop.Agent do\nend\n", page), true);
});

test("a text shows whether it has a module", () => {
  const erlang = (module: string) => ({ module, isElixir: false, file: "m.erl" });
  const elixir = (module: string) => ({ module, isElixir: true, file: "m.ex" });
  assert.equal(declaresModule("/a/m.erl", "%% -module(no).\n-module(m).\n", erlang("m")), true);
  assert.equal(declaresModule("/a/m.erl", "-module('odd-name').", erlang("m")), false);
  assert.equal(declaresModule("/a/m.hrl", "foo() -> 1.", erlang("m")), undefined);
  assert.equal(declaresModule("/a/m.yrl", "Nonterminals a.", erlang("m")), true);
  assert.equal(declaresModule("/a/other.xrl", "Definitions.", erlang("m")), undefined);
  const text = "defmodule Shop do\n  defmodule Cart do\n  end\n  defimpl Inspect, for: Cart do\n  end\nend\n";
  assert.equal(declaresModule("/a/m.ex", text, elixir("Shop")), true);
  assert.equal(declaresModule("/a/m.ex", text, elixir("Shop.Cart")), true);
  assert.equal(declaresModule("/a/m.ex", text, elixir("Inspect.Shop.Cart")), true);
  assert.equal(declaresModule("/a/m.ex", text, elixir("Other.Cart")), false);
  assert.equal(declaresModule("/a/m.ex", text, elixir("Sho")), false);
  assert.equal(declaresModule("/a/m.ex", text, elixir("(a+)+$.".repeat(50))), undefined);
});

test("modules of Gleam are called as their files, those of LFE by their declaration", () => {
  const gleam = placeOf({ rawName: "shop@cart:total/1", kind: "erlang", file: "/home/me/shop/src/shop/cart.gleam" });
  assert.deepEqual(gleam, { module: "shop@cart", isElixir: false, file: "/home/me/shop/src/shop/cart.gleam" });
  assert.equal(declaresModule("/ws/src/shop/cart.gleam", "pub fn total() {}", gleam), true);
  assert.equal(declaresModule("/ws/src/other/cart.gleam", "pub fn total() {}", gleam), false);
  const cart = placeOf({ rawName: "cart:total/1", kind: "erlang", file: "/build/cart/src/cart.gleam" });
  assert.ok(cart !== undefined);
  assert.equal(declaresModule("/ws/src/shop/cart.gleam", "pub fn total() {}", cart), false, "shop@cart");
  assert.equal(declaresModule("/ws/src/cart.gleam", "pub fn total() {}", cart), true);
  const lfe = { module: "my-shop", isElixir: false, file: "src/my-shop.lfe" };
  assert.equal(
    declaresModule("/ws/src/my-shop.lfe", ";; (defmodule no\n(defmodule my-shop\n  (export all))", lfe),
    true,
  );
  assert.equal(declaresModule("/ws/src/my-shop.lfe", "(defmodule other)", lfe), false);
  assert.equal(declaresModule("/ws/src/macros.lfe", "(defun f () 1)", lfe), undefined);
});

test("scripts are modules with the names of their files, or by their declaration", () => {
  const of = (module: string) => ({ module, isElixir: false, file: "./hash" });
  const script = "#!/usr/bin/env escript\nmain(_) -> ok.\n";
  const named = "#!/usr/bin/escript\n%%! -smp\n-module(tool).\n";
  assert.equal(declaresModule("/ws/bin/tool.escript", script, of("tool_escript__escript__1766__123__4__5")), true);
  assert.equal(declaresModule("/ws/bin/tool.escript", script, of("tool__escript__1766__123__4__5")), false);
  assert.equal(declaresModule("/ws/bin/tool.escript", script, of("tool")), false);
  assert.equal(declaresModule("/ws/bin/run.escript", named, of("tool")), true);
  assert.equal(declaresModule("/ws/bin/run.escript", "-module(tool).", of("tool")), false, "escript runs it otherwise");
  assert.equal(declaresModule("/ws/hash", script, of("hash__escript__1766__123__4__5")), true);
  assert.equal(declaresModule("/ws/hash", "#!/bin/sh\n", of("hash__escript__1766__123__4__5")), undefined);
});

test("modules with a source are distinguished from those without", () => {
  assert.deepEqual(placeOf({ rawName: "lists:sort/1", kind: "erlang", file: "" }), {
    module: "lists",
    isElixir: false,
    file: "lists.erl",
  });
  assert.equal(placeOf({ rawName: "'Elixir.A':b/1", kind: "erlang", file: "" }), undefined);
  assert.deepEqual(placeOf({ rawName: "copy_struct_x", kind: "native", file: "beam/copy.c" }), {
    module: "",
    isElixir: false,
    file: "beam/copy.c",
  });
  assert.equal(placeOf({ rawName: "copy_struct_x", kind: "native", file: "" }), undefined);
  assert.equal(placeOf({ rawName: "copy_struct_x", kind: "native", file: "beam/ops.tab" }), undefined);
  assert.equal(placeOf({ rawName: "'../../etc/passwd':b/1", kind: "erlang", file: "" }), undefined);
  assert.equal(placeOf({ rawName: "'Elixir.A':b/1", kind: "erlang", file: "nofile" }), undefined);
  assert.deepEqual(placeOf({ rawName: "grammar:f/1", kind: "erlang", file: "spec/grammar.peg" }), {
    module: "grammar",
    isElixir: false,
    file: "spec/grammar.peg",
  });
});

test("installations are read from the command of the VM", () => {
  const folders = candidateFolders(
    "/opt/otp/erts-13/bin/beam.smp -- -root /opt/otp -pa /srv/app/ebin -pa relative/ebin -eval x",
  ).map(({ folder }) => folder);
  assert.deepEqual(folders.slice(0, 3), ["/srv/app/src", "/srv/app/lib", "/opt/otp/lib"]);
  assert.ok(candidateFolders("").every(({ folder }) => folder.startsWith("/usr/")));
  assert.ok(candidateFolders(" -root").every(({ folder }) => folder.startsWith("/usr/")));
});

test("what lies in the VM's own installation, somewhere in the workspace, is not the user's", () => {
  const installed = (path: string, command: string) => isInstalled({ path, workspaceFolder: "/home/me/shop" }, command);
  const command = "/home/me/shop/rel/erts-13/bin/beam.smp -- -root /home/me/shop/rel -progname erl";
  assert.ok(installed("/home/me/shop/rel/lib/stdlib/src/lists.erl", command));
  assert.ok(installed("/home/me/shop/rel/lib/shop/src/shop.erl", `${command} -root /elsewhere`));
  assert.ok(!installed("/home/me/shop/src/shop.erl", command));
  assert.ok(!installed("/home/me/shop/release/shop.erl", command));
  assert.ok(
    !installed("/home/me/shop/lib/stdlib/src/lists.erl", "beam.smp -- -root /home/me/shop"),
    "whose workspace is OTP works on OTP",
  );
  assert.ok(!installed("/home/me/shop/src/shop.erl", "beam.smp -- -root /usr/lib/erlang"));
  assert.ok(!installed("/home/me/shop/src/shop.erl", ""));
});

test("symbols of language servers are matched by name and arity", () => {
  const leaf = (name: string, line: number) => ({ name, line, children: [] });
  const symbols = [
    {
      name: "Shop",
      line: 1,
      children: [leaf("def total(cart, opts)", 3), leaf("helper/1", 9), leaf("defmacro twice(x)", 12)],
    },
    { name: "Stock", line: 20, children: [leaf("total({a, b}, [c, d])", 22)] },
  ];
  const fn = (module: string, name: string, arity: number) => ({ module, name, arity, isElixir: true, isInner: false });
  assert.equal(symbolLine(symbols, fn("Shop", "total", 2)), 3);
  assert.equal(symbolLine(symbols, fn("My.Stock", "total", 2)), 22);
  assert.equal(symbolLine(symbols, fn("Other", "total", 2)), undefined);
  assert.equal(symbolLine(symbols, fn("Shop", "helper", 1)), 9);
  assert.equal(symbolLine(symbols, fn("Shop", "MACRO-twice", 2)), 12);
  assert.equal(symbolLine(symbols, fn("Shop", "total", 1)), undefined);
});

test("what a capture file names is followed in a trusted workspace only, what a live VM names always", () => {
  const command = "beam.smp -root /somewhere/else -pa /home/me/app/ebin";
  const opened = (live: boolean) => ({ live, capture: { facts: { target: { command } } } });
  assert.equal(trustedCommand(opened(false), true), command);
  assert.equal(trustedCommand(opened(true), false), command);
  assert.equal(trustedCommand(opened(false), false), "");
  assert.equal(trustedCommand(undefined, true), "");
  assert.equal(trustedCommand({ live: false, capture: { facts: { target: null } } }, true), "");
  const foldersOf = (live: boolean, isTrusted: boolean) =>
    candidateFolders(trustedCommand(opened(live), isTrusted)).map(({ folder }) => folder);
  assert.deepEqual(
    foldersOf(false, false),
    candidateFolders("").map(({ folder }) => folder),
  );
  assert.ok(foldersOf(false, false).every((folder) => folder.startsWith("/usr/")));
  assert.ok(foldersOf(false, true).includes("/somewhere/else/lib"));
});

test("a pick serves the installation it was made for, and no other", async () => {
  const kept = new Map<string, unknown>();
  const picks = new SourcePicks({
    get: <Value>(key: string, otherwise: Value) => (kept.get(key) as Value | undefined) ?? otherwise,
    update: (key, value) => Promise.resolve(void kept.set(key, value)),
  });
  const startedFrom = (root: string) =>
    installationId({ live: false, capture: { facts: { target: { command: `beam.smp -- -root ${root} -noshell` } } } });
  const lists = { module: "lists", isElixir: false, file: "lists.erl" };
  await picks.set(lists, startedFrom("/opt/otp-a"), "file:///a/lists.erl");
  assert.equal(picks.get(lists, startedFrom("/opt/otp-a")), "file:///a/lists.erl");
  assert.equal(picks.get(lists, startedFrom("/opt/otp-b")), undefined);
  assert.equal(picks.get(lists, installationId(undefined)), undefined);
  await picks.set(lists, startedFrom("/opt/otp-b"), "file:///b/lists.erl");
  assert.deepEqual(
    [picks.get(lists, startedFrom("/opt/otp-a")), picks.get(lists, startedFrom("/opt/otp-b"))],
    ["file:///a/lists.erl", "file:///b/lists.erl"],
  );
  assert.equal(await picks.forget(), 2);
  assert.equal(picks.get(lists, startedFrom("/opt/otp-a")), undefined);
});

test("a bounded memory keeps the last requested entries", () => {
  const map = new RecentMap<string, number>(2);
  let made = 0;
  const get = (key: string) => map.get(key, () => ++made);
  assert.deepEqual([get("a"), get("b"), get("a"), get("c")], [1, 2, 1, 3]);
  assert.equal(map.size, 2);
  assert.deepEqual([get("a"), get("b")], [1, 4], "b was requested longest ago");
  map.drop("a", 99);
  assert.equal(get("a"), 1, "another value is in its place");
  map.drop("a", 1);
  assert.equal(map.size, 1);
  assert.equal(
    map.dropWhere((key) => key === "b"),
    true,
  );
  assert.equal(
    map.dropWhere(() => true),
    false,
  );
});
