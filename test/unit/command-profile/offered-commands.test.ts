import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import {
  offeredCommands,
  recordArguments,
  shellFor,
  shellWord,
  withRecent,
} from "../../../extension/src/command-profile/offered-commands.js";
import { shellWord as wordOfScripts } from "../../../scripts/shell-word.mjs";

test("recent commands come first, then tasks, then what the project's files suggest, each once", () => {
  const tasks = [
    { name: "test", command: "mix test" },
    { name: "bench", command: ["mix", "run", "bench one.exs"], cwd: "${workspaceFolder}/bench" },
  ];
  const offered = offeredCommands(["mix test --only slow"], tasks, "/shop", ["mix.exs", "README.md"]);
  assert.deepEqual(offered, [
    { line: "mix test --only slow", from: "recent" },
    { line: "mix test", from: "task", task: "test" },
    { line: "mix run 'bench one.exs'", from: "task", task: "bench", cwd: "/shop/bench" },
    { line: "mix run --no-halt", from: "project" },
  ]);
});

test("a task with a variable that only the editor knows is not offered", () => {
  const offered = offeredCommands(
    undefined,
    [
      { name: "t", command: "mix test ${file}" },
      { name: "u", command: "ls ${workspaceFolder}" },
      { name: "v", command: "ls", cwd: "${env:HOME}" },
    ],
    "/shop",
    [],
  );
  assert.deepEqual(
    offered.map(({ line }) => line),
    ["ls /shop"],
  );
});

test("what was kept may be anything", () => {
  for (const kept of [undefined, null, 7, "mix test", {}, [1, "", "  ", null, "x".repeat(5000)]]) {
    assert.deepEqual(offeredCommands(kept, [], "", []), []);
    assert.deepEqual(withRecent(kept, "a"), ["a"]);
  }
  const many = Array.from({ length: 20 }, (_, index) => `command ${String(index)}`);
  const kept = withRecent(many, "command 3");
  assert.equal(kept.length, 10);
  assert.equal(kept.filter((line) => line === "command 3").length, 1);
  assert.equal(kept[0], "command 3");
});

test("a word of a shell is that word again", () => {
  for (const word of ["plain-1.2/a", "two words", "it's", '$HOME `id` \\ "x"', "", "line\nbreak", "-n"]) {
    assert.equal(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" }), word);
    assert.equal(wordOfScripts(word), shellWord(word));
  }
});

test("the user's shell is used where it takes a command line", () => {
  assert.equal(shellFor("/usr/bin/zsh"), "/usr/bin/zsh");
  for (const other of ["", "pwsh", "/usr/bin/pwsh", "C:\\cmd.exe", "bash"]) assert.equal(shellFor(other), "/bin/sh");
});

test("a command line is one argument, after everything that is ours", () => {
  const sampling = { frequencyHz: 199, includeKernel: true, engine: "auto", types: ["cpu"] } as const;
  assert.deepEqual(recordArguments(sampling, "/c/a.pb.gz", "/bin/sh", "mix test; -x"), [
    ...["record", "--frequency", "199", "--engine", "auto", "--include-kernel", "--output", "/c/a.pb.gz"],
    ...["--", "/bin/sh", "-c", "mix test; -x"],
  ]);
  assert.ok(!recordArguments({ ...sampling, includeKernel: false }, "a", "b", "c").includes("--include-kernel"));
  const both = recordArguments({ ...sampling, types: ["cpu", "off-cpu"] }, "a", "b", "c");
  assert.deepEqual(both.slice(both.indexOf("--event")), [
    ...["--event", "cpu,off-cpu", "--output", "a"],
    ...["--", "b", "-c", "c"],
  ]);
});
