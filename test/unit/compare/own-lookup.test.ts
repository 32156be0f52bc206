// Own code of compared captures is that of their commits, in real repositories.
import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { OriginFacts } from "../../../contract/protocol.generated.js";
import type { CaptureFacts, FunctionFacts } from "../../../extension/src/capture/questions.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { hashSources } from "../../../extension/src/commits/source-hashes.js";
import { OwnLookup, type CaptureOfCommit } from "../../../extension/src/comparison/own-lookup.js";
import { CapturePlaces } from "../../../extension/src/sources/mapping/capture-places.js";
import { ownFunctionsThen } from "../../../extension/src/sources/own-code-then.js";
import { globPattern } from "../../../extension/src/text/glob-pattern.js";
import { repositoryIn, testFolder, testRepository } from "../commits/test-repository.js";

/** Patient with a machine that is busy with other tests. */
const GIT = new GitProgram("git", 60_000);
const WORDS = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};
const elixir = (module: string, more = "") => `defmodule ${module} do\n  def pp(text), do: text\n${more}end\n`;

const MODULES: readonly (readonly [string, string])[] = [
  ["Shop", "lib/shop.ex"],
  ["Shop.Formatter", "lib/formatter.ex"],
  ["Shop.Old", "lib/old.ex"],
  ["Shop.Printer", "lib/printer.ex"],
  ["Jason", "lib/jason.ex"],
];

type Opened = CaptureOfCommit & {
  readonly capture: { readonly functions: readonly FunctionFacts[]; readonly facts: CaptureFacts };
};

function captureOf(
  file: string,
  origin: OriginFacts | undefined,
  modules = MODULES,
  ownToday: readonly string[] = [],
): Opened {
  const functions = modules.map(([module, file]): FunctionFacts => ({
    name: `${module}.pp/1`,
    rawName: `'Elixir.${module}':pp/1`,
    kind: "erlang",
    file,
    headLine: 2,
    object: "[erlang]",
  }));
  const facts = {
    target: null,
    quality: null,
    startedUnixMs: 0,
    durationMs: 0,
    ...(origin === undefined ? {} : { origin }),
  } as CaptureFacts;
  return {
    uri: { path: `/captures/${file}` },
    capture: { functions, facts, isOwnCode: (index) => ownToday.includes(modules[index]?.[0] ?? "") },
  };
}

const lookIn = (...folders: readonly string[]) => lookWith(GIT, ...folders);

/** A git that knows everything but lists no files of a commit. */
function lateGit(folder: string): GitProgram {
  const program = join(folder, "late-git");
  writeFileSync(program, '#!/bin/sh\ncase " $* " in *" ls-tree "*) exit 1;; esac\nexec git "$@"\n', { mode: 0o755 });
  return new GitProgram(program, 60_000);
}

function lookWith(git: GitProgram | undefined, ...folders: readonly string[]) {
  const lookup = new OwnLookup<Opened>(
    git,
    folders.map((folder) => ({ fsPath: folder, path: folder })),
    {
      now: () => Promise.resolve(),
      then: ({ capture }, then) =>
        ownFunctionsThen(new CapturePlaces(capture as never).all(), then, {
          isIgnored: (path) => globPattern("**/deps/**").test(path),
          ruledFiles: () => undefined,
          command: "",
        }),
    },
  );
  const own = async (opened: Opened) =>
    (await lookup.functionsOf(opened))?.map(([name]) => name.replace(/\.pp\/1$/, ""));
  return { lookup, own };
}

const originOf = (commit: string, sources: Readonly<Record<string, string>> = {}): OriginFacts => ({
  repository: "",
  commit,
  branch: "",
  describe: "",
  dirty: false,
  sources,
  assigned: false,
});

/** A module is renamed with its file, another one goes. */
function renamed(t: TestContext) {
  const shop = testRepository(t);
  const first = shop.commit("first", {
    "lib/shop.ex": elixir("Shop"),
    "lib/formatter.ex": elixir("Shop.Formatter"),
    "lib/old.ex": elixir("Shop.Old"),
    "deps/jason/lib/jason.ex": elixir("Jason"),
  });
  shop.git("mv", "lib/formatter.ex", "lib/printer.ex");
  shop.git("rm", "-q", "lib/old.ex");
  const second = shop.commit("second", { "lib/printer.ex": elixir("Shop.Printer") });
  return { shop, first, second };
}

test("renamed and removed modules are own code in their commit, whichever one is checked out", async (t) => {
  const { shop, first, second } = renamed(t);
  for (const checkedOut of [first, second]) {
    shop.git("checkout", "-q", checkedOut);
    for (const folder of [shop.folder, join(shop.folder, "lib")]) {
      const { lookup, own } = lookIn(folder);
      assert.deepEqual(await own(captureOf("before", originOf(first))), ["Shop", "Shop.Formatter", "Shop.Old"]);
      assert.deepEqual(await own(captureOf("after", originOf(second))), ["Shop", "Shop.Printer"]);
      assert.deepEqual(lookup.remarks(WORDS), []);
    }
  }
});

