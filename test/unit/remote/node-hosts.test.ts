// Where a node runs, by its name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressName } from "../../../extension/src/remote/host-address.js";
import { placeOfNode, type NodeHostRules } from "../../../extension/src/remote/node-hosts.js";

const MACHINE = ["desk.example.org", "desk", "192.168.1.7"];
const LOCAL = { name: "shop@web1" };

const place = (node: string, rules: NodeHostRules = {}, asked: { host?: string; name: string | null } = LOCAL) => {
  const { host, name } = asked;
  const found = placeOfNode(node, { name, ...(host !== undefined && { host: { ssh: host } }) }, rules, MACHINE);
  return found.kind === "host" ? addressName(found.address) : found.kind;
};

test("without a rule it is the part behind the @", () => {
  assert.equal(place("shop@web2"), "web2");
  assert.equal(place("shop@10.0.0.3"), "10.0.0.3");
});

test("the host of the queried VM is where that VM is", () => {
  assert.equal(place("probe@web1"), "thisMachine");
  assert.equal(place("probe@web1", {}, { host: "deploy@web", name: "shop@web1" }), "deploy@web");
  assert.equal(place("probe@127.0.0.1", {}, { host: "deploy@web", name: "shop@web1" }), "deploy@web");
  assert.equal(place("probe@localhost", {}, { name: null }), "thisMachine");
});

test("this machine is known by its names, with domain and without, and by its addresses", () => {
  for (const node of ["a@desk", "a@DESK.example.org", "a@192.168.1.7"])
    assert.equal(place(node, {}, { host: "web", name: "shop@web1" }), "thisMachine");
  assert.equal(place("a@desk.example.com"), "desk.example.com");
  assert.equal(place("a@192"), "192");
});

test("the first rule that fits has the place, with the text of its stars", () => {
  const rules = { "*@10.0.0.*": "prod-$2", "db*@*": "admin@$2.internal:$1", "local@*": "", "*": "jump" };
  assert.equal(place("shop@10.0.0.31", rules), "prod-31");
  assert.equal(place("db7@rack", rules), "admin@rack.internal:7");
  assert.equal(place("local@anywhere", rules), "thisMachine");
  assert.equal(place("local@anywhere", rules, { host: "web", name: null }), "web");
  assert.equal(place("other@web1", rules), "jump");
  assert.equal(place("a@b", { "a@b": "exact", "*": "other" }), "exact");
  assert.equal(place("a@bc", { "a@b": "exact" }), "bc");
  assert.equal(place("a@b", { "*b*b": "$1" }), "b");
});

test("what ssh must not be given is no host, from a name or from a rule", () => {
  for (const node of ["a@-oProxyCommand=x", "a@b c", "a@$(reboot)", "a@", "a@\u001b[2J"])
    assert.equal(place(node), "unknown", node);
  assert.equal(place("a@b;c", { "*@*": "x-$2" }), "unknown");
  assert.equal(place("-x@b", { "*@*": "$1" }), "unknown");
});

test("a rule of many stars and a long name take no time", () => {
  assert.equal(place(`${"a".repeat(1000)}@b`, { ["*a".repeat(10)]: "x" }), "b");
  assert.equal(place("a@b", { ["*".repeat(50)]: "x" }), "b");
});
