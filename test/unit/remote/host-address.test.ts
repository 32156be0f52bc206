// The host that an address means: a stored address, or one handed over by another extension, may be anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressKey,
  addressName,
  addressOf,
  isAddress,
  type HostAddress,
} from "../../../extension/src/remote/host-address.js";
import { storedHosts } from "../../../extension/src/remote/host-list.js";

const storedAddresses = (stored: unknown, most: number) => storedHosts(stored, most).map(({ address }) => address);

const SHOP: HostAddress = { command: "kubectl", values: { namespace: "market", pod: "shop-1", container: "" } };

test("a host has a name to read and a key of its own", () => {
  assert.equal(addressName({ ssh: "me@web" }), "me@web");
  assert.equal(addressName(SHOP), "kubectl market/shop-1");
  assert.equal(addressName({ command: "docker", values: { container: "shop-1" } }), "docker shop-1");
  assert.equal(addressName({ command: "here", values: {} }), "here");
  const different: HostAddress[] = [
    { ssh: "docker" },
    { command: "docker", values: {} },
    { command: "docker", values: { a: "b" } },
    { command: "docker", values: { a: "b/c" } },
    { command: "docker", values: { a: "b", c: "c" } },
    { command: "docker a", values: { b: "" } },
  ];
  assert.equal(new Set(different.map(addressKey)).size, different.length);
  assert.equal(addressKey(structuredClone(SHOP)), addressKey(SHOP));
});

test("what is handed over is a text for ssh, an address, or none", () => {
  assert.deepEqual(addressOf("web"), { ssh: "web" });
  assert.deepEqual(addressOf({ ssh: "web", more: 1 }), { ssh: "web" });
  assert.deepEqual(addressOf({ ...SHOP, program: "rm" }), SHOP);
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`a${String(index)}`, "b"]));
  for (const none of [
    undefined,
    null,
    1,
    [],
    {},
    { command: "a" },
    { command: "a", values: null },
    { command: "a", values: { b: 1 } },
    { command: 1, values: {} },
    { command: "a", values: many },
  ]) {
    assert.equal(addressOf(none), undefined, JSON.stringify(none));
  }
});

test("of what was stored only what makes sense is a host, once each, and so many", () => {
  const evil = [
    "-oProxyCommand=touch /tmp/evil",
    { ssh: "a;b" },
    { command: "docker", values: { container: "--privileged" } },
    { command: "docker", values: { container: "$(id)" } },
    { command: "docker", values: { "a b": "c" } },
    { command: "\u001b[2J", values: {} },
    { command: "", values: {} },
    JSON.parse('{"command": "docker", "values": {"__proto__": "x"}}'),
    null,
    42,
    ["docker"],
  ];
  for (const one of evil)
    assert.ok(!(addressOf(one) !== undefined && isAddress(addressOf(one) as HostAddress)), JSON.stringify(one));
  assert.deepEqual(storedAddresses([...evil, "web", SHOP, { ssh: "web" }, structuredClone(SHOP)], 50), [
    { ssh: "web" },
    SHOP,
  ]);
  assert.equal(
    storedAddresses(
      Array.from({ length: 1000 }, (_, index) => `host${String(index)}`),
      50,
    ).length,
    50,
  );
  for (const stored of [undefined, null, "web", { 0: "web", length: 1 }])
    assert.deepEqual(storedAddresses(stored, 50), []);
});