test("what was not committed is known by its hash, as long as it is on disk", async (t) => {
  const { shop, second } = renamed(t);
  shop.write("lib/shop.ex", elixir("Store"));
  shop.write("lib/fresh.ex", elixir("Shop.Fresh"));
  const sources = await hashSources(
    shop.folder,
    ["lib/shop.ex", "lib/fresh.ex"].map((path) => join(shop.folder, path)),
    second,
  );
  const dirty = captureOf("dirty", originOf(second, sources), [
    ["Store", "lib/shop.ex"],
    ["Shop.Fresh", "lib/fresh.ex"],
    ["Shop.Printer", "lib/printer.ex"],
  ]);
  assert.deepEqual(await lookIn(shop.folder).own(dirty), ["Store", "Shop.Fresh", "Shop.Printer"]);
  shop.write("lib/shop.ex", elixir("Third"));
  assert.deepEqual(await lookIn(shop.folder).own(dirty), ["Shop.Fresh", "Shop.Printer"]);
});

test("without a text of git, facts of the capture decide, else the sources of today, with a remark", async (t) => {
  const { shop, first, second } = renamed(t);
  const clone = repositoryIn(testFolder(t));
  clone.git("clone", "-q", "--depth", "1", `file://${shop.folder}`, ".");
  const { lookup, own } = lookIn(clone.folder);
  assert.deepEqual(await own(captureOf("after", originOf(second))), ["Shop", "Shop.Printer"]);
  assert.deepEqual(await own(captureOf("before", originOf(first), MODULES, ["Shop"])), ["Shop"]);
  assert.deepEqual(await own(captureOf("silent", undefined, MODULES, ["Shop"])), ["Shop"]);
  const objects = Object.fromEntries(
    ["shop", "formatter", "old"].map((name) => [`lib/${name}.ex`, shop.git("rev-parse", `${first}:lib/${name}.ex`)]),
  );
  assert.deepEqual(await own(captureOf("knowing", originOf(first, objects))), ["Shop", "Shop.Formatter", "Shop.Old"]);
  const [unknown, silent, knowing] = lookup.remarks(WORDS);
  assert.match(unknown ?? "", /^before: own code is the code of the workspace today.*git fetch --unshallow/);
  assert.match(silent ?? "", /^silent: .*its commit is unknown/);
  assert.match(knowing ?? "", /^knowing: own code is derived from the source paths/);
  // Paths of a capture lead out of no folder, and another project's have no effect.
  const hostile = originOf(first, { "../../etc/passwd": "a".repeat(40), "/etc/passwd": "b".repeat(40) });
  assert.equal(await own(captureOf("hostile", hostile)), undefined);
  rmSync(join(clone.folder, ".git"), { recursive: true });
  assert.equal(await lookIn(clone.folder).own(captureOf("after", originOf(second))), undefined);
});

test("the reason for today's files is the true one: no trust, no repository, a list that comes too late", async (t) => {
  const { shop, first } = renamed(t);
  const before = captureOf("before", originOf(first), MODULES, ["Shop"]);
  const slow = lateGit(testFolder(t));
  for (const [git, folder, remark] of [
    [undefined, shop.folder, /runs only in trusted workspaces/],
    [GIT, testFolder(t), /in no repository that git may read/],
    [
      slow,
      shop.folder,
      /^before: own code is the code of the workspace today.*did not list the files of the commit in time/,
    ],
  ] as const) {
    const { lookup, own } = lookWith(git, folder);
    assert.deepEqual(await own(before), ["Shop"]);
    assert.match(lookup.remarks(WORDS).join(), remark);
  }
  const objects = { "lib/shop.ex": shop.git("rev-parse", `${first}:lib/shop.ex`) };
  const { lookup, own } = lookWith(slow, shop.folder);
  assert.deepEqual(await own(captureOf("knowing", originOf(first, objects))), ["Shop"]);
  assert.match(lookup.remarks(WORDS).join(), /^knowing: own code is derived from.*did not list the files/);
});

test("globs mean what they mean in the settings", () => {
  for (const [glob, meant, not] of [
    ["**/deps/**", ["deps/a.ex", "apps/x/deps/y/a.ex"], ["lib/deps.ex", "mydeps/a.ex"]],
    ["**/*.{hrl,erl}", ["a.erl", "src/a.hrl"], ["a.ex", "a.erlang"]],
    ["lib/?x", ["lib/ax", "lib/ax/a.ex"], ["lib/x", "src/lib/ax"]],
    ["**/.git", [".git", "sub/.git/config"], ["a.git"]],
    ["a+(b[", ["a+(b["], ["aab["]],
    ["**/log[0-9].erl", ["log7.erl", "src/log0.erl"], ["logs.erl", "log[0-9].erl", "log12.erl"]],
    ["**/[!a-c]x", ["dx", "lib/zx/y.ex"], ["ax", "cx"]],
    ["{a,b{1,2}}/*.{erl,hrl}", ["a/x.erl", "b2/y.hrl"], ["b/x.erl", "ab1/x.erl"]],
    ["a{b", ["a{b"], ["ab"]],
    ["**", ["a", "a/b"], []],
    ["**/*a*b*", ["xaybz", "q/ab"], ["ba", "a/b"]],
  ] as const) {
    const pattern = globPattern(glob);
    for (const path of meant) assert.ok(pattern.test(path), `${glob}: ${path}`);
    for (const path of not) assert.ok(!pattern.test(path), `${glob}: ${path}`);
  }
});

test("a glob with many stars takes no longer than others", () => {
  const path = "a/".repeat(60) + "x";
  assert.ok(!globPattern(`${"**/a/".repeat(30)}y`).test(path));
  assert.ok(globPattern(`${"**/a/".repeat(30)}x`).test(path));
  assert.ok(!globPattern(`${"*a".repeat(60)}b`).test("a".repeat(250)));
});
