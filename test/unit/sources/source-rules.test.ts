import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleFrom } from "../../../extension/src/sources/rules/learn-rule.js";
import { LearnedRules } from "../../../extension/src/sources/rules/learned-rules.js";
import { folderText, pathParts } from "../../../extension/src/sources/rules/path-prefix.js";
import {
  longestMatchesOf,
  matchesOf,
  setRules,
  type PrefixRule,
} from "../../../extension/src/sources/rules/prefix-rules.js";

const WORKSPACE = "/home/me/shop";

function learned(reported: string, picked: string, workspaceFolder = WORKSPACE): string | undefined {
  const rule = ruleFrom(reported, picked, workspaceFolder === "" ? undefined : workspaceFolder);
  return rule && `${rule.prefix} -> ${rule.folder}`;
}

/** Where a rule leads a path. */
function led(prefix: string, folder: string, path: string): string | undefined {
  const parts = pathParts(prefix);
  assert.ok(parts, prefix);
  const [match] = matchesOf([{ prefix: parts, folder }], path);
  return match && [match.rule.folder, ...match.rest].join("/");
}

const HOSTILE = [
  "../../../etc/passwd.erl",
  "/app/../../etc/shop/x.erl",
  "src/../../x.erl",
  "/app/src/\0/x.erl",
  "\0",
  "",
  "/",
  "..",
  "C:/../../x.erl",
  `/app/${"a/".repeat(5_000)}x.erl`,
  "a".repeat(10_000),
];

test("a picked file gives the folder around it", () => {
  const file = "lib/shop/cart.ex";
  // A container, a build machine, an umbrella project in it.
  assert.equal(learned(`/app/${file}`, `${WORKSPACE}/${file}`), `/app/ -> ${WORKSPACE}`);
  assert.equal(
    learned(`/home/runner/work/shop/shop/${file}`, `${WORKSPACE}/${file}`),
    `/home/runner/work/shop/shop/ -> ${WORKSPACE}`,
  );
  assert.equal(learned(`/app/apps/web/${file}`, `${WORKSPACE}/apps/web/${file}`), `/app/ -> ${WORKSPACE}`);
  assert.equal(
    learned(`/app/apps/web/${file}`, `${WORKSPACE}/services/web/${file}`),
    `/app/apps/ -> ${WORKSPACE}/services`,
  );
  // The folders that rebar3 and releases put around an application.
  assert.equal(
    learned("/ci/_build/default/lib/shop/src/x.erl", `${WORKSPACE}/apps/shop/src/x.erl`),
    `/ci/_build/default/lib/ -> ${WORKSPACE}/apps`,
  );
  assert.equal(
    learned("/opt/rel/lib/shop-1.2.3/src/x.erl", `${WORKSPACE}/apps/shop/src/x.erl`),
    `/opt/rel/lib/shop-1.2.3/ -> ${WORKSPACE}/apps/shop`,
  );
  // C of a build machine, by way of a folder that is left again.
  assert.equal(
    learned("/build/nif/priv/../c_src/scan.c", `${WORKSPACE}/native/nif/c_src/scan.c`),
    `/build/ -> ${WORKSPACE}/native`,
  );
  assert.equal(learned("shop/src/x.erl", `${WORKSPACE}/other/src/x.erl`), `shop/ -> ${WORKSPACE}/other`);
});

test("paths of Windows are read on any system", () => {
  assert.equal(
    learned("C:\\build\\app\\lib\\shop\\cart.ex", `${WORKSPACE}/lib/shop/cart.ex`),
    `C:/build/app/ -> ${WORKSPACE}`,
  );
  assert.equal(
    learned("/app/lib/shop/cart.ex", "/c:/Users/me/shop/lib/shop/cart.ex", "/c:/Users/me/shop"),
    "/app/ -> /c:/Users/me/shop",
  );
  assert.equal(led("c:\\Build\\APP\\", "/ws", "C:/build/app/src/x.erl"), "/ws/src/x.erl");
  assert.equal(led("/App", "/ws", "/app/src/x.erl"), undefined, "on other systems case counts");
  assert.equal(learned("C:\\src\\x.erl", `${WORKSPACE}/src/x.erl`), undefined, "no rule for a whole drive");
});

