import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applicationOf,
  declaration,
  isOwnFunction,
  originOf,
  type NamesakeFile,
} from "../../../extension/src/sources/finding/code-origin.js";
import type { ModulePlace } from "../../../extension/src/sources/finding/module-file.js";

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

test("a module that a macro makes is told by its whole path, not by the name of its file", () => {
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

test("applications are told by the folders around a file", () => {
  assert.equal(applicationOf("/home/me/shop/apps/stock/src/x.erl", FOLDER), "stock");
  assert.equal(applicationOf("/home/me/shop/lib/shop/cart.ex", FOLDER), "shop");
  assert.equal(applicationOf("/home/me/shop/demo/src/x.erl", FOLDER), "demo");
  assert.equal(applicationOf("/home/me/shop/deps/cowboy/src/cowboy.erl", FOLDER), "cowboy");
  assert.equal(applicationOf("/home/me/shop/_build/default/lib/cowboy/src/cowboy.erl", FOLDER), "cowboy");
  assert.equal(applicationOf("/usr/lib/erlang/lib/stdlib-4.2.1/src/lists.erl", ""), "stdlib");
  assert.equal(applicationOf("/build/elixir/lib/elixir/lib/enum.ex", ""), "elixir");
  assert.equal(applicationOf("lists.erl", ""), "");
});
