// Which capture a panel shows: its own, until the user lets it follow the one in view.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CaptureUse } from "../../../extension/src/captures/capture-use.js";
import { PanelCapture } from "../../../extension/src/panels/capture-panel/panel-capture.js";

interface Opened {
  readonly uri: string;
}

/** Open captures, the one in view, and which are held in memory. */
function captures(...uris: readonly string[]) {
  const open = new Map<string, Opened>(uris.map((uri) => [uri, { uri }]));
  const use = new CaptureUse();
  return {
    open,
    current: open.get(uris.at(-1) ?? ""),
    get: (uri: string) => open.get(uri),
    hold: (uri: string) => ({ dispose: use.hold(uri) }),
    held: () => ["a", "b", "c"].filter((uri) => use.holds(uri) > 0),
    show(uri: string) {
      this.current = open.get(uri) ?? { uri };
      open.set(uri, this.current);
    },
  };
}

test("a panel stays with the capture that it was opened for, which stays in memory until the panel closes", () => {
  const store = captures("a");
  const panel = new PanelCapture<string, Opened>(store);
  store.show("b");
  panel.viewChanged();
  assert.equal(panel.shown?.uri, "a");
  assert.ok(panel.isOf("a") && !panel.isOf("b") && !panel.isFollowing);
  assert.deepEqual(store.held(), ["a"]);
  panel.dispose();
  assert.deepEqual(store.held(), []);
});

test("on request it follows the capture in view, holds none, and stays with the one that it shows by then", () => {
  const store = captures("a");
  const panel = new PanelCapture<string, Opened>(store);
  panel.follow();
  store.show("b");
  panel.viewChanged();
  assert.equal(panel.shown?.uri, "b");
  assert.ok(panel.isFollowing && !panel.isOf("b"));
  assert.deepEqual(store.held(), []);
  panel.stay();
  store.show("c");
  panel.viewChanged();
  assert.equal(panel.shown?.uri, "b");
  assert.deepEqual(store.held(), ["b"]);
});

test("opened where no capture is in view, it takes the first one", () => {
  const store = captures();
  const panel = new PanelCapture<string, Opened>(store);
  const shown = () => panel.shown?.uri;
  assert.equal(shown(), undefined);
  store.show("a");
  panel.viewChanged();
  store.show("b");
  panel.viewChanged();
  assert.equal(shown(), "a");
});

test("the object of its capture may be another one: a live capture that ends, a file that is read again", () => {
  const store = captures("a", "b");
  const panel = new PanelCapture<string, Opened>(store);
  const complete = { uri: "b" };
  store.open.set("b", complete);
  assert.equal(panel.shown, complete);
});

test("restored, it waits for its own capture; when that cannot be opened, it takes the one in view", () => {
  const store = captures("b");
  const panel = new PanelCapture<string, Opened>(store, "a");
  const shown = () => panel.shown?.uri;
  assert.equal(shown(), undefined);
  store.open.set("a", { uri: "a" });
  assert.equal(shown(), "a");
  const other = new PanelCapture<string, Opened>(store, "c");
  other.leave();
  assert.equal(other.shown?.uri, "b");
  assert.deepEqual(store.held(), ["a", "b"]);
});

test("restored as one that follows, it shows whichever capture is in view, also where its former one is gone", () => {
  const store = captures("b");
  const panel = new PanelCapture<string, Opened>(store, "a", true);
  assert.ok(panel.isFollowing && !panel.isOf("a"));
  assert.equal(panel.shown?.uri, "b");
  panel.leave();
  store.show("c");
  panel.viewChanged();
  assert.equal(panel.shown?.uri, "c");
  assert.ok(panel.isFollowing);
  assert.deepEqual(store.held(), []);
});

test("a renamed capture is held at its new address alone", () => {
  const store = captures("a");
  const panel = new PanelCapture<string, Opened>(store);
  store.open.set("b", { uri: "b" });
  panel.stayWith("b");
  assert.equal(panel.shown?.uri, "b");
  assert.deepEqual(store.held(), ["b"]);
});
