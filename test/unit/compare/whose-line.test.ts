// Which commits touched the changed code, in real repositories and with real captures of made-up runs.
import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { FunctionChange } from "../../../contract/editor-module.generated.js";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import type { RuledFiles } from "../../../extension/src/commits/commit-texts.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { hashSources } from "../../../extension/src/commits/source-hashes.js";
import { whoseLine, type WhoseAnswer } from "../../../extension/src/comparison/whose-line.js";
import { ProfileBuilder } from "../capture/profile-builder.js";
import { repositoryIn, testFolder, testRepository, type TestRepository } from "../commits/test-repository.js";

/** Patient with a machine that is busy with other tests. */
const PATIENT = new GitProgram("git", 60_000);
const WORDS = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};
const SHOP = [
  "-module(shop).",
  "-export([cart/1]).",
  "",
  "cart(Items) ->",
  "    Prices = [price(I) || I <- Items],",
  "    Sum = lists:sum(Prices),",
  "    round_all(Sum).",
  "",
  "price(I) ->",
  "    shop_tax:tax(I).",
  "",
  "other() -> ok.",
];
const TAX = ["-module(shop_tax).", "", "tax(I) ->", "    I * 2."];
const CART: Frame = ["shop:cart/1", "src/shop.erl", 4];
const PRICE: Frame = ["shop:price/1", "src/shop.erl", 9];
const COMPREHENSION: Frame = ["list comprehension in shop:cart/1", "src/shop.erl", 5];
const TAXES: Frame = ["shop_tax:tax/1", "src/shop_tax.erl", 3];

/** Name, file and line of the head. */
type Frame = readonly [name: string, file: string, head: number];
/** Frames with the line that runs, the innermost first, and how many samples have them. */
type Stack = readonly [samples: number, ...frames: (readonly [Frame, line: number])[]];

function capture(
  stacks: readonly Stack[],
  origin?: Partial<{ commit: string; dirty: boolean; sources: Record<string, string> }>,
): Capture {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .comment('extrospect/target {"pid":7,"otp_release":"25"}');
  if (origin !== undefined)
    profile.comment(
      `extrospect/origin ${JSON.stringify({ repository: "", commit: "", branch: "main", dirty: false, describe: "", sources: {}, assigned: false, ...origin })}`,
    );
  const functions = new Map<Frame, number>();
  let location = 0;
  for (const [samples, ...frames] of stacks) {
    const locations = frames.map(([frame, line]) => {
      const [name, file, head] = frame;
      if (!functions.has(frame)) {
        functions.set(frame, functions.size + 1);
        profile.function(functions.size, name, `erlang!${name}`, file, head);
      }
      profile.location(++location, [[functions.get(frame) ?? 0, line]]);
      return location;
    });
    profile.sample({ locations, values: [samples] });
  }
  return decodeCapture(profile.gzip());
}

const BEFORE: readonly Stack[] = [
  [5, [CART, 7]],
  [5, [TAXES, 4], [PRICE, 10], [COMPREHENSION, 5], [CART, 5]],
  [90, [["other:work/0", "other.erl", 1], 1]],
];
const AFTER: readonly Stack[] = [
  [20, [CART, 7]],
  [20, [TAXES, 4], [PRICE, 10], [COMPREHENSION, 5], [CART, 5]],
  [60, [["other:work/0", "other.erl", 1], 1]],
];

function changeOf([name, file, head]: Frame, more: Partial<FunctionChange> = {}): FunctionChange {
  const change = {
    base: 1,
    new: 2,
    base_samples: 10,
    new_samples: 40,
    change_pct: 100,
    low_pct: 50,
    high_pct: 150,
    verdict: "slower" as const,
  };
  return {
    function: name,
    matched_by: "name",
    kind: "erlang",
    file,
    line: head,
    group: "own",
    self: change,
    total: change,
    ...more,
  };
}

const CHANGE = changeOf(CART);
const ALL = [
  CHANGE,
  ...[PRICE, COMPREHENSION, TAXES].map((frame) => changeOf(frame)),
  changeOf(["other:work/0", "other.erl", 1]),
];

