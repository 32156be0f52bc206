import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { FunctionFacts } from "../../../extension/src/capture/questions.js";
import {
  applicationOf,
  declaration,
  isOwnFunction,
  originOf,
  type NamesakeFile,
} from "../../../extension/src/sources/finding/code-origin.js";
import { declaresModule, placeOf, type ModulePlace } from "../../../extension/src/sources/finding/module-file.js";
import { chooseSource, mayHold } from "../../../extension/src/sources/finding/path-likeness.js";
import { CapturePlaces } from "../../../extension/src/sources/mapping/capture-places.js";
import { ownFunctionsThen } from "../../../extension/src/sources/own-code-then.js";

const FOLDER = "/home/me/shop";

function file(
  relative: string,
  place: ModulePlace,
  text: string,
  isOwn = !/(?:^|\/)(?:deps|_build)\//.test(relative),
): NamesakeFile {
  const path = `${FOLDER}/${relative}`;
  return { path, workspaceFolder: FOLDER, isOwn, declares: declaration(path, text, place) };
}

const elixir = (module: string, reported: string): ModulePlace => ({ module, isElixir: true, file: reported });
const erlang = (module: string, reported: string): ModulePlace => ({ module, isElixir: false, file: reported });

test("a module is own code when a file of the workspace that is not ignored declares it", () => {
  const cart = elixir("Shop.Cart", "lib/shop/cart.ex");
  assert.deepEqual(originOf(cart, [file("apps/shop/lib/shop/cart.ex", cart, "defmodule Shop.Cart do\nend")]), {
    origin: { kind: "own", application: "shop" },
    isDispatch: false,
  });
  const jason = elixir("Jason", "lib/jason.ex");
  assert.deepEqual(originOf(jason, [file("deps/jason/lib/jason.ex", jason, "defmodule Jason do\nend")]).origin, {
    kind: "dependency",
    application: "jason",
  });
  const lists = erlang("lists", "lists.erl");
  assert.deepEqual(originOf(lists, []).origin, { kind: "library", application: "" });
  assert.deepEqual(
    originOf(lists, [file("src/lists.erl", lists, "-module(my_lists).")]).origin.kind,
    "library",
    "another module of a file of that name",
  );
});

test("a module of the workspace stays own code wherever it was built", () => {
  const pricing = erlang("pricing", "/builds/ci/_build/prod/lib/shop/src/pricing.erl");
  const there = [
    file("_build/default/lib/shop/src/pricing.erl", pricing, "-module(pricing)."),
    file("apps/shop/src/pricing.erl", pricing, "-module(pricing)."),
  ];
  assert.deepEqual(originOf(pricing, there).origin, { kind: "own", application: "shop" });
});

test("a module that a macro makes is recognised by its whole path, not by the name of its file", () => {
  const router = elixir("ShopWeb.Router.Helpers", "lib/shop_web/router.ex");
  assert.equal(
    originOf(router, [file("apps/web/lib/shop_web/router.ex", router, "defmodule ShopWeb.Router do\nend")]).origin.kind,
    "own",
  );
  const registry = elixir("Registry", "lib/registry.ex");
  assert.equal(
    originOf(registry, [file("lib/registry.ex", registry, "defmodule Shop.Registry do\nend")]).origin.kind,
    "library",
    "Elixir's own is called so too",
  );
  const plug = elixir("Plug.Router.Made", "lib/plug/router.ex");
  assert.equal(
    originOf(plug, [file("apps/web/lib/shop/plug/router.ex", plug, "defmodule Shop.Plug.Router do\nend")]).origin.kind,
    "library",
  );
});

test("what a protocol dispatches counts for its caller, its implementations for themselves", () => {
  const text = "defprotocol Shop.Priced do\n  def price(item)\nend\ndefimpl Shop.Priced, for: Shop.Item do\nend\n";
  const protocol = elixir("Shop.Priced", "lib/shop/priced.ex");
  const dispatch = originOf(protocol, [file("lib/shop/priced.ex", protocol, text)]);
  assert.equal(dispatch.isDispatch, true);
  assert.equal(isOwnFunction({ isInner: false }, dispatch, dispatch), false);
  const implementation = elixir("Shop.Priced.Shop.Item", "lib/shop/priced.ex");
  const found = originOf(implementation, [file("lib/shop/priced.ex", implementation, text)]);
  assert.deepEqual(found, { origin: { kind: "own", application: "shop" }, isDispatch: false });
  assert.equal(isOwnFunction({ isInner: false }, found, found), true);
});

