// The VM that a page kept, and its place among those that run.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { foundAmong, isAnotherVm, keptVm, vmOfPage, type KnownVm } from "../../../extension/src/inside/known-vm.js";
import { vmHead, vmName } from "../../../extension/src/inside/vm-head.js";
import { targetName } from "../../../extension/src/targets/target-description.js";

const VM: KnownVm = {
  place: { pid: 4242, host: undefined },
  target: { node: "shop@web1", otp: "27", flavor: "jit" },
  startTicks: 77,
};

const beam = (pid: number, node: string | null, attachable = true): BeamRow => ({
  pid,
  node,
  attachable,
  otp: "27",
  erts: "15",
  flavor: "jit",
  reason: null,
  command: "beam.smp",
  schedulers: 2,
  container: null,
  uid: 0,
  cpuPct: null,
});

test("a VM comes back as it was kept, of this machine, by ssh and by a command", () => {
  for (const host of [undefined, { ssh: "me@web1" }, { command: "docker", values: { container: "shop-1" } }]) {
    const vm = { ...VM, place: { pid: 4242, host } };
    assert.deepEqual(vmOfPage(JSON.parse(JSON.stringify(keptVm(vm)))), vm);
  }
  const unattached: KnownVm = { place: { pid: 1, host: undefined }, target: undefined, startTicks: undefined };
  const back = vmOfPage(keptVm(unattached));
  assert.ok(back);
  assert.deepEqual([vmName(back), vmHead(back).node, back.startTicks], ["1", "", undefined]);
});

test("a VM is named as Targets names it, here and after a reload, which keeps no command line", () => {
  const named = (node: string | null, command: string): KnownVm => ({
    ...VM,
    target: { node, otp: "27", flavor: "jit", command },
  });
  for (const [node, command, name] of [
    ["shop@web1", "beam.smp -- -s other", "shop@web1"],
    [null, "/usr/lib/beam.smp -- -setcookie secret -s shop", "shop"],
    ["", "/usr/bin/beam.smp -- /usr/bin/mix phx.server", "mix phx.server"],
    [null, "", "4242"],
  ] as const) {
    const vm = named(node, command);
    assert.equal(vmName(vm), name);
    assert.equal(vmHead(vm).name, targetName({ node, command, pid: 4242 }));
    const kept = JSON.stringify(keptVm(vm));
    assert.ok(!kept.includes("secret"), kept);
    const back = vmOfPage(JSON.parse(kept));
    assert.ok(back);
    assert.equal(vmName(back), name);
  }
  const hostile = vmOfPage({ pid: 1, name: "x".repeat(1e6) });
  assert.ok(hostile && vmName(hostile).length <= 100);
});

test("what a page may not have kept is no VM, or known without what makes no sense", () => {
  const wrong = [
    undefined,
    null,
    "4242",
    [],
    {},
    { pid: "4242" },
    { pid: 0 },
    { pid: -1 },
    { pid: 1.5 },
    { pid: Number.NaN },
    { pid: 2 ** 40 },
    { pid: 1, host: "-oProxyCommand=touch /tmp/x" },
    { pid: 1, host: { ssh: "-oProxyCommand=touch /tmp/x" } },
    { pid: 1, host: { ssh: "a\nb" } },
    { pid: 1, host: { command: "docker", values: { container: "$(touch x)" } } },
    { pid: 1, host: 7 },
    { pid: 1, host: {} },
  ];
  for (const kept of wrong) assert.equal(vmOfPage(kept), undefined, JSON.stringify(kept));
  const long = "\u202e".repeat(1e6);
  const vm = vmOfPage({ pid: 1, node: long, otp: { toString: () => "x" }, flavor: long, startTicks: "7", toString: 1 });
  assert.ok(vm);
  assert.deepEqual(
    [vm.target?.node?.length, vm.target?.otp, vm.target?.flavor.length, vm.startTicks, vm.place.host],
    [1000, "", 100, undefined, undefined],
  );
  assert.ok(!vmHead(vm).node.includes("\u202e"), "it is shown as it is spelled");
  assert.equal(vmOfPage({ pid: 1, startTicks: -1 })?.startTicks, undefined);
});

test("another process is another VM, also one with the same id; what is not known is no difference", () => {
  const kept = keptVm(VM);
  assert.equal(isAnotherVm(VM, kept), false);
  assert.equal(isAnotherVm(VM, { ...kept, startTicks: 78 }), true);
  assert.equal(isAnotherVm(VM, { ...kept, pid: 4243 }), true);
  assert.equal(isAnotherVm({ ...VM, startTicks: undefined }, kept), false);
});

test("it is found by its process and name, else by its name; one of another name in its place is not taken for it", () => {
  const found = (...beams: BeamRow[]) => foundAmong(beams, VM);
  const [same, unnamed, renamed, restarted] = [
    beam(4242, "shop@web1"),
    beam(4242, null),
    beam(4242, "other@web1"),
    beam(5000, "shop@web1"),
  ];
  assert.deepEqual(found(restarted, same), { vm: same });
  assert.deepEqual(found(restarted, unnamed), { vm: unnamed });
  assert.deepEqual(found(renamed, restarted), { vm: restarted });
  assert.deepEqual(found(renamed), { inItsPlace: renamed });
  assert.deepEqual(found(beam(5000, "shop@web1", false), beam(1, null)), {});
  assert.deepEqual(found(), {});
  const nameless: KnownVm = { ...VM, target: { node: null, otp: "27", flavor: "jit" } };
  assert.deepEqual(foundAmong([beam(1, null), renamed], nameless), { vm: renamed });
  assert.deepEqual(foundAmong([beam(1, null)], nameless), {});
});
