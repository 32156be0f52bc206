// The sources of both sides come out of git; where it has none, a remark states that functions are matched by name
// alone, and why.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { CaptureFacts, FunctionFacts } from "../../../extension/src/capture/questions.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { sourceTexts, type NamedSide } from "../../../extension/src/comparison/source-texts.js";
import { testFolder, testRepository } from "../commits/test-repository.js";

const GIT = new GitProgram("git", 60_000);
const WORDS = {
  t: (message: string, ...values: (string | number | boolean)[]) =>
    message.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
};

function side(name: string, commit: string, file = "/build/src/shop.erl"): NamedSide {
  const functions: FunctionFacts[] = [
    { name: "shop:cart/1", rawName: "shop:cart/1", kind: "erlang", file, headLine: 2, object: "" },
  ];
  const origin = { repository: "", commit, branch: "", dirty: false, describe: "", sources: {}, assigned: false };
  return { name, captures: [{ capture: { functions, facts: (commit === "" ? {} : { origin }) as CaptureFacts } }] };
}

/** As a capture that this program took. */
function ours({ name, captures }: NamedSide): NamedSide {
  const target = {} as NonNullable<CaptureFacts["target"]>;
  return {
    name,
    captures: captures.map(({ capture }) => ({ capture: { ...capture, facts: { ...capture.facts, target } } })),
  };
}

/** With the hashes of its sources, as a capture has them of a checkout. */
function withSources({ name, captures }: NamedSide, sources: Record<string, string>): NamedSide {
  const withThem = ({ capture }: NamedSide["captures"][number]): NamedSide["captures"][number] => {
    const { origin } = capture.facts;
    return {
      capture: {
        ...capture,
        facts: origin === undefined ? capture.facts : { ...capture.facts, origin: { ...origin, sources } },
      },
    };
  };
  return { name, captures: captures.map(withThem) };
}

test("texts of both commits are found, and where git has none a remark has the reason", async (t) => {
  const shop = testRepository(t);
  const first = shop.commit("first", { "src/shop.erl": "-module(shop).\ncart(_) -> 1.\n" });
  const second = shop.commit("second", { "src/shop.erl": "-module(shop).\ncart(_) -> 2.\n" });
  const found = (
    base: NamedSide,
    newer: NamedSide,
    folder: string | undefined = shop.folder,
    git: GitProgram | undefined = GIT,
  ) => sourceTexts(base, newer, { git, folder, ruledFiles: () => undefined }, WORDS);
  const why = async (...given: Parameters<typeof found>) =>
    (await found(...given)).remark?.replace("Functions are matched by name alone: ", "");

  const both = await found(side("old", first), side("new", second));
  assert.equal(both.remark, undefined);
  assert.match(both.texts.base_texts["/build/src/shop.erl"]?.text ?? "", /-> 1/);
  assert.match(both.texts.new_texts["/build/src/shop.erl"]?.text ?? "", /-> 2/);
  // Nothing shows that they are versions of something, or they are one version.
  assert.equal(await why(side("old", ""), side("new", "")), undefined);
  assert.match((await why(ours(side("old", "")), ours(side("new", "")))) ?? "", /^no commit is known of either side; /);
  assert.equal(await why(side("old", first, "gone.erl"), side("new", first, "gone.erl")), undefined);

  assert.match((await why(side("old", ""), side("new", second))) ?? "", /^no commit is known of old; /);
  assert.match((await why(side("old", first), side("new", ""))) ?? "", /^no commit is known of new; /);
  assert.equal(
    await why(side("old", first), side("new", second, "other/gone.erl")),
    `${second.slice(0, 12)} has none of the files named by new.`,
  );
  assert.equal(await why(side("old", first, ""), side("new", second)), "no source file is named by old.");
  assert.match(
    (await why(side("old", "ab".repeat(20)), side("new", second))) ?? "",
    /^the repository does not contain the commit abababababab; /,
  );
  // Texts of files are found by their hashes, but renames of these files are unknown.
  const hashed = withSources(side("old", "ab".repeat(20)), {
    "src/shop.erl": shop.git("rev-parse", `${first}:src/shop.erl`),
  });
  const half = await found(hashed, side("new", second));
  assert.match(half.texts.base_texts["/build/src/shop.erl"]?.text ?? "", /-> 1/);
  assert.match(half.remark ?? "", /the repository does not contain the commit abababababab; /);
  assert.equal(
    await why(side("old", first), side("new", second), testFolder(t)),
    "the workspace has no git repository that may be read.",
  );

  // A git that does not answer is not one without files.
  const program = join(testFolder(t), "git");
  const without = (command: string) => {
    writeFileSync(program, `#!/bin/sh\ncase "$*" in *${command}*) exit 1;; esac\nexec git "$@"\n`, { mode: 0o755 });
    return new GitProgram(program, 60_000);
  };
  assert.equal(
    await why(side("old", first), side("new", second), shop.folder, without("ls-tree")),
    `git did not list the files of ${first.slice(0, 12)} in time.`,
  );
  const unrenamed = await found(side("old", first), side("new", second), shop.folder, without("find-renames"));
  assert.equal(unrenamed.remark, "Renamed files count as different files: git did not list the renames in time.");
  const withoutMacros = await found(side("old", first), side("new", second), shop.folder, without("--raw"));
  assert.equal(
    withoutMacros.remark,
    "Functions of files that use a changed macro may count as the same: not all changed files were read.",
  );
  const withoutHeaders = await found(side("old", first), side("new", second), shop.folder, without(".hrl"));
  assert.equal(
    withoutHeaders.remark,
    "Functions of files that include a changed header may count as the same: not all headers were read.",
  );
});