test("in a module of own code, what a dependency's macro wrote counts with the function around it", () => {
  const own = { origin: { kind: "own" as const, application: "shop" }, isDispatch: false };
  const dependency = { origin: { kind: "dependency" as const, application: "phoenix" }, isDispatch: false };
  assert.equal(isOwnFunction({ isInner: false }, dependency, own), true);
  assert.equal(isOwnFunction({ isInner: true }, dependency, own), false);
  assert.equal(isOwnFunction({ isInner: false }, dependency, undefined), false);
});

/** The command line's tests read the table, too. */
test("functions are own code, and their lines in files, as in the table", async () => {
  const files = new Map<string, string>();
  const rows: { isOwn: boolean; rawName: string; reported: string; shown: string }[] = [];
  for (const row of readFileSync("test/unit/sources/fixtures/own-functions.txt", "utf8").split("\n")) {
    const [kind, first = "", ...rest] = row.split(" ");
    const [reported = "", shown = ""] = rest;
    if (kind === "file") files.set(first, rest.join(" "));
    else if (kind === "own" || kind === "other") rows.push({ isOwn: kind === "own", rawName: first, reported, shown });
    else assert.ok(row === "" || row.startsWith("#"), row);
  }
  const functions = rows.map(({ rawName, reported }): FunctionFacts => ({
    name: rawName,
    rawName,
    kind: "erlang",
    file: reported,
    headLine: 5,
    object: "[erlang]",
  }));
  const named = (name: string) => [...files.keys()].filter((path) => path.split("/").at(-1) === name);
  const folder = {
    workspaceFolder: FOLDER,
    files: { named, text: (path: string) => Promise.resolve(files.get(path)) },
  };
  const own = await ownFunctionsThen(new CapturePlaces({ functions } as never).all(), [folder], {
    isIgnored: () => false,
    ruledFiles: () => undefined,
    command: "",
  });
  for (const [index, { isOwn, rawName, reported, shown }] of rows.entries()) {
    assert.equal(own.includes(index), isOwn, rawName);
    const place = placeOf(functions[index] as FunctionFacts);
    if (place === undefined) {
      assert.deepEqual([isOwn, shown], [false, "-"], rawName);
      continue;
    }
    const candidates = named(reported.split("/").at(-1) ?? "").map((relative) => ({
      file: relative,
      path: `${FOLDER}/${relative}`,
      relative,
      declaresModule: declaresModule(`${FOLDER}/${relative}`, files.get(relative) ?? "", place),
    }));
    const { best } = chooseSource(
      reported,
      candidates.filter((candidate) => mayHold(reported, candidate)),
    );
    if (isOwn) assert.deepEqual(best.map(({ file }) => file).join() || "-", shown, rawName);
  }
});

test("a path that a rule excludes is not guessed by the name of its module", async () => {
  const functions = [
    { name: "f", rawName: "made:f/0", kind: "erlang", file: "/vendor/made.peg", headLine: 5, object: "" },
  ];
  const files = {
    named: (name: string) => (name === "made.erl" ? ["src/made.erl"] : []),
    text: () => Promise.resolve("-module(made)."),
  };
  const ownBy = (ruled: readonly string[] | undefined) =>
    ownFunctionsThen(new CapturePlaces({ functions } as never).all(), [{ workspaceFolder: FOLDER, files }], {
      isIgnored: () => false,
      ruledFiles: (reported) => (reported === "/vendor/made.peg" ? ruled : undefined),
      command: "",
    });
  assert.deepEqual(await ownBy(undefined), [0]);
  assert.deepEqual(await ownBy([]), []);
});

test("applications are recognised by the folders around a file", () => {
  assert.equal(applicationOf("/home/me/shop/apps/stock/src/x.erl", FOLDER), "stock");
  assert.equal(applicationOf("/home/me/shop/lib/shop/cart.ex", FOLDER), "shop");
  assert.equal(applicationOf("/home/me/shop/demo/src/x.erl", FOLDER), "demo");
  assert.equal(applicationOf("/home/me/shop/deps/cowboy/src/cowboy.erl", FOLDER), "cowboy");
  assert.equal(applicationOf("/home/me/shop/_build/default/lib/cowboy/src/cowboy.erl", FOLDER), "cowboy");
  assert.equal(applicationOf("/usr/lib/erlang/lib/stdlib-4.2.1/src/lists.erl", ""), "stdlib");
  assert.equal(applicationOf("/build/elixir/lib/elixir/lib/enum.ex", ""), "elixir");
  assert.equal(applicationOf("lists.erl", ""), "");
});
