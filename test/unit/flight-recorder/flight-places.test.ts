// Which VMs are watched: each once, also when two begin at the same time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlightPlaces, type Refusal } from "../../../extension/src/flight-recorder/flight-places.js";
import { settled } from "../recording/fakes.js";

interface Vm {
  readonly name: string;
}

/** Places, and the refusals. `isMended` answers whether the cause of a refusal was removed. */
function placesOf(most: number, isMended: (refusal: Refusal<Vm>) => boolean = () => false) {
  const places = new FlightPlaces<Vm>(most);
  const refusals: Refusal<Vm>[] = [];
  const refused = (refusal: Refusal<Vm>) => {
    refusals.push(refusal);
    return Promise.resolve(isMended(refusal));
  };
  /** Begins, and is watched when the test calls `go`. */
  const start = (name: string) => {
    const vm = { name };
    let go = (): void => {};
    let fail = (): void => {};
    const answered = new Promise<void>((resolve, reject) => {
      go = resolve;
      fail = () => {
        reject(new Error("no"));
      };
    });
    let hasBegun = false;
    const begun = places.start(
      name,
      async (hold) => {
        hasBegun = true;
        await answered;
        hold(vm);
        return vm;
      },
      refused,
    );
    return { vm, begun, go, fail, hasBegun: () => hasBegun };
  };
  return { places, refusals, start };
}

test("of two that begin at once for one VM the second is refused, and does nothing", async () => {
  const { places, refusals, start } = placesOf(4);
  const [first, second] = [start("shop"), start("shop")];
  await settled();
  first.go();
  second.go();
  assert.deepEqual([await first.begun, await second.begun], [first.vm, undefined]);
  assert.deepEqual([refusals, second.hasBegun(), places.watched], [[{ why: "starting" }], false, [first.vm]]);
  const third = start("shop");
  assert.equal(await third.begun, undefined);
  assert.deepEqual(refusals.at(-1), { why: "watched", watched: first.vm });
});

test("those that only begin count, so that more than can be do not begin at once", async () => {
  const { places, refusals, start } = placesOf(2);
  const all = ["a", "b", "c"].map(start);
  for (const { go } of all) go();
  await Promise.all(all.map(({ begun }) => begun));
  assert.deepEqual([places.watched.map(({ name }) => name), refusals], [["a", "b"], [{ why: "full" }]]);
});

test("one that failed or began nothing leaves its place", async () => {
  const { places, start } = placesOf(1);
  const failing = start("shop");
  failing.fail();
  await assert.rejects(failing.begun, /no/);
  assert.equal(
    await places.start(
      "shop",
      () => Promise.resolve(undefined),
      () => assert.fail("it was refused"),
    ),
    undefined,
  );
  const next = start("shop");
  next.go();
  assert.equal(await next.begun, next.vm);
  assert.equal(places.find("shop"), next.vm);
  places.end(next.vm);
  places.end(next.vm);
  assert.deepEqual([places.watched, places.find("shop")], [[], undefined]);
});

test("one whose end was requested makes room, and is there until it has ended", async () => {
  const { places, refusals, start } = placesOf(1, (refusal) => {
    if (refusal.why !== "watched") return false;
    places.giveUp(refusal.watched);
    return true;
  });
  const first = start("shop");
  first.go();
  await first.begun;
  // One of them gets the place that becomes free: the first that requests it.
  const [second, third] = [start("shop"), start("shop")];
  second.go();
  third.go();
  assert.deepEqual([await second.begun, await third.begun], [undefined, third.vm]);
  assert.deepEqual(
    refusals.map(({ why }) => why),
    ["watched", "starting"],
  );
  assert.deepEqual(places.watched, [first.vm, third.vm]);
  places.end(first.vm);
  assert.deepEqual(places.watched, [third.vm]);
});