test("files of Elixir that differ between both commits are read as each has them", async (t) => {
  const shop = testRepository(t);
  const [a, b] = ["lib/a.ex", "lib/b.ex"];
  const first = shop.commit("first", { [a]: "# 1\n", [b]: "# b\n", "src/shop.erl": "-module(shop).\n" });
  const second = shop.commit("second", { [a]: "# 2\n", "lib/c.ex": "# c\n", "d.exs": "" });
  const found = await sourceTexts(
    side("base", first),
    side("new", second),
    { git: GIT, folder: shop.folder, ruledFiles: () => undefined },
    WORDS,
  );
  assert.deepEqual(
    found.texts.changed_elixir?.map(({ path, text }) => [path, text.trim()]),
    [
      [a, "# 1"],
      [a, "# 2"],
      ["lib/c.ex", "# c"],
    ],
  );
  assert.deepEqual(found.texts.other_elixir, [], "none of these has a macro");
});

test("where a file of Elixir with macros differs, the others are read, because their macros may use it", async (t) => {
  const shop = testRepository(t);
  const macros = "defmodule A do\n  defmacro a(x), do: x\nend\n";
  const first = shop.commit("first", { "lib/a.ex": macros, "lib/b.ex": "# b\n", "src/shop.erl": "-module(shop).\n" });
  const second = shop.commit("second", { "lib/a.ex": macros.replace("do: x", "do: {x}") });
  const found = (git: GitProgram) =>
    sourceTexts(
      side("base", first),
      side("new", second),
      { git, folder: shop.folder, ruledFiles: () => undefined },
      WORDS,
    );
  const { texts, remark } = await found(GIT);
  assert.deepEqual(
    texts.other_elixir?.map(({ path, text }) => `${path}: ${text.trim()}`),
    ["lib/b.ex: # b"],
  );
  assert.equal(remark, undefined);
  // Where git does not give one of them, it is not known which files the macros are in.
  const program = join(testFolder(t), "git");
  const object = shop.git("rev-parse", `${second}:lib/b.ex`);
  writeFileSync(program, `#!/bin/sh\ncase "$*" in *${object}) exit 1;; esac\nexec git "$@"\n`, { mode: 0o755 });
  const unread = await found(new GitProgram(program, 60_000));
  assert.match(unread.remark ?? "", /^Functions of files that use a changed macro may count as the same: /);
});

test("headers, modules and files of the build that differ between both commits are named", async (t) => {
  const shop = testRepository(t);
  const [a, b] = ["include/a.hrl", "b.hrl"];
  const first = shop.commit("first", {
    [a]: "-define(A, 1).\n",
    [b]: "-define(B, 1).",
    "src/shop.erl": "-module(shop).\n",
    "rebar.config": "{erl_opts, []}.",
  });
  const second = shop.commit("second", {
    [a]: "-define(A, 2).\n",
    "src/other.erl": "-module(other).\n",
    "rebar.lock": "[].\n",
    "apps/shop/mix.exs": "",
    "apps/shop/config/prod.exs": "",
    "apps/shop/test/config/prod_test.exs": "",
    "apps/shop/src/shop.app.src": "",
    Makefile: "",
    "config.exs": "",
  });
  const found = await sourceTexts(
    side("base", first),
    side("new", second),
    { git: GIT, folder: shop.folder, ruledFiles: () => undefined },
    WORDS,
  );
  assert.deepEqual(found.texts.changed_headers, [a]);
  assert.deepEqual(found.texts.changed_modules, ["src/other.erl"]);
  assert.deepEqual(found.texts.changed_build, [
    "Makefile",
    "apps/shop/config/prod.exs",
    "apps/shop/mix.exs",
    "rebar.lock",
  ]);
  // They may name a changed module as a parse transform.
  assert.deepEqual(found.texts.settings, [{ path: "rebar.config", text: "{erl_opts, []}." }]);
  // One of the others may include it.
  assert.deepEqual(found.texts.headers, [{ path: b, text: "-define(B, 1)." }]);
  assert.deepEqual(found.texts.unread_texts, [0, 500]);
  // Which of the others do is not known where git does not list them. The capture has the hashes of its sources.
  const sources = { "src/shop.erl": shop.git("rev-parse", `${first}:src/shop.erl`) };
  const program = join(testFolder(t), "git");
  writeFileSync(program, `#!/bin/sh\ncase "$*" in *ls-tree*) exit 1;; esac\nexec git "$@"\n`, { mode: 0o755 });
  const unlisted = await sourceTexts(
    withSources(side("base", first), sources),
    withSources(side("new", second), sources),
    { git: new GitProgram(program, 60_000), folder: shop.folder, ruledFiles: () => undefined },
    WORDS,
  );
  assert.deepEqual(unlisted.texts.changed_headers, [a]);
  assert.match(
    unlisted.remark ?? "",
    /^Functions of files that include a changed header may count as the same: .* changed parse transform may count as the same: /,
  );
  // Nor where it does not give one of them.
  const object = shop.git("rev-parse", `${second}:${b}`);
  writeFileSync(program, `#!/bin/sh\ncase "$*" in *${object}) exit 1;; esac\nexec git "$@"\n`, { mode: 0o755 });
  const unread = await sourceTexts(
    side("base", first),
    side("new", second),
    { git: new GitProgram(program, 60_000), folder: shop.folder, ruledFiles: () => undefined },
    WORDS,
  );
  assert.deepEqual(unread.texts.unread_texts, [1, 500]);
  assert.match(unread.remark ?? "", /^Functions of files that include a changed header may count as the same: /);
});
