import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decode } from "../../../extension/src/sources/drift/source-bytes.js";
import { scanElixirForms } from "../../../extension/src/sources/forms/elixir-forms.js";
import { scanErlangForms } from "../../../extension/src/sources/forms/erlang-forms.js";
import { elixirFunctions, erlangFunctions } from "./compilers.js";

const ROOT = process.cwd();
const FIXTURES = "test/unit/sources/fixtures";

test("every Erlang function the compiler sees is found, with all its clauses", () => {
  const files = [
    join(ROOT, FIXTURES, "tricky.erl"),
    ...erlangFilesIn(join(ROOT, "demo/src")),
    ...erlangFilesIn(join(ROOT, "test/vms/src")),
    ...installedErlangFiles(),
  ];
  const compiled = erlangFunctions(files);
  assert.ok(compiled.length > 100, `${compiled.length} functions of ${files.length} files`);
  const wrong = [];
  for (const file of files) {
    const forms = new Map(
      scanErlangForms(decode(readFileSync(file))).map((form) => [`${form.name}/${form.arity}`, form]),
    );
    for (const fn of compiled.filter((each) => each.file === file)) {
      const lines = forms.get(`${fn.name}/${fn.arity}`)?.clauseLines ?? [];
      if (!fn.clauseLines.every((line) => lines.includes(line)))
        wrong.push(`${file} ${fn.name}/${fn.arity}: ${fn.clauseLines.join()} is ${lines.join()}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("nothing is found in an Erlang text that is no function", () => {
  const forms = scanErlangForms(readFileSync(join(ROOT, FIXTURES, "tricky.erl"), "utf8"));
  assert.deepEqual(
    forms.map(({ module, name, arity, endLine }) => `${module}:${name}/${arity} ${endLine}`),
    [
      "plain/0 9",
      "quoted name/2 14",
      "chars/3 18",
      "text/1 26",
      "torn/1 36",
      "binary/2 38",
      "map/1 40",
      "ifs/1 43",
      "nested/2 46",
      "last/0 47",
    ].map((form) => `tricky:${form}`),
  );
});

test("every Elixir function and macro the compiler sees is found", () => {
  const file = join(ROOT, FIXTURES, "tricky.ex");
  const forms = scanElixirForms(readFileSync(file, "utf8"));
  const made = /^(?:__\w+__|impl_for!?|struct_impl_for)$/; // by defstruct, defimpl and defprotocol
  const compiled = elixirFunctions(file).filter(({ name }) => !made.test(name));
  assert.ok(compiled.length > 20);
  const keyOf = (fn: { module: string; name: string; arity: number }) => `${fn.module}.${fn.name}/${fn.arity}`;
  assert.deepEqual(forms.map(keyOf).sort(), compiled.map(keyOf).sort());
  for (const fn of compiled) {
    const form = forms.find((each) => keyOf(each) === keyOf(fn));
    for (const line of fn.clauseLines) assert.ok(form?.clauseLines.includes(line), `${keyOf(fn)} line ${line}`);
  }
});

test("a form whose dot is missing while someone types does not swallow the next one", () => {
  const forms = scanErlangForms("-module(m).\na(X) ->\n    X\n\nb(Y) -> Y.\nc() -> ok.\n");
  assert.deepEqual(
    forms.map(({ name, headLine, endLine }) => [name, headLine, endLine]),
    [
      ["a", 2, 4],
      ["b", 5, 5],
      ["c", 6, 6],
    ],
  );
});

test("Erlang code of a grammar is found after the grammar", () => {
  const text =
    "Nonterminals list.\nTerminals '(' \"x.\nRootsymbol list.\nlist -> '(' : value('$1').\n\nErlang code.\n\nvalue({_, V}) -> V.\n";
  assert.deepEqual(
    scanErlangForms(text).map(({ name, arity, headLine }) => [name, arity, headLine]),
    [["value", 1, 8]],
  );
});

test("texts that make no sense end the scan, not the program", () => {
  for (const text of [
    "",
    "'",
    '"',
    "a(",
    "a(b",
    "$",
    "<<",
    "~",
    '"""\n',
    "def",
    "defmodule",
    "def a(",
    "~s(",
    '"#{',
    "?",
    ":",
  ]) {
    scanErlangForms(text);
    scanElixirForms(text);
  }
  const long = "a(".repeat(20_000);
  assert.deepEqual(scanElixirForms(long), []);
});

function erlangFilesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".erl"))
    .map((name) => join(folder, name));
}

/** OTP's own sources, where they are installed. */
function installedErlangFiles(): string[] {
  const library = execFileSync("erl", ["-noshell", "-eval", "io:put_chars(code:lib_dir()), halt()."], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return readdirSync(library)
    .filter((name) => /^(?:stdlib|kernel)-/.test(name) && existsSync(join(library, name, "src")))
    .flatMap((name) => erlangFilesIn(join(library, name, "src")));
}