interface Asked {
  readonly git?: GitProgram;
  readonly change?: FunctionChange;
  readonly functions?: readonly FunctionChange[];
  readonly signal?: AbortSignal;
  readonly ruledFiles?: RuledFiles;
}

function ask(
  top: string,
  base: Capture,
  newer: Capture,
  {
    git = PATIENT,
    change = CHANGE,
    functions = ALL,
    signal = new AbortController().signal,
    ruledFiles = () => undefined,
  }: Asked = {},
): Promise<WhoseAnswer> {
  return whoseLine(
    { change, functions, base: { captures: [base] }, newer: { captures: [newer] } },
    { git, top, ruledFiles, words: WORDS, signal },
  );
}

const shown = ({ entries }: WhoseAnswer) =>
  entries.map(({ subject, commit, touches }) =>
    [
      commit === "" ? "(not committed)" : subject,
      ...touches.map(({ kind, name }) => [kind, name].filter((part) => part !== "").join(" ")),
    ].join(": "),
  );
const textOf = (lines: readonly string[], changes: Record<number, string> = {}) =>
  `${lines.map((line, index) => changes[index + 1] ?? line).join("\n")}\n`;

/** A shop in which four commits came one after the other, of which one has nothing to do with the cart. */
function shop(t: TestContext): TestRepository & { readonly base: string; readonly newer: string } {
  const made = testRepository(t);
  const base = made.commit("a shop", { "src/shop.erl": textOf(SHOP), "src/shop_tax.erl": textOf(TAX) });
  made.commit("tax is looked up", { "src/shop_tax.erl": textOf(TAX, { 4: "    lookup(I)." }) });
  made.commit("rounding is exact", { "src/shop.erl": textOf(SHOP, { 7: "    round_exactly(Sum)." }) });
  made.commit("the sum is checked", {
    "src/shop.erl": textOf(SHOP, { 6: "    Sum = checked(Prices),", 7: "    round_exactly(Sum)." }),
  });
  const newer = made.commit("another function", {
    "src/shop.erl": textOf(SHOP, {
      6: "    Sum = checked(Prices),",
      7: "    round_exactly(Sum).",
      12: "other() -> error.",
    }),
  });
  return { ...made, base, newer };
}

test("what touched the lines that got hotter comes before what touched the function, and that before what it calls", async (t) => {
  const { folder, base, newer } = shop(t);
  const answer = await ask(folder, capture(BEFORE, { commit: base }), capture(AFTER, { commit: newer }));
  assert.deepEqual(shown(answer), [
    "rounding is exact: lines",
    "the sum is checked: function",
    "tax is looked up: callee shop_tax:tax/1",
  ]);
  assert.deepEqual(answer.notes, []);
  assert.deepEqual(answer.range, { older: base, newer, count: 4 });
  const [exact, , tax] = answer.entries;
  assert.deepEqual(
    [exact?.touches[0]?.lines, exact?.touches[0]?.path, exact?.author, exact?.isMerge, exact?.top],
    [[{ start: 7, end: 7 }], "src/shop.erl", "Ada Lovelace", false, folder],
  );
  assert.equal(Math.round((tax?.touches[0]?.explains ?? 0) * 100), 50);
  assert.equal(exact?.parent, repositoryIn(folder).git("rev-parse", `${exact?.commit ?? ""}^`));
});

test("a function that takes less, one that is new, and one that is gone", async (t) => {
  const { folder, base, newer } = shop(t);
  // The sides swapped: the function that took more takes less.
  const faster = await ask(folder, capture(AFTER, { commit: base }), capture(BEFORE, { commit: newer }));
  assert.deepEqual(shown(faster).slice(0, 2), ["rounding is exact: lines", "the sum is checked: function"]);
  const isNew = await ask(folder, capture(BEFORE.slice(2), { commit: base }), capture(AFTER, { commit: newer }), {
    change: changeOf(CART, { matched_by: null }),
  });
  assert.deepEqual(shown(isNew).slice(0, 2), ["rounding is exact: lines", "the sum is checked: function"]);
  const none = { ...CHANGE.self, new_samples: 0 };
  const gone = await ask(folder, capture(BEFORE, { commit: base }), capture(AFTER.slice(2), { commit: newer }), {
    change: changeOf(CART, { self: none, total: none }),
  });
  assert.deepEqual([shown(gone), gone.notes.length], [[], 1]);
  assert.match(gone.notes[0] ?? "", /is gone/);
});