test("a pick with too little in common makes no wide rule", () => {
  assert.equal(learned("/app/src/x.erl", `${WORKSPACE}/lib/x.erl`), undefined, "the name alone is alike");
  assert.equal(learned("/app/src/x.erl", `${WORKSPACE}/src/y.erl`), undefined, "not even that");
  assert.equal(learned("lists.erl", `${WORKSPACE}/lib/stdlib/src/lists.erl`), undefined);
  assert.equal(
    learned("lib/shop/cart.ex", `${WORKSPACE}/apps/shop/lib/shop/cart.ex`),
    undefined,
    "each application of an umbrella reports such paths",
  );
  assert.equal(learned("/src/x.erl", `${WORKSPACE}/src/x.erl`), undefined, "no rule for the whole file system");
  assert.equal(learned("/app/src/x.erl", "/src/x.erl", ""), undefined, "nor one that leads there");
});

test("a rule stays within the workspace folder of the picked file, and keeps a folder of the reported path", () => {
  assert.equal(learned("/build/me/shop/src/x.erl", `${WORKSPACE}/src/x.erl`), `/build/me/shop/ -> ${WORKSPACE}`);
  assert.equal(learned("/shop/src/x.erl", `${WORKSPACE}/src/x.erl`), `/shop/ -> ${WORKSPACE}`);
  assert.equal(
    learned("/build/otp/lib/stdlib/src/lists.erl", "/opt/otp/lib/stdlib/src/lists.erl", ""),
    "/build/ -> /opt",
  );
});

test("whatever the folders are, a rule leads to what was picked and never out of its folder", () => {
  // Pairs by a generator of its own, so that a failure comes again.
  let seed = 20_261_123;
  const next = (below: number) => ((seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) >>> 8) % below;
  const names = ["app", "lib", "src", "shop", "shop-1.2", "_build", "default", "c_src", "ü b", "$x", "a.b"];
  const folders = (count: number) => Array.from({ length: count }, () => names[next(names.length)] ?? "");
  let rules = 0;
  for (let round = 0; round < 5_000; round++) {
    const end = [...folders(next(4)), `file${String(next(3))}.erl`].join("/");
    const separator = round % 3 === 0 ? "\\" : "/";
    const start = round % 5 === 0 ? "C:/" : round % 2 === 0 ? "/" : "";
    const reported = `${start}${[...folders(next(5)), end].join("/")}`;
    const picked = [WORKSPACE, ...folders(next(4)), end].join("/");
    const rule = ruleFrom(reported.replaceAll("/", separator), picked, WORKSPACE);
    if (rule === undefined) continue;
    rules++;
    assert.equal(led(rule.prefix, rule.folder, reported), picked, `${reported} ${picked}`);
    assert.ok(`${rule.folder}/`.startsWith(`${WORKSPACE}/`), rule.folder);
    assert.match(rule.prefix, /[^/]\/$/);
    for (const hostile of [...HOSTILE, ...HOSTILE.map((path) => `${rule.prefix}${path}`)]) {
      const there = led(rule.prefix, rule.folder, hostile);
      assert.ok(
        there === undefined ||
          (there.startsWith(`${rule.folder}/`) && !there.split("/").includes("..") && !there.includes("\0")),
        JSON.stringify(hostile).slice(0, 200),
      );
    }
  }
  assert.ok(rules > 1_000, String(rules));
});

test("hostile paths and texts that look like others teach nothing", () => {
  for (const hostile of HOSTILE)
    assert.equal(learned(hostile, `${WORKSPACE}/src/x.erl`), undefined, JSON.stringify(hostile).slice(0, 100));
  assert.equal(learned("/app\u202e/src/x.erl", `${WORKSPACE}/src/x.erl`), undefined);
  assert.equal(learned("/a\u001b[2Jpp/src/x.erl", `${WORKSPACE}/src/x.erl`), undefined);
  // Of the alike part none is in the rule.
  assert.equal(learned("/app/src/\u202e/x.erl", `${WORKSPACE}/src/\u202e/x.erl`), `/app/ -> ${WORKSPACE}`);
});

