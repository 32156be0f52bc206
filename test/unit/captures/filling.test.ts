// A page of a file is filled once, however often the file changes and whatever comes in between.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Filling } from "../../../extension/src/captures/filling.js";

interface Read {
  succeed(): void;
  fail(): void;
}

/** A file whose reads the test ends, with the live parts of the page. */
class Page {
  readonly reads: Read[] = [];
  readonly watchers = new Set<() => void>();
  fills = 0;
  /** Contents that were filled in and are still there. */
  contents = 0;
  problems = 0;
  readonly filling = new Filling<string>({
    read: () =>
      new Promise((succeed, fail) => {
        this.reads.push({
          succeed: () => {
            succeed("a capture");
          },
          fail: () => {
            fail(new Error("no capture yet"));
          },
        });
      }),
    fill: () => {
      this.fills += 1;
      this.contents += 1;
      return { dispose: () => (this.contents -= 1) };
    },
    failed: () => {
      this.problems += 1;
    },
    whenChanged: (run) => {
      this.watchers.add(run);
      return { dispose: () => this.watchers.delete(run) };
    },
  });

  change(): void {
    for (const run of [...this.watchers]) run();
  }
}

/** Everything that only waits for promises is done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("what becomes readable is filled in, and later changes of the file fill nothing", async () => {
  const page = new Page();
  void page.filling.start();
  page.reads[0]?.fail();
  await settled();
  assert.deepEqual([page.problems, page.watchers.size], [1, 1]);
  // The file is written in several steps, while it is read.
  page.change();
  page.change();
  page.reads[1]?.succeed();
  await settled();
  assert.deepEqual([page.fills, page.contents, page.watchers.size, page.reads.length], [1, 1, 0, 2]);
  void page.filling.start();
  await settled();
  assert.equal(page.reads.length, 2);
  page.filling.dispose();
  assert.equal(page.contents, 0);
});

test("a change while it is read is not missed when that read fails", async () => {
  const page = new Page();
  void page.filling.start();
  page.reads[0]?.fail();
  await settled();
  page.change();
  page.change();
  page.reads[1]?.fail();
  await settled();
  assert.equal(page.reads.length, 3, "once more, for the change in between");
  page.reads[2]?.succeed();
  await settled();
  assert.deepEqual([page.fills, page.watchers.size], [1, 0]);
});

test("whatever happens in whatever order, a page is filled at most once and leaves nothing behind", async () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    let state = seed;
    const next = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const page = new Page();
    void page.filling.start();
    let ended = 0;
    let isClosed = false;
    for (let times = 0; times < 12; times += 1) {
      const kind = next(8);
      if (kind < 3) page.change();
      else if (kind < 6 && ended < page.reads.length) {
        const read = page.reads[ended++];
        if (next(3) === 0) read?.succeed();
        else read?.fail();
      } else if (kind === 6 && next(3) === 0) {
        isClosed = true;
        page.filling.dispose();
      } else if (kind === 7) void page.filling.start();
      if (next(2) === 0) await settled();
    }
    await settled();
    const where = `seed ${String(seed)}`;
    assert.ok(page.fills <= 1, where);
    assert.ok(page.reads.length - ended <= 1, `${where}: one read at a time`);
    if (page.fills === 1) assert.equal(page.watchers.size, 0, where);
    page.filling.dispose();
    for (const read of page.reads) read.succeed();
    const fills = page.fills;
    await settled();
    assert.deepEqual([page.contents, page.watchers.size, page.fills], [0, 0, fills], where);
    if (isClosed) assert.equal(page.contents, 0, where);
  }
});