test("what was not committed comes first, with its lines; the same changes on both sides are none", async (t) => {
  const { folder, base, newer, write } = shop(t);
  const changed = textOf(SHOP, {
    6: "    Sum = checked(Prices),\n    timer:sleep(1),",
    7: "    round_twice(Sum).",
    12: "other() -> error.",
  });
  write("src/shop.erl", changed);
  const sources = await hashSources(folder, [join(folder, "src/shop.erl")], newer);
  // A line more, so the line that got hotter is the eighth.
  const stacks: readonly Stack[] = [[20, [CART, 8]], ...AFTER.slice(1)];
  const dirty = await ask(
    folder,
    capture(BEFORE, { commit: base }),
    capture(stacks, { commit: newer, dirty: true, sources }),
  );
  assert.deepEqual(shown(dirty)[0], "(not committed): lines");
  assert.deepEqual([dirty.entries[0]?.touches[0]?.lines, dirty.entries[0]?.parent], [[{ start: 7, end: 8 }], newer]);
  assert.ok(shown(dirty).includes("the sum is checked: function"));
  const both = await ask(
    folder,
    capture(BEFORE, { commit: base, dirty: true, sources }),
    capture(stacks, { commit: newer, dirty: true, sources }),
  );
  assert.ok(!shown(both).some((row) => row.includes("not committed")), shown(both).join());
  assert.match(both.notes.join(), /The side before had uncommitted changes/);
  const same = await ask(
    folder,
    capture(BEFORE, { commit: newer }),
    capture(stacks, { commit: newer, dirty: true, sources }),
  );
  assert.deepEqual(shown(same), ["(not committed): lines"]);
  assert.match(same.notes.join(), /Both sides are of/);
  // The file has changed since: the code that ran is no longer known.
  write("src/shop.erl", `%% later\n${changed}`);
  const lost = await ask(
    folder,
    capture(BEFORE, { commit: base }),
    capture(stacks, { commit: newer, dirty: true, sources }),
  );
  assert.match(lost.notes.join(), /uncommitted changes that are no longer known/);
  assert.ok(
    shown(lost).some((row) => row.startsWith("the sum is checked")),
    shown(lost).join(),
  );
});

test("a renamed file is followed, a merge is called one", async (t) => {
  const { folder, base, newer, git, commit } = shop(t);
  git("switch", "-qc", "side", base);
  const side = commit("tax by hand", { "src/shop_tax.erl": textOf(TAX, { 4: "    I * 3." }) });
  git("switch", "-q", "main");
  git("merge", "-q", "--no-commit", "-s", "ours", "side");
  commit("both taxes", { "src/shop_tax.erl": textOf(TAX, { 4: "    lookup(I) * 3." }) });
  git("mv", "src/shop.erl", "src/store.erl");
  const last = commit("a store", {});
  const renamed: Frame = ["shop:cart/1", "src/store.erl", 4];
  const after = AFTER.map(([samples, ...frames]): Stack => [
    samples,
    ...frames.map(([frame, line]) => [frame === CART ? renamed : frame, line] as const),
  ]);
  const change = changeOf(renamed, { base_file: "src/shop.erl", base_line: 4 });
  const answer = await ask(folder, capture(BEFORE, { commit: base }), capture(after, { commit: last }), {
    change,
    functions: [change, ...ALL.slice(1)],
  });
  const rows = shown(answer);
  assert.deepEqual(rows.slice(0, 2), ["rounding is exact: lines", "the sum is checked: function"]);
  assert.ok(rows.includes("both taxes: callee shop_tax:tax/1"), rows.join());
  assert.deepEqual(
    answer.entries.filter(({ isMerge }) => isMerge).map(({ subject }) => subject),
    ["both taxes"],
  );
  assert.equal(answer.entries[0]?.touches[0]?.path, "src/shop.erl");
  assert.ok(side !== newer);
});

