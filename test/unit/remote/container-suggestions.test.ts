// The suggestions for a placeholder: containers that the helper has found here, and nothing that could not be used.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { commandTemplates } from "../../../extension/src/remote/command-template.js";
import { suggestionsFor } from "../../../extension/src/remote/container-suggestions.js";
import { settingValue } from "../../../extension/src/setting-values.js";

const PRESETS = commandTemplates(settingValue("remote.commands", undefined));
const ROW: BeamRow = {
  pid: 1,
  uid: 0,
  command: "beam.smp",
  otp: "25",
  erts: null,
  flavor: null,
  schedulers: null,
  cpuPct: null,
  node: null,
  container: null,
  attachable: true,
  reason: null,
};
const row = (pid: number, container: string | null, containerFacts?: BeamRow["containerFacts"]): BeamRow => ({
  ...ROW,
  pid,
  container,
  ...(containerFacts && { containerFacts }),
});
const BEAMS = [
  row(10, null),
  row(11, "another pid namespace"),
  row(12, "docker shop-1 (shop:1)", { runtime: "docker", id: "a", name: "shop-1", image: "shop:1" }),
  row(13, "podman shop-2", { runtime: "podman", id: "b", name: "shop-2" }),
  row(14, "docker evil", { runtime: "docker", id: "c", name: "--privileged" }),
  row(15, "docker nameless", { runtime: "docker", id: "d" }),
  row(16, "kubernetes market/shop-7d9f shop", {
    runtime: "containerd",
    id: "e",
    name: "shop",
    pod: "shop-7d9f",
    namespace: "market",
  }),
  row(17, "kubernetes market/shop-8e1a shop", {
    runtime: "containerd",
    id: "f",
    name: "shop",
    pod: "shop-8e1a",
    namespace: "market",
  }),
  row(18, "kubernetes other/cart-1 cart", {
    runtime: "cri-o",
    id: "g",
    name: "cart",
    pod: "cart-1",
    namespace: "other",
  }),
];
const values = (placeholder: string, command: string, chosen: Record<string, string> = {}) => {
  const template = PRESETS.get(command);
  assert.ok(template);
  return suggestionsFor(placeholder, template, chosen, BEAMS).map(({ value }) => value);
};

test("containers of that runtime, pods of that namespace, process ids of whatever is in something", () => {
  assert.deepEqual(values("container", "docker"), ["shop-1"]);
  assert.deepEqual(values("container", "podman"), ["shop-2"]);
  assert.deepEqual(values("namespace", "kubectl"), ["market", "other"]);
  assert.deepEqual(values("pod", "kubectl", { namespace: "market" }), ["shop-7d9f", "shop-8e1a"]);
  assert.deepEqual(values("pod", "kubectl", { namespace: "" }), ["shop-7d9f", "shop-8e1a", "cart-1"]);
  assert.deepEqual(values("container", "kubectl debug", { namespace: "market", pod: "shop-8e1a" }), ["shop"]);
  assert.deepEqual(values("pid", "nsenter"), ["11", "12", "13", "14", "15", "16", "17", "18"]);
  assert.deepEqual(values("image", "kubectl debug"), []);
});
