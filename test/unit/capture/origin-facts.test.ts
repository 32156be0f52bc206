import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { ProfileBuilder } from "./profile-builder.js";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const ORIGIN = {
  repository: "https://host/shop.git",
  commit: COMMIT,
  branch: "main",
  dirty: true,
  describe: "v1.2",
  sources: { "src/shop.erl": COMMIT },
  assigned: false,
};

function profile(...comments: string[]): Buffer {
  const builder = new ProfileBuilder().type("samples", "count");
  for (const comment of comments) builder.comment(comment);
  return builder.gzip();
}

test("commit, machine and the user's words are read, the last of each", () => {
  const facts = decodeCapture(
    profile(
      `extrospect/origin ${JSON.stringify({ ...ORIGIN, commit: "" })}`,
      `extrospect/origin ${JSON.stringify(ORIGIN)}`,
      `extrospect/host ${JSON.stringify({ cpu_model: "A CPU", governor: "performance", cpus: 2, mhz: [2500, 2400, 2600], load: 0.5, busy: [{ name: "rebar3", cpu_pct: 93.5 }] })}`,
      `extrospect/user ${JSON.stringify({ note: "before", tags: ["slow"], pinned: true })}`,
      "extrospect/user {",
    ),
  ).facts;
  assert.deepEqual(facts.origin, ORIGIN);
  assert.deepEqual(facts.host, {
    cpuModel: "A CPU",
    governor: "performance",
    cpus: 2,
    mhz: [2500, 2400, 2600],
    load: 0.5,
    busy: [{ name: "rebar3", cpuPercent: 93.5 }],
  });
  assert.deepEqual(facts.user, { note: "before", tags: ["slow"], pinned: true });
});

test("facts that a capture lacks are absent, and nonsensical ones are left out", () => {
  const { facts } = decodeCapture(profile());
  assert.ok(!("origin" in facts) && !("host" in facts) && !("user" in facts));
  const odd = {
    repository: 7,
    commit: "HEAD",
    branch: "b".repeat(10_000),
    dirty: "yes",
    sources: { "a.erl": "no hash", __proto: 1, "b.erl": COMMIT },
    later: [],
  };
  const read = decodeCapture(
    profile(
      `extrospect/origin ${JSON.stringify(odd)}`,
      'extrospect/user {"tags":["a",1,null]}',
      'extrospect/host {"busy":[null,{"name":"x"}],"load":-1}',
    ),
  ).facts;
  assert.deepEqual(
    { ...read.origin, branch: "" },
    {
      repository: "",
      commit: "",
      branch: "",
      dirty: false,
      describe: "",
      sources: { "b.erl": COMMIT },
      assigned: false,
    },
  );
  assert.ok((read.origin?.branch.length ?? 0) <= 256);
  assert.deepEqual(read.user, { note: "", tags: ["a"], pinned: false });
  assert.deepEqual(read.host, {
    cpuModel: "",
    governor: "",
    cpus: 0,
    load: 0,
    busy: [
      { name: "", cpuPercent: 0 },
      { name: "x", cpuPercent: 0 },
    ],
  });
  const { host } = decodeCapture(profile('extrospect/host {"cpu_model":"A CPU","cpus":2}')).facts;
  assert.deepEqual(host, { cpuModel: "A CPU", governor: "", cpus: 2, busy: [] });
});

test("the build is read, the last value counts, and unknown fields are left out", () => {
  const md5 = "0123456789abcdef0123456789abcdef";
  const build = {
    release: "shop",
    version: "1.2.3",
    libraries: { shop: "1.2.3" },
    modules: { shop: md5 },
    replaced: ["shop"],
    cut: true,
  };
  const told = (facts: object) =>
    decodeCapture(profile('extrospect/build {"version":"0"}', `extrospect/build ${JSON.stringify(facts)}`)).facts.build;
  assert.deepEqual(told(build), build);
  const odd = {
    release: 1,
    version: "v".repeat(1000),
    libraries: { a: 1, ["b".repeat(1000)]: "1" },
    modules: { a: "no checksum", ["m".repeat(2000)]: md5, b: md5 },
    replaced: ["gone", 3],
    cut: 1,
  };
  assert.deepEqual(told(odd), {
    release: "",
    version: "v".repeat(100),
    libraries: {},
    modules: { b: md5 },
    replaced: [],
    cut: false,
  });
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${String(index)}`, md5]));
  assert.equal(Object.keys(told({ modules: many })?.modules ?? {}).length, 4096);
  assert.equal(decodeCapture(profile()).facts.build, undefined);
});