test("sides that parted, the newer one before the older one, and commits that are not there", async (t) => {
  const { folder, base, newer, git, commit } = shop(t);
  git("switch", "-qc", "side", base);
  const side = commit("on the side", { "README.md": "shop" });
  const parted = await ask(folder, capture(BEFORE, { commit: side }), capture(AFTER, { commit: newer }));
  assert.match(parted.notes.join(), /is no ancestor of .*, where they diverged/);
  assert.equal(shown(parted)[0], "rounding is exact: lines");
  const behind = await ask(folder, capture(BEFORE, { commit: newer }), capture(AFTER, { commit: base }));
  assert.match(behind.notes.join(), /only the side before has/);
  assert.ok(
    shown(behind).some((row) => row.startsWith("rounding is exact")),
    shown(behind).join(),
  );
  const absent = await ask(folder, capture(BEFORE, { commit: "0".repeat(40) }), capture(AFTER, { commit: newer }));
  assert.deepEqual(
    [shown(absent), absent.notes],
    [[], ["The commit 0000000 is not in this repository: git fetch gets it, if it was ever pushed."]],
  );
  const unnamed = await ask(folder, capture(BEFORE), capture(AFTER, { commit: newer }));
  assert.match(unnamed.notes.join(), /The commit of the side before is unknown/);
});

test("no git, a shallow clone, a source that is elsewhere, and more commits than are listed", async (t) => {
  const { folder, base, newer, commit } = shop(t);
  const without = await ask(folder, capture(BEFORE, { commit: base }), capture(AFTER, { commit: newer }), {
    git: new GitProgram("/nowhere/git"),
  });
  assert.deepEqual(shown(without), []);
  assert.equal(without.notes.length, 1);
  const clone = join(testFolder(t), "clone");
  repositoryIn(folder).git("clone", "-q", "--depth", "3", `file://${folder}`, clone);
  const beyond = await ask(clone, capture(BEFORE, { commit: base }), capture(AFTER, { commit: newer }));
  assert.match(beyond.notes.join(), /shallow: git fetch --unshallow/);
  const last = repositoryIn(clone).git("rev-parse", "HEAD~2");
  const within = await ask(clone, capture(BEFORE, { commit: last }), capture(AFTER, { commit: newer }));
  assert.match(within.notes.join(), /This clone is shallow/);
  assert.deepEqual(shown(within), ["the sum is checked: function"]);
  const elsewhere: Frame = ["lists:map/2", "lists.erl", 1];
  const library = await ask(
    folder,
    capture([[1, [elsewhere, 1]]], { commit: base }),
    capture([[5, [elsewhere, 1]]], { commit: newer }),
    {
      change: changeOf(elsewhere),
      functions: [changeOf(elsewhere)],
    },
  );
  assert.match(library.notes.join(), /The source of lists:map\/2, lists.erl, is not in/);
  let many = newer;
  for (let round = 0; round < 25; round++)
    many = commit(`round ${round}`, { "src/shop.erl": textOf(SHOP, { 7: `    round_${round}(Sum).` }) });
  const cut = await ask(folder, capture(BEFORE, { commit: base }), capture(AFTER, { commit: many }), {
    functions: [CHANGE],
  });
  assert.deepEqual([cut.entries.length, shown(cut)[0]], [20, "round 24: lines"]);
  assert.match(cut.notes.join(), /More than 20 commits/);
});

