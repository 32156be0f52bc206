// The rows of the view of other hosts: a host's facts about itself, and its containers. Hosts may report anything.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { BeamRow, DoctorRow } from "../../../contract/protocol.generated.js";
import { checksIn } from "../../../extension/src/remote/host-checks.js";
import { hostDescription, hostTooltip, type HostFacts } from "../../../extension/src/targets/host-description.js";
import { missingRights, rightsText } from "../../../extension/src/targets/host-rights.js";
import { hostRows, vmRows } from "../../../extension/src/targets/host-rows.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";
import { HELPER } from "../recording/piped-helper.js";

const row = (code: string, status: DoctorRow["status"], command?: string): DoctorRow => ({
  check: code,
  status,
  found: "",
  needed: "",
  fix: null,
  messages: { check: { code } },
  ...(command !== undefined && { command }),
});
const ALL = ["checkSampling", "checkToSample", "checkToRead", "checkExact"];
const without = (...missing: string[]) =>
  ALL.map((code) => row(code, missing.includes(code) ? "warn" : "ok", "sudo extrospect install"));

test("rights in a few words", () => {
  const text = (rows: DoctorRow[], isByPolicy = false) => rightsText(missingRights(rows), isByPolicy, ENGLISH);
  assert.equal(text(without()), "full");
  assert.equal(
    text(without("checkToRead", "checkExact"), true),
    "own VMs, and those that its policy allows, not all stacks proven",
  );
  assert.equal(text(without("checkToRead")), "own VMs only");
  assert.equal(
    text(without("checkSampling", "checkToSample", "checkExact")),
    "own VMs only, no kernel frames, not all stacks proven",
  );
  assert.equal(text([...without(), row("somethingNew", "warn")]), "full");
  assert.equal(text([...without("checkToRead"), row("checkYama", "fail")]), "no sampling");
});

test(
  "they follow from the doctor that a helper has, with every right and with none",
  { skip: process.getuid?.() === 0 ? false : "needs root, to give rights up" },
  () => {
    const asked = (...as: string[]) => {
      const { stdout, stderr } = spawnSync(
        as[0] ?? HELPER,
        [...as.slice(1), ...(as.length > 0 ? [HELPER] : []), "doctor", "--json"],
        { encoding: "utf8" },
      );
      assert.notEqual(stdout, "", stderr);
      return missingRights(checksIn(JSON.parse(stdout)));
    };
    const few = asked(
      "setpriv",
      "--reuid=65534",
      "--regid=65534",
      "--clear-groups",
      "--inh-caps=-all",
      "--bounding-set=-all",
    );
    assert.ok(few.includes("sampling") || few.includes("otherUsers"), few.join());
    assert.ok(!asked().includes("otherUsers"));
  },
);

const FACTS: HostFacts = {
  address: { ssh: "far" },
  state: "connected",
  machine: "prod-7",
  there: { version: "extrospect 0.1.0", isInstalled: false, startBy: "itself" },
  checks: without("checkToRead"),
};

test("a row shows state, helper, place, rights, and the way to more", () => {
  assert.equal(hostDescription(FACTS, ENGLISH), "connected · own VMs only");
  assert.equal(hostDescription({ ...FACTS, checks: undefined }, ENGLISH), "connected");
  assert.equal(hostDescription({ ...FACTS, state: "idle", there: undefined }, ENGLISH), "not connected");
  assert.match(hostDescription({ ...FACTS, state: "cut" }, GERMAN), /Verbindung unterbrochen/);
  const tooltip = hostTooltip(FACTS, ENGLISH);
  for (const part of [
    "extrospect 0\\.1\\.0",
    "the cache of your user there",
    "own VMs only",
    "sudo extrospect install",
    "prod\\-7",
  ])
    assert.ok(tooltip.includes(part), `${part} in ${tooltip}`);
  const installed = hostTooltip(
    {
      ...FACTS,
      there: { version: "extrospect 0.1.0", isInstalled: true, startBy: "sudo" },
      checks: without("checkToRead"),
    },
    ENGLISH,
  );
  assert.match(installed, /the installed copy, .*libexec.*, started by sudo/);
  assert.match(installed, /policy allows/);
  assert.doesNotMatch(installed, /extrospect install/);
  assert.doesNotMatch(hostTooltip({ ...FACTS, state: "idle", there: undefined }, ENGLISH), /Rights/);
});

test("what a host answers instead of checks is none, and what it calls things is text", () => {
  for (const nonsense of [
    undefined,
    null,
    7,
    [],
    { rows: 7 },
    { rows: [null, 7, {}, { check: 1 }, { check: "a", status: "good", found: "", needed: "" }] },
  ])
    assert.deepEqual(checksIn(nonsense), []);
  const [strange] = checksIn({
    rows: [{ check: "a", status: "fail", found: "", needed: "", messages: { check: { code: 7 } }, command: ["rm"] }],
  });
  assert.deepEqual(strange, { check: "a", status: "fail", found: "", needed: "", fix: null });
  assert.equal(checksIn({ rows: Array.from({ length: 1000 }, () => row("x", "ok")) }).length, 100);
  const evil = "[click](command:evil) <img src=x> $(trash)\u001b[2J";
  const tooltip = hostTooltip(
    {
      ...FACTS,
      machine: evil,
      there: { version: evil, isInstalled: false, startBy: "itself" },
      checks: [row("checkToRead", "warn", evil)],
    },
    ENGLISH,
  );
  assert.doesNotMatch(tooltip, /(?<!\\)\[click|(?<!\\)<img|(?<!\\)\$\\?\(|\u001b/);
});

test("VMs in containers stand below their container, hosts below their group", () => {
  const beam = (pid: number, container: string | null, id?: string): BeamRow => ({
    pid,
    otp: "27",
    erts: null,
    flavor: "jit",
    node: null,
    attachable: true,
    reason: null,
    command: "beam.smp",
    schedulers: 2,
    container,
    uid: 0,
    cpuPct: pid,
    ...(id !== undefined && { containerFacts: { runtime: "docker", id } }),
  });
  const host = { ssh: "far" };
  const shown = vmRows(
    [
      beam(1, null),
      beam(2, "docker shop", "aa"),
      beam(3, "docker cart\u202e", "bb"),
      beam(4, "docker shop", "aa"),
      beam(5, "other namespace"),
    ],
    host,
  ).map((one) =>
    one.kind === "container"
      ? `${one.name}: ${one.vms.map(({ pid }) => pid).join()}`
      : one.kind === "vm"
        ? String(one.pid)
        : "",
  );
  assert.deepEqual(shown, ["other namespace: 5", "docker shop: 4,2", "docker cart: 3", "1"]);
  const hosts = [
    { address: host, group: "", machine: "" },
    { address: { ssh: "b" }, group: "prod", machine: "" },
  ];
  assert.deepEqual(hostRows(hosts, ["prod"]), [
    { kind: "host", host },
    { kind: "group", group: "prod" },
  ]);
  assert.deepEqual(hostRows(hosts, ["prod"], "prod"), [{ kind: "host", host: { ssh: "b" } }]);
});
