// Which schedulers might run, as a helper states it: it may be one on another host.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SchedulersOnline } from "../../../contract/protocol.generated.js";
import { areSchedulersDisturbed, shownSchedulers } from "../../../extension/src/text/shown-schedulers.js";

const online = (normal: number, dirtyCpu: number, more: Partial<SchedulersOnline> = {}): SchedulersOnline => ({
  normal: { online: normal, all: 4 },
  dirtyCpu: { online: dirtyCpu, all: 4 },
  blocked: null,
  blockers: [],
  ...more,
});
const BLOCKED = { blocked: "all" } as unknown as Partial<SchedulersOnline>;

test("blockers are few, and their names and pids are cut and have nothing invisible", () => {
  const hostile = `<0.1.0>\u202e${"x".repeat(10_000)}`;
  const blockers = Array.from({ length: 1000 }, (_, index) => ({ pid: hostile, name: index === 0 ? null : hostile }));
  const shown = shownSchedulers(online(4, 4, { ...BLOCKED, blockers }))?.blockers ?? [];
  assert.deepEqual([shown.length, shown[0]?.name], [16, null]);
  for (const { pid, name } of shown)
    for (const text of [pid, name ?? pid]) {
      assert.ok(text.startsWith("<0.1.0>\\u{202e}x"), text);
      assert.ok(text.length <= 130, text);
    }
  assert.deepEqual([shownSchedulers(undefined), shownSchedulers(null)], [null, null]);
});

test("a capture is disturbed when schedulers changed in it, or were blocked at either end", () => {
  const disturbed = (at_start: SchedulersOnline | null, at_end: SchedulersOnline | null) =>
    areSchedulersDisturbed({ at_start, at_end });
  assert.deepEqual(
    [
      disturbed(online(4, 4), online(4, 4)),
      disturbed(online(2, 1), online(2, 1)),
      disturbed(online(2, 1), null),
      disturbed(null, null),
      areSchedulersDisturbed(undefined),
    ],
    [false, false, false, false, false],
  );
  assert.deepEqual(
    [
      disturbed(online(4, 4), online(3, 4)),
      disturbed(online(4, 4), online(4, 3)),
      disturbed(online(4, 4, BLOCKED), null),
      disturbed(online(4, 4), online(4, 4, BLOCKED)),
    ],
    [true, true, true, true],
  );
});