test("the longest prefix wins, folder by folder", () => {
  const rules = setRules({ "/app": "shop", "/app/deps/": null, "/app/deps/own": "own", "/": "all", "lib/": "" });
  const leads = (path: string) =>
    longestMatchesOf(rules, path).map(({ rule, rest }) =>
      rule.folder === null ? "not here" : [rule.folder.path, ...rest].join("/"),
    );
  assert.deepEqual(leads("/app/src/x.erl"), ["shop/src/x.erl"]);
  assert.deepEqual(leads("/app/./src//y/../x.erl"), ["shop/src/x.erl"]);
  assert.deepEqual(leads("/application/x.erl"), ["all/application/x.erl"]);
  assert.deepEqual(leads("/app/deps/jason/lib/jason.ex"), ["not here"]);
  assert.deepEqual(leads("/app/deps/own/lib/own.ex"), ["own/lib/own.ex"]);
  assert.deepEqual(leads("/app/../etc/x.erl"), ["all/etc/x.erl"], "what is left again is not a prefix");
  assert.deepEqual(leads("lib/x.ex"), ["not here"]);
  assert.deepEqual(leads("x.ex"), []);
  for (const hostile of HOSTILE.slice(0, 9))
    for (const there of leads(hostile)) assert.ok(!there.includes(".."), there);
});

test("each entry of the setting counts for itself", () => {
  const folders = (setting: Record<string, unknown>) =>
    setRules(setting).map(({ prefix, folder }) => [folderText(prefix), folder && `${folder.kind} ${folder.path}`]);
  assert.deepEqual(
    folders({
      "/a": "${workspaceFolder}",
      "/b": "${workspaceFolder}/sub",
      "/c": "/opt/c",
      "D:\\d": "C:\\e",
      "/f": "../f",
      "/g": null,
      "/h": "",
    }),
    [
      ["/a/", "relative "],
      ["/b/", "relative sub"],
      ["/c/", "absolute /opt/c"],
      ["D:/d/", "absolute C:\\e"],
      ["/f/", "relative ../f"],
      ["/g/", null],
      ["/h/", null],
    ],
  );
  assert.deepEqual(
    folders({
      "": "a",
      "../x": "a",
      "/n": 1,
      "/o": {},
      "/p": "${env:HOME}/x",
      "/q": "a\0b",
      "/r": "x".repeat(5_000),
      "/good": "a",
    }),
    [["/good/", "relative a"]],
  );
  assert.deepEqual(
    setRules(JSON.parse('{"__proto__": "/etc"}') as Record<string, unknown>).length,
    1,
    "a prefix like any other",
  );
  assert.equal(
    setRules(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/${String(at)}`, "a"]))).length,
    500,
  );
});

test("learned rules are kept, contradicted ones teach nothing more, and each can be forgotten", async () => {
  const kept = new Map<string, unknown>();
  const state = {
    get: <Value>(key: string, otherwise: Value) => (kept.get(key) as Value | undefined) ?? otherwise,
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  };
  const rules = new LearnedRules(state);
  const leads = () =>
    new LearnedRules(state).prefixRules.map(
      ({ prefix, folder }: PrefixRule<string>) => `${folderText(prefix)} ${String(folder)}`,
    );
  assert.equal(await rules.learn({ prefix: "/app/", folder: "file:///a" }), true);
  assert.equal(await rules.learn({ prefix: "/app/", folder: "file:///a" }), false);
  assert.equal(await rules.learn({ prefix: "/app/lib/", folder: "file:///b" }), true);
  assert.deepEqual(leads(), ["/app/ file:///a", "/app/lib/ file:///b"]);
  assert.equal(await rules.learn({ prefix: "/app/", folder: "file:///c" }), true);
  assert.equal(await rules.learn({ prefix: "/app/", folder: "file:///a" }), false, "what was contradicted once");
  assert.deepEqual(leads(), ["/app/lib/ file:///b"]);
  assert.deepEqual(
    rules.all.map(({ prefix, folder }) => [prefix, folder]),
    [
      ["/app/lib/", "file:///b"],
      ["/app/", ""],
    ],
  );
  await rules.forget("/app/");
  assert.equal(await rules.learn({ prefix: "/app/", folder: "file:///c" }), true);
  assert.equal(await rules.forgetAll(), 2);
  assert.deepEqual(leads(), []);
  for (const damaged of ["x", 7, [["a"], [1, 2], null, ["", "b"], ["/x".repeat(9_000), "b"], ["../a", "b"]]]) {
    kept.set("sources.rules", damaged);
    assert.deepEqual(leads(), []);
  }
  for (let at = 0; at < 300; at++) await rules.learn({ prefix: `/p${String(at)}/`, folder: "file:///a" });
  assert.equal(rules.all.length, 200);
});
