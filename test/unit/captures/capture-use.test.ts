// Which captures stay in memory: those in use, and of the others the few that were used last, for a while.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CaptureUse, LONGEST_IDLE_MS, MOST_IDLE } from "../../../extension/src/captures/capture-use.js";

const ALL = () => true;

test("of captures that nothing shows, those used last stay", () => {
  const use = new CaptureUse();
  for (const address of ["a", "b", "c", "d", "e"]) use.used(address);
  assert.deepEqual(use.beyond(ALL), ["b", "a"]);
  use.used("a");
  assert.deepEqual(use.beyond(ALL), ["c", "b"]);
  use.forget("e");
  assert.deepEqual(use.beyond(ALL), ["b"]);
  assert.deepEqual(
    use.beyond((address) => address !== "d"),
    [],
    "what is kept by something else takes no place of the idle ones",
  );
});

test("a capture is held as long as one of those that hold it does, whether or not it is open yet", () => {
  const use = new CaptureUse();
  const [tab, comparison] = [use.hold("a"), use.hold("a")];
  for (const address of ["a", "b", "c", "d", "e"]) use.used(address);
  assert.deepEqual(use.beyond(ALL), ["b"]);
  tab();
  tab();
  assert.deepEqual(use.beyond(ALL), ["b"], "ended twice by one is ended once");
  comparison();
  assert.deepEqual(use.beyond(ALL), ["b", "a"]);
});

test("a capture that nothing shows leaves after a while, however few there are", () => {
  let nowMs = 0;
  const use = new CaptureUse(() => nowMs);
  use.used("closed");
  use.used("shown");
  const end = use.hold("shown");
  nowMs = LONGEST_IDLE_MS - 1;
  assert.deepEqual(use.beyond(ALL), []);
  assert.equal(use.untilNextMs(ALL), 1);
  nowMs = LONGEST_IDLE_MS;
  assert.deepEqual(use.beyond(ALL), ["closed"]);
  assert.equal(use.untilNextMs(ALL), undefined, "one that cannot leave is not looked at for ever");
  end();
  assert.deepEqual(use.beyond(ALL), ["closed"], "its time begins when it is closed");
  assert.equal(use.untilNextMs(ALL), LONGEST_IDLE_MS);
  use.stillUsed("closed");
  assert.deepEqual(use.beyond(ALL), []);
  nowMs = 2 * LONGEST_IDLE_MS;
  assert.deepEqual(use.beyond(ALL), ["shown", "closed"]);
});

test("in whatever order captures are used, held and closed, none in use goes and few idle ones stay", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    let state = seed;
    const next = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const use = new CaptureUse();
    const open = new Map<string, number>();
    const held: { readonly address: string; readonly end: () => void }[] = [];
    const live = new Set<string>();
    for (let time = 0; time < 60; time += 1) {
      const address = String(next(10));
      const kind = next(6);
      if (kind < 2) {
        use.used(address);
        open.set(address, time);
      } else if (kind === 2) held.push({ address, end: use.hold(address) });
      else if (kind === 3) held.splice(next(held.length + 1), 1)[0]?.end();
      else if (kind === 4) {
        use.forget(address);
        open.delete(address);
      } else if (!live.delete(address)) live.add(address);
      const mayGo = (each: string) => !live.has(each);
      const idle = [...open.keys()].filter((each) => mayGo(each) && !held.some((one) => one.address === each));
      const stay = idle.sort((a, b) => (open.get(b) ?? 0) - (open.get(a) ?? 0)).slice(0, MOST_IDLE);
      const going = use.beyond(mayGo);
      assert.deepEqual(new Set([...going, ...stay]), new Set(idle), `seed ${String(seed)}, time ${String(time)}`);
      assert.equal(going.length + stay.length, idle.length);
      for (const each of going) {
        use.forget(each);
        open.delete(each);
      }
    }
  }
});
