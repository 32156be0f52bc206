import assert from "node:assert/strict";
import { test } from "node:test";
import type { FrameKindName } from "../../../contract/capture-answers.js";
import { baseName, nativeQuery } from "../../../extension/src/capture/answers/native-query.js";

const facts = (name: string, kind: FrameKindName = "native", object = "beam.smp") => ({
  name,
  rawName: name,
  kind,
  file: "",
  headLine: 0,
  object,
});

test("old names find today's symbols", () => {
  for (const [old, today] of [
    ["copy_struct", "copy_struct_x"],
    ["copy_struct", "copy_struct_x.part.0"],
    ["size_object", "size_object_x"],
    ["erts_garbage_collect", "erts_garbage_collect_nobump"],
    ["schedule", "erts_schedule"],
  ] as const) {
    assert.ok(nativeQuery(old)(facts(today)), `${old} finds ${today}`);
  }
  assert.ok(!nativeQuery("schedule")(facts("erts_schedule_bif")));
  assert.ok(!nativeQuery("eq")(facts("eq2")));
});

test("building a map is no garbage collection, and Erlang functions are no callees", () => {
  assert.ok(nativeQuery("gc")(facts("erts_garbage_collect")));
  assert.ok(nativeQuery("gc")(facts("global::garbage_collect", "fragment")));
  assert.ok(!nativeQuery("gc")(facts("erts_gc_update_map_assoc")));
  assert.ok(!nativeQuery("gc")(facts("sweep:it/1", "erlang")));
});

test("ports are found by their calls and by their drivers", () => {
  for (const [name, kind, isPort, isTcp] of [
    ["erts_port_output", "native", true, false],
    ["erts_internal:port_command/3", "bif", true, false],
    ["tcp_inet:outputv (driver)", "native", true, true],
    ["sctp_inet:stop (driver) or tcp_inet:stop (driver)", "native", true, true],
    ["udp_inet:control (driver)", "native", true, false],
    ["tcp_inet_commandv", "native", false, false],
    ["erts_port_task_execute", "native", false, false],
    ["[port tcp_inet of shop]", "marker", true, true],
    ["[port tcp_inet]", "marker", true, true],
    ["[port tcp_inet2 of shop]", "marker", true, false],
    ["[unproven]", "marker", false, false],
  ] as const) {
    const found = ["port", "port:tcp_inet"].map((query) => nativeQuery(query)(facts(name, kind)));
    assert.deepEqual(found, [isPort, isTcp], name);
  }
  assert.ok(!nativeQuery("[port tcp_inet]")(facts("[port tcp_inet]", "marker")));
});

test("libraries are found by their file", () => {
  assert.ok(nativeQuery("nif:crypto")(facts("hash_nif", "nif", "crypto.so")));
  assert.ok(!nativeQuery("nif:asn1rt")(facts("hash_nif", "nif", "crypto.so")));
  assert.ok(!nativeQuery("nif:beam")(facts("eq")));
});

test("names are taken apart as the helper does it", () => {
  assert.equal(baseName("_Z26beam_jit_take_receive_lockP7process"), "beam_jit_take_receive_lock");
  assert.equal(baseName("_Z99short"), "_Z99short");
  assert.equal(baseName("Enum.map/2"), "Enum.map/2");
  assert.equal(baseName("beam.smp!fn@0x10"), "beam.smp!fn@0x10");
  assert.equal(baseName("copy_struct_x.part.0"), "copy_struct_x");
});
