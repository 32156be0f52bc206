import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { PbfReader } from "pbf";
import { labelsThatDiffer, seriesOf, servicesOf } from "../../../extension/src/profile-store/store-answers.js";
import { storeAddress, storeHeaders } from "../../../extension/src/profile-store/store-address.js";
import { StoreClient, StoreError } from "../../../extension/src/profile-store/store-client.js";
import { labelSelector, mergeRequest, timeRange } from "../../../extension/src/profile-store/store-query.js";
import { ENGLISH } from "../recording/fakes.js";

test("addresses are of HTTP and hold no secret; headers are lines of HTTP", () => {
  assert.deepEqual(storeAddress(" HTTP://h:4040/x// ", ENGLISH), { address: "http://h:4040/x" });
  for (const odd of [
    "",
    "h:4040",
    "ftp://h",
    "http://a:b@h",
    "http://h/?x=1",
    "http://h/#x",
    `http://${"x".repeat(3000)}`,
  ])
    assert.ok("refusal" in storeAddress(odd, ENGLISH), odd);
  assert.deepEqual(storeHeaders("# ours\nAuthorization: Bearer x\r\nX-Scope-OrgID: a"), {
    Authorization: "Bearer x",
    "X-Scope-OrgID": "a",
  });
  for (const odd of ["secret", ": x", "a b: c", "a: \u0001"]) assert.equal(storeHeaders(odd), undefined, odd);
});

test("times are typed as users write them", () => {
  const now = Date.parse("2026-11-22T15:00:00Z");
  assert.deepEqual(timeRange("15m", now), { startMs: now - 900_000, endMs: now });
  assert.deepEqual(timeRange(" 2 d ", now), { startMs: now - 172_800_000, endMs: now });
  assert.deepEqual(timeRange("2026-11-22T14:00Z to 2026-11-22T14:30Z", now), {
    startMs: now - 3_600_000,
    endMs: now - 1_800_000,
  });
  assert.equal(
    (timeRange("2026-11-22 14:00 bis 2026-11-22 14:30", now)?.endMs ?? 0) -
      (timeRange("2026-11-22 14:00 - 2026-11-22 15:00", now)?.startMs ?? 0),
    1_800_000,
  );
  assert.deepEqual(timeRange("31d", now), { startMs: now - 31 * 86_400_000, endMs: now }, "the longest");
  for (const odd of ["", "15", "0m", "x to y", "2026-11-22T15:00 to 2026-11-22T14:00", "32d"])
    assert.equal(timeRange(odd, now), undefined, odd);
});

test("a selector cannot be left by what is in it", () => {
  assert.equal(
    labelSelector(
      new Map([
        ["service_name", ['a"}']],
        ["node", ["a.b", "c|d"]],
        ["none", []],
      ]),
    ),
    String.raw`{service_name="a\"}",node=~"a\\.b|c\\|d"}`,
  );
  const fields: unknown[] = [];
  new PbfReader(mergeRequest("a:b", "{}", { startMs: 1.9e12, endMs: 1.9e12 + 0.5 })).readFields(
    (tag, _: unknown, pbf) => fields.push([tag, tag < 3 ? pbf.readString() : pbf.readVarint()]),
    undefined,
  );
  assert.deepEqual(fields, [
    [1, "a:b"],
    [2, "{}"],
    [3, 1.9e12],
    [4, 1.9e12 + 1],
  ]);
});

const labelled = (labels: Record<string, string>) => ({
  labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
});

test("answers of a store are read by their kind", () => {
  const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
  const samples = "process_cpu:samples:count:cpu:nanoseconds";
  const series = seriesOf({
    labelsSet: [
      labelled({ service_name: "shop", __profile_type__: cpu, node: "a" }),
      labelled({ service_name: "shop", __profile_type__: samples, node: "a", class: "gc" }),
      labelled({ service_name: "shop", __profile_type__: samples, node: "b", class: "gc" }),
      labelled({ service_name: "cart", __profile_type__: "memory:inuse_space:bytes::" }),
      labelled({ service_name: "cart", __profile_type__: cpu }),
      labelled({ 'odd"name': "x" }),
      {},
    ],
  });
  assert.deepEqual(
    servicesOf(series).map(({ service, profileType }) => [service, profileType]),
    [
      ["cart", cpu],
      ["cart", "memory:inuse_space:bytes::"],
      ["shop", samples],
    ],
  );
  assert.deepEqual(labelsThatDiffer(servicesOf(series)[2]?.series ?? []), new Map([["node", ["a", "b"]]]));
  assert.deepEqual(seriesOf({}), []);
  for (const odd of [{ labelsSet: 1 }, { labelsSet: [{ labels: "x" }] }]) assert.throws(() => seriesOf(odd));
});

/** A server on loopback that answers all alike. */
async function server(t: TestContext, status: number, type: string, body: string | Buffer): Promise<string> {
  const answering = createServer((request, response) =>
    request.resume().on("end", () => response.writeHead(status, { "content-type": type }).end(body)),
  ).listen(0, "127.0.0.1");
  await once(answering, "listening");
  t.after(() => answering.close());
  return `http://127.0.0.1:${String((answering.address() as AddressInfo).port)}`;
}

test("a failed fetch is reported with the remedy", async (t) => {
  const range = { startMs: 0, endMs: 1 };
  const signal = new AbortController().signal;
  const failing = async (address: string, bounds = { bytes: 100, ms: 60_000 }) => {
    const client = new StoreClient(address, {}, ENGLISH, bounds);
    const error: unknown = await client.series(range, signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(error instanceof StoreError, address);
    assert.notEqual(error.fix, "");
    return error;
  };
  assert.equal((await failing(await server(t, 401, "text/plain", "who?"))).wantsCredentials, true);
  assert.match((await failing(await server(t, 500, "text/plain", "broken"))).why, /500: broken/);
  assert.match((await failing(await server(t, 200, "text/html", "<html>"))).why, /not a Pyroscope/);
  assert.match((await failing(await server(t, 200, "application/json", "{"))).why, /not a Pyroscope/);
  assert.match((await failing(await server(t, 200, "application/json", Buffer.alloc(200)))).why, /more than 100 bytes/);
  assert.match((await failing("http://127.0.0.1:1")).why, /./);
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.after(() => silent.closeAllConnections());
  t.after(() => silent.close());
  assert.match(
    (await failing(`http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`, { bytes: 100, ms: 50 })).why,
    /not answer/,
  );
});
