// The choice in a list that is replaced while it is open, with a model of the editor's list behind a slow line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptChoice, type ChoiceList } from "../../../extension/src/targets/kept-choice.js";

const ROWS = ["a", "b", "c", "d"];

/** A line that keeps the order of messages. `latency`: how long one takes. */
function line(clock: { nowMs: number; at(ms: number, run: () => void): void }, latency: () => number) {
  let freeMs = 0;
  return (run: () => void) => {
    freeMs = Math.max(freeMs, clock.nowMs + latency());
    clock.at(freeMs, run);
  };
}

/** @param takesAtOnce whether the editor takes a choice that comes with the rows: it depends on how soon it draws them */
function scene(random: () => number, takesAtOnce = false) {
  let waiting: { readonly ms: number; readonly order: number; readonly run: () => void }[] = [];
  let order = 0;
  const clock = {
    nowMs: 0,
    at: (ms: number, run: () => void) => void waiting.push({ ms, order: order++, run }),
  };
  const latency = () => 1 + Math.floor(random() * 400);
  const [toEditor, toExtension] = [line(clock, latency), line(clock, latency)];
  let changed: (selected: readonly string[]) => void = () => {};
  // As VS Code does it: rows that are replaced lose the choice, which is reported.
  const editor = { checked: new Set<string>() };
  const report = () => {
    const checked = [...editor.checked];
    toExtension(() => changed(checked));
  };
  let isReplaced = false;
  const list: ChoiceList<string> = {
    items: ROWS,
    set selectedItems(items: readonly string[]) {
      const isIgnored = isReplaced && !takesAtOnce;
      isReplaced = false;
      if (!isIgnored) toEditor(() => (editor.checked = new Set(items)));
    },
    get selectedItems() {
      return [];
    },
    onDidChangeSelection: (listener) => (changed = listener),
  };
  const choice = new KeptChoice(
    list,
    (row) => row,
    () => clock.nowMs,
  );
  return {
    clock,
    choice,
    editor,
    replace: () => {
      choice.keepWhile(() => {
        isReplaced = true;
        toEditor(() => {
          if (editor.checked.size === 0) return;
          editor.checked = new Set();
          report();
        });
      });
      isReplaced = false;
    },
    click: (row: string) => {
      if (!editor.checked.delete(row)) editor.checked.add(row);
      report();
    },
    run: () => {
      for (let steps = 0; waiting.length > 0; steps++) {
        assert.ok(steps < 10_000, "the two sides never agree");
        const [next] = waiting.sort((one, other) => one.ms - other.ms || one.order - other.order);
        waiting = waiting.slice(1);
        clock.nowMs = Math.max(clock.nowMs, next?.ms ?? 0);
        next?.run();
      }
    },
  };
}

for (const takesAtOnce of [false, true])
  test(`rows that are clicked once stay chosen, whenever the list is replaced${takesAtOnce ? " with its choice" : ""}`, () => {
    for (let seed = 1; seed <= 2000; seed++) {
      let state = seed;
      const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
      const { clock, choice, editor, replace, click, run } = scene(random, takesAtOnce);
      for (const [index, row] of ROWS.entries()) {
        // A click on a row that shows as chosen would take it away: the user makes none.
        clock.at(index * 500 + Math.floor(random() * 400), () => click(row));
        for (let times = Math.floor(random() * 3); times > 0; times--)
          clock.at(index * 500 + Math.floor(random() * 500), replace);
      }
      run();
      assert.deepEqual([...choice.chosen].sort(), ROWS, `seed ${String(seed)}: what is captured`);
      assert.deepEqual([...editor.checked].sort(), ROWS, `seed ${String(seed)}: what is shown`);
    }
  });

test("a row that is clicked again is no longer chosen", () => {
  const { choice, editor, click, run } = scene(() => 0.5);
  click("a");
  click("b");
  click("a");
  run();
  assert.deepEqual([choice.chosen, [...editor.checked]], [["b"], ["b"]]);
});
