// The state that the editor keeps with a panel, and what a panel reads from it after its window was reloaded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { didFollow } from "../../../extension/src/panels/capture-panel/panel-capture.js";
import { PanelState } from "../../../webviews/page/panel-state.js";

/** What the editor keeps, as JSON. */
function editor() {
  let kept = "null";
  return {
    getState: () => JSON.parse(kept) as unknown,
    setState: (state: unknown) => void (kept = JSON.stringify(state)),
  };
}

test("a panel that follows does so after a reload, with the page's own state, however often the page saves it", () => {
  const kept = editor();
  const state = new PanelState<{ tab: string }>(kept);
  assert.deepEqual(state.saved(), {});
  assert.equal(didFollow(kept.getState()), false);
  state.save({ tab: "functions" });
  state.setFollows(true);
  assert.equal(state.saved().tab, "functions");
  assert.equal(didFollow(kept.getState()), true);
  state.save({ tab: "tree" });
  assert.equal(state.saved().tab, "tree");
  assert.equal(didFollow(kept.getState()), true);
  // The page is another one once it was hidden.
  const again = new PanelState<{ tab: string }>(kept);
  again.save({ tab: "functions" });
  assert.equal(didFollow(kept.getState()), true);
  again.setFollows(false);
  assert.equal(again.saved().tab, "functions");
  assert.equal(didFollow(kept.getState()), false);
});

test("a panel without a state of its own remembers that it follows", () => {
  const kept = editor();
  new PanelState(kept).setFollows(true);
  assert.equal(didFollow(kept.getState()), true);
});

test("a state of another version is none that follows", () => {
  for (const state of [undefined, null, "follows", 1, {}, { follows: "true" }, { follows: 1 }, []])
    assert.equal(didFollow(state), false);
});