test("a source is where the rules about paths lead, in a submodule too, and nowhere if they exclude it", async (t) => {
  const { folder, commit } = testRepository(t);
  // Alike as far as the reported path shows.
  const base = commit("two shops", { "apps/a/src/shop.erl": textOf(SHOP), "apps/b/src/shop.erl": textOf(SHOP) });
  commit("rounding in a", { "apps/a/src/shop.erl": textOf(SHOP, { 7: "    round_up(Sum)." }) });
  const newer = commit("rounding in b", { "apps/b/src/shop.erl": textOf(SHOP, { 7: "    round_down(Sum)." }) });
  const asked = (led: string | undefined) =>
    ask(folder, capture(BEFORE, { commit: base }), capture(AFTER, { commit: newer }), {
      functions: [CHANGE],
      ruledFiles: (reported) =>
        reported !== CART[1] || led === undefined ? undefined : led === "" ? [] : [join(folder, led)],
    });
  assert.match((await asked(undefined)).notes.join(), /The source of shop:cart\/1, src\/shop.erl, is not in/);
  assert.deepEqual(shown(await asked("apps/a/src/shop.erl")), ["rounding in a: lines"]);
  assert.deepEqual(shown(await asked("apps/b/src/shop.erl")), ["rounding in b: lines"]);
  assert.match((await asked("")).notes.join(), /The source of shop:cart\/1, src\/shop.erl, is not in/);

  const inner = testRepository(t);
  const two = { "x/src/shop.erl": textOf(SHOP), "y/src/shop.erl": textOf(SHOP) };
  inner.commit("two shops", two);
  const outer = testRepository(t);
  outer.git("submodule", "add", "-q", inner.folder, "deps/inner");
  const before = outer.commit("with the submodule", {});
  const sub = repositoryIn(join(outer.folder, "deps/inner"));
  sub.commit("rounding in y", { "y/src/shop.erl": textOf(SHOP, { 7: "    round_down(Sum)." }) });
  const after = outer.commit("newer submodule", {});
  const below = await ask(outer.folder, capture(BEFORE, { commit: before }), capture(AFTER, { commit: after }), {
    functions: [CHANGE],
    ruledFiles: () => [join(outer.folder, "deps/inner/y/src/shop.erl")],
  });
  assert.deepEqual(shown(below), ["rounding in y: function"]);
});

test("a submodule has commits of its own; one that is not checked out has a remark", async (t) => {
  const inner = testRepository(t);
  inner.commit("tax", { "src/shop_tax.erl": textOf(TAX) });
  const outer = testRepository(t);
  outer.git("submodule", "--quiet", "add", inner.folder, "tax");
  const base = outer.commit("a shop", { "src/shop.erl": textOf(SHOP) });
  const sub = repositoryIn(join(outer.folder, "tax"));
  sub.commit("tax is looked up", { "src/shop_tax.erl": textOf(TAX, { 4: "    lookup(I)." }) });
  const newer = outer.commit("newer tax", {});
  const inSub: Frame = ["shop_tax:tax/1", "tax/src/shop_tax.erl", 3];
  const stacks = (samples: number): Stack[] => [
    [samples, [inSub, 4]],
    [50, [CART, 7]],
  ];
  const question = { change: changeOf(inSub), functions: [changeOf(inSub)] };
  const answer = await ask(
    outer.folder,
    capture(stacks(5), { commit: base }),
    capture(stacks(30), { commit: newer }),
    question,
  );
  assert.deepEqual(
    shown(answer).map((row) => row.split(":")[0]),
    ["tax is looked up"],
  );
  assert.equal(answer.entries[0]?.top, sub.folder);
  assert.match(answer.notes.join(), /tax is a submodule/);
  const clone = join(testFolder(t), "clone");
  outer.git("clone", "-q", outer.folder, clone);
  const absent = await ask(
    clone,
    capture(stacks(5), { commit: base }),
    capture(stacks(30), { commit: newer }),
    question,
  );
  assert.deepEqual(shown(absent), []);
  assert.match(absent.notes.join(), /The submodule tax is not checked out/);
});

test("captures without samples ask nothing of history that they cannot know, and a question can be taken back", async (t) => {
  const { folder, base, newer } = shop(t);
  const empty = await ask(folder, capture([], { commit: base }), capture([], { commit: newer }));
  assert.deepEqual(shown(empty), ["the sum is checked: function", "rounding is exact: function"]);
  await assert.rejects(
    ask(folder, capture(BEFORE, { commit: base }), capture(AFTER, { commit: newer }), { signal: AbortSignal.abort() }),
  );
});
