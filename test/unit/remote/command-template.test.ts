// Commands of the user's that lead to a shell: the parts that they may have, and the effects that a value can never
// have.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CommandProblem,
  CommandTemplate,
  commandTemplates,
  isCommandName,
  isPlaceholderValue,
} from "../../../extension/src/remote/command-template.js";
import { settingValue } from "../../../extension/src/setting-values.js";

const PRESETS = commandTemplates(settingValue("remote.commands", undefined));
const problem = (what: CommandProblem["what"], about: string) => (error: unknown) =>
  error instanceof CommandProblem && error.what === what && error.about === about;
const preset = (name: string) => {
  const template = PRESETS.get(name);
  assert.ok(template, name);
  return template;
};

test("each preset is a program with arguments, and ends in a shell", () => {
  assert.deepEqual([...PRESETS.keys()], ["docker", "podman", "kubectl", "kubectl debug", "nsenter", "nsenter (sudo)"]);
  const values = {
    container: "shop-1",
    pod: "shop-7d9f-x2x",
    namespace: "market",
    image: "registry.example:5000/tools@sha256:ab",
    pid: "4711",
  };
  for (const [name, template] of PRESETS)
    assert.equal(template.arguments(values, { debugProfile: "/a b/c" }).at(-1), "/bin/sh", name);
  assert.deepEqual(
    [preset("docker").program, ...preset("docker").arguments(values)],
    ["docker", "exec", "--interactive", "shop-1", "/bin/sh"],
  );
  assert.deepEqual(preset("nsenter (sudo)").arguments(values), [
    "-n",
    "nsenter",
    "--target=4711",
    "--mount",
    "--pid",
    "--",
    "/bin/sh",
  ]);
  assert.deepEqual(preset("kubectl debug").arguments(values, { debugProfile: "/a b/c.yaml" }), [
    "debug",
    "--stdin",
    "--quiet",
    "--namespace=market",
    "shop-7d9f-x2x",
    "--target=shop-1",
    "--image=registry.example:5000/tools@sha256:ab",
    "--profile=general",
    "--custom=/a b/c.yaml",
    "--",
    "/bin/sh",
  ]);
});

test("an optional part takes its argument along; a required one has a prompt", () => {
  const kubectl = preset("kubectl");
  assert.deepEqual(kubectl.placeholders, [
    { name: "namespace", isOptional: true },
    { name: "pod", isOptional: false },
    { name: "container", isOptional: true },
  ]);
  assert.deepEqual(kubectl.arguments({ pod: "deployment/shop" }), [
    "exec",
    "--stdin",
    "--quiet",
    "deployment/shop",
    "--",
    "/bin/sh",
  ]);
  assert.throws(() => kubectl.arguments({ namespace: "market" }), problem("missing", "pod"));
  assert.throws(() => kubectl.arguments({ namespace: "market", pod: "" }), problem("missing", "pod"));
  const twice = new CommandTemplate(["x", "{a?}{b}", "{a}", "{{.Id}}", "{A}", "{}"]);
  assert.deepEqual(twice.placeholders, [
    { name: "a", isOptional: false },
    { name: "b", isOptional: false },
  ]);
  assert.deepEqual(twice.arguments({ a: "1", b: "2" }), ["12", "1", "{{.Id}}", "{A}", "{}"]);
});

test("a value stays in its argument, and is no option, no program and no word of a shell", () => {
  const evil = [
    "-it",
    "--privileged",
    "a b",
    "a\nb",
    "a\0b",
    "$(id)",
    "`id`",
    "a;b",
    "a|b",
    "a&b",
    "a'b",
    'a"b',
    "a\\b",
    "*",
    "~root",
    "a>b",
    "{pod}",
    "\u202eb",
    "ä",
    "x".repeat(256),
    "%PATH%",
    "!x",
  ];
  for (const value of evil) {
    assert.ok(!isPlaceholderValue(value), value);
    assert.throws(() => preset("docker").arguments({ container: value }), problem("value", "container"), value);
  }
  // Not even a part that would be left out may hold anything else.
  assert.throws(() => preset("kubectl").arguments({ pod: "a", container: "-x" }), problem("value", "container"));
  // Nothing of the objects' own counts as a value.
  assert.throws(() => new CommandTemplate(["x", "{constructor}"]).arguments({}), problem("missing", "constructor"));
  // A value that looks like a placeholder is no placeholder, and `$&` is nothing special.
  assert.deepEqual(new CommandTemplate(["x", "{a}"]).arguments({}, { a: "$& {b}" }), ["$& {b}"]);
});

test("a command with a mistake is none; the others stay", () => {
  const wrong: readonly (readonly [unknown, CommandProblem["what"]])[] = [
    ["docker exec", "noList"],
    [[], "noList"],
    [Array.from({ length: 65 }, () => "a"), "noList"],
    [null, "noList"],
    [["docker", 1], "argument"],
    [["docker", "a\0b"], "argument"],
    [["docker", "a\u001b[2Jb"], "argument"],
    [["", "a"], "program"],
    [["{container}"], "program"],
    [["/usr/bin/{x?}"], "program"],
  ];
  for (const [given, what] of wrong)
    assert.throws(
      () => new CommandTemplate(given),
      (error: unknown) => error instanceof CommandProblem && error.what === what,
      JSON.stringify(given),
    );
  const mixed = Object.fromEntries([
    ...wrong.map(([given], index) => [`wrong ${String(index)}`, given] as const),
    ["mine", ["a", "{b}"]],
    ["\u001b[2J", ["a"]],
    ["", ["a"]],
  ]);
  assert.deepEqual([...commandTemplates(mixed).keys()], ["mine"]);
  for (const given of [null, undefined, "x", 1, [["a"]]]) assert.equal(commandTemplates(given).size, 0);
  for (const name of ["docker", "kubectl (prod)", "my way 2", "größer"]) assert.ok(isCommandName(name), name);
  for (const name of ["", " a", "-a", "a\nb", "a\u202eb", "<b>", "$(error)", "x".repeat(61)])
    assert.ok(!isCommandName(name), name);
});
