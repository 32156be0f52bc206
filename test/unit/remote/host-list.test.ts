// The list of hosts in the user's order and groups; the stored list may be anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostAddress } from "../../../extension/src/remote/host-address.js";
import {
  dropped,
  groupsOf,
  inGroup,
  stepped,
  storable,
  storedHosts,
  withGroupRenamed,
  withHost,
  withMachine,
  withoutHost,
  type RememberedHost,
} from "../../../extension/src/remote/host-list.js";

const SHOP: HostAddress = { command: "docker", values: { container: "shop-1" } };
const address = (name: string): HostAddress => (name === "shop" ? SHOP : { ssh: name });
/** `a b | prod: c d` as rows. */
function list(...rows: string[]): RememberedHost[] {
  return rows.map((row) => {
    const [group = "", name = ""] = row.includes("/") ? row.split("/") : ["", row];
    return { address: address(name), group, machine: "" };
  });
}
const rows = (hosts: readonly RememberedHost[]) =>
  hosts.map(({ address: one, group }) => (group === "" ? "" : `${group}/`) + ("ssh" in one ? one.ssh : "shop"));

test("what is stored is read as it was, by older versions too", () => {
  const hosts = withMachine(list("a", "prod/b", "prod/shop"), { ssh: "b" }, "prod-7");
  assert.deepEqual(storable(hosts), ["a", { ssh: "b", group: "prod", machine: "prod-7" }, { ...SHOP, group: "prod" }]);
  assert.deepEqual(storedHosts(JSON.parse(JSON.stringify(storable(hosts))), 50), hosts);
  assert.deepEqual(rows(storedHosts(["a", SHOP], 50)), ["a", "shop"]);
});

test("names of groups and machines that a storage makes up are none", () => {
  for (const evil of ["", " ", "a\u001b[2J", "\u202eabc", "x".repeat(300), 7, null, {}, ["a"]])
    assert.deepEqual(storedHosts([{ ssh: "a", group: evil, machine: evil }], 50), list("a"), JSON.stringify(evil));
  assert.deepEqual(rows(withGroupRenamed(list("prod/a"), "prod", "a\nb")), ["prod/a"]);
  assert.deepEqual(rows(inGroup(list("a"), { ssh: "a" }, "\u200b")), ["a"]);
  assert.deepEqual(withMachine(list("a"), { ssh: "a" }, "\u001b]0;x"), list("a"));
});

test("a host that is connected to again stays where it is, a new one comes first, too many go from the end of those without a group", () => {
  assert.deepEqual(rows(withHost(list("a", "prod/b"), { ssh: "b" }, 50)), ["a", "prod/b"]);
  assert.deepEqual(rows(withHost(list("a", "prod/b"), SHOP, 50)), ["shop", "a", "prod/b"]);
  assert.deepEqual(rows(withHost(list("a", "b", "prod/c"), { ssh: "new" }, 3)), ["new", "a", "prod/c"]);
  assert.deepEqual(rows(withHost(list("prod/a", "prod/b"), { ssh: "new" }, 2)), ["new", "prod/a"]);
  assert.deepEqual(rows(withoutHost(list("a", "prod/b"), { ssh: "b" })), ["a"]);
});

test("groups are made, renamed, joined, and gone when they are empty", () => {
  const one = inGroup(list("a", "b", "c"), { ssh: "a" }, "prod");
  assert.deepEqual(rows(one), ["b", "c", "prod/a"]);
  const two = inGroup(inGroup(one, { ssh: "b" }, "test"), { ssh: "c" }, "prod");
  assert.deepEqual(rows(two), ["prod/a", "prod/c", "test/b"]);
  assert.deepEqual(groupsOf(two), ["prod", "test"]);
  assert.deepEqual(rows(withGroupRenamed(two, "prod", "live")), ["live/a", "live/c", "test/b"]);
  assert.deepEqual(rows(withGroupRenamed(two, "test", "prod")), ["prod/a", "prod/c", "prod/b"]);
  assert.deepEqual(groupsOf(inGroup(two, { ssh: "b" }, "")), ["prod"]);
  assert.deepEqual(rows(inGroup(two, { ssh: "nowhere" }, "prod")), rows(two));
});

test("one place up or down: hosts within their group, groups among groups", () => {
  const hosts = list("a", "b", "prod/c", "prod/d", "test/e");
  const after = (what: Parameters<typeof stepped>[1], step: -1 | 1) => rows(stepped(hosts, what, step));
  assert.deepEqual(after({ address: { ssh: "b" } }, -1), ["b", "a", "prod/c", "prod/d", "test/e"]);
  assert.deepEqual(after({ address: { ssh: "c" } }, 1), ["a", "b", "prod/d", "prod/c", "test/e"]);
  for (const [name, step] of [
    ["a", -1],
    ["b", 1],
    ["d", 1],
    ["e", -1],
    ["nowhere", 1],
  ] as const)
    assert.deepEqual(after({ address: { ssh: name } }, step), rows(hosts), name);
  assert.deepEqual(after({ group: "prod" }, 1), ["a", "b", "test/e", "prod/c", "prod/d"]);
  assert.deepEqual(after({ group: "test" }, 1), rows(hosts));
  assert.deepEqual(after({ group: "nowhere" }, -1), rows(hosts));
});

test("what is dragged goes in front of what it is dropped on, into a group, or out of all", () => {
  const hosts = list("a", "b", "prod/c", "prod/d", "test/e");
  const after = (what: string, onto?: Parameters<typeof dropped>[2]) =>
    rows(dropped(hosts, what.startsWith("#") ? { group: what.slice(1) } : { address: { ssh: what } }, onto));
  assert.deepEqual(after("b", { address: { ssh: "a" } }), ["b", "a", "prod/c", "prod/d", "test/e"]);
  assert.deepEqual(after("a", { address: { ssh: "d" } }), ["b", "prod/c", "prod/a", "prod/d", "test/e"]);
  assert.deepEqual(after("a", { group: "prod" }), ["b", "prod/c", "prod/d", "prod/a", "test/e"]);
  assert.deepEqual(after("c"), ["a", "b", "c", "prod/d", "test/e"]);
  assert.deepEqual(after("e", { address: { ssh: "a" } }), ["e", "a", "b", "prod/c", "prod/d"]);
  assert.deepEqual(after("a", { address: { ssh: "a" } }), rows(hosts));
  assert.deepEqual(after("#test", { group: "prod" }), ["a", "b", "test/e", "prod/c", "prod/d"]);
  assert.deepEqual(after("#test", { address: { ssh: "d" } }), ["a", "b", "test/e", "prod/c", "prod/d"]);
  assert.deepEqual(after("#prod"), ["a", "b", "test/e", "prod/c", "prod/d"]);
  assert.deepEqual(after("#test", { address: { ssh: "a" } }), ["a", "b", "test/e", "prod/c", "prod/d"]);
  assert.deepEqual(after("#prod", { group: "prod" }), rows(hosts));
});
