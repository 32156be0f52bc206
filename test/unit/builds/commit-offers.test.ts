import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuildMatch, FoundBuilds } from "../../../contract/editor-module.generated.js";
import { commitOffers } from "../../../extension/src/builds/commit-offers.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const HEAD = "ab12cd3456789abcdef0123456789abcdef01234";
const TAGGED = "9999999456789abcdef0123456789abcdef01234";
const WHOLE: BuildMatch = {
  build: "_build/prod",
  is_whole: true,
  matching: 38,
  own_matching: 30,
  differing: [],
  missing: [],
  replaced: [],
  newer_sources: [],
  release: "",
  version: "",
};
const PARTIAL: BuildMatch = {
  ...WHOLE,
  build: "_build/dev",
  is_whole: false,
  matching: 30,
  differing: ["a", "b", "c", "d", "e"],
  missing: ["f"],
  replaced: ["g"],
};

function found(...builds: BuildMatch[]): FoundBuilds {
  return { builds, modules: 60, own_modules: 38, tags: ["v1.2.3"], unreadable: [] };
}

test("a build of what is committed comes first, then the release's tag, then what matches in part, each with why", () => {
  const offers = commitOffers(
    found(PARTIAL, WHOLE),
    { commit: HEAD, dirty: false },
    [{ tag: "v1.2.3", commit: TAGGED }],
    ENGLISH,
  );
  assert.deepEqual(
    offers.map(({ icon, label, description, detail, commit, dirty }) => [
      icon,
      label,
      description,
      detail,
      commit,
      dirty,
    ]),
    [
      ["package", "Build in _build/prod matches", "38 of 38 modules · HEAD ab12cd3 · clean", "", HEAD, false],
      ["tag", "Tag v1.2.3, the release's version", "9999999", "", TAGGED, false],
      [
        "package",
        "Build in _build/dev matches in part",
        "30 of 36 modules · HEAD ab12cd3 · with changes",
        "Other builds of a, b, c, d and 1 more. Missing: f. Replaced during the capture: g.",
        HEAD,
        true,
      ],
    ],
  );
});

test("a build of something later than the commit comes after the tag, and is marked as such", () => {
  const tags = [{ tag: "v1.2.3", commit: TAGGED }];
  const edited = commitOffers(
    found({ ...WHOLE, newer_sources: ["src/shop.erl"] }),
    { commit: HEAD, dirty: false },
    tags,
    ENGLISH,
  );
  assert.deepEqual(
    edited.map(({ icon, detail, dirty }) => [icon, detail, dirty]),
    [
      ["tag", "", false],
      ["package", "Changed since it was built: src/shop.erl.", true],
    ],
  );
  const [, uncommitted] = commitOffers(found(WHOLE), { commit: HEAD, dirty: true }, tags, ENGLISH);
  assert.deepEqual(
    [uncommitted?.description, uncommitted?.detail],
    ["38 of 38 modules · HEAD ab12cd3 · with changes", "Files differ from the commit."],
  );
});

test("nothing is offered that proves nothing: dependencies alone, builds without a commit", () => {
  const head = { commit: HEAD, dirty: false };
  assert.deepEqual(commitOffers(found({ ...WHOLE, is_whole: false, own_matching: 0 }), head, [], ENGLISH), []);
  assert.deepEqual(commitOffers(found(WHOLE), undefined, [], ENGLISH), []);
  assert.equal(commitOffers(found(PARTIAL, PARTIAL, PARTIAL, PARTIAL), head, [], ENGLISH).length, 3);
});

test("in German, with the release, and with names that are fit to show", () => {
  const [offer] = commitOffers(
    found({ ...WHOLE, build: "", release: "shop", version: "1.2\n3" }),
    { commit: HEAD, dirty: false },
    [],
    GERMAN,
  );
  assert.deepEqual(
    [offer?.label, offer?.description],
    ["Build in diesem Ordner stimmt überein", "38 von 38 Modulen · shop 1.2 3 · HEAD ab12cd3 · ohne Änderungen"],
  );
});
