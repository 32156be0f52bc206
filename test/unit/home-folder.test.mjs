// Caches lie in the user's home, whatever the environment lacks: never in the folder where a program runs.
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { cacheFolder } from "../../scripts/cache-folder.mjs";
import { homeFolder } from "../../scripts/home-folder.mjs";

/** What a function gives in an environment; nothing waits, so that no other test sees it. @param {Record<string, string | undefined>} env @param {() => string} look */
function inEnvironment(env, look) {
  const before = Object.keys(env).map((name) => /** @type {const} */ ([name, process.env[name]]));
  const set = (/** @type {string} */ name, /** @type {string | undefined} */ value) => {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  };
  for (const [name, value] of Object.entries(env)) set(name, value);
  try {
    return look();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}

test("the home folder is that of the environment where it is absolute, else that of the system", () => {
  assert.equal(inEnvironment({ HOME: "/some where/Größe" }, homeFolder), "/some where/Größe");
  for (const HOME of [undefined, "", "home", "./"])
    assert.equal(inEnvironment({ HOME }, homeFolder), userInfo().homedir, `HOME is ${String(HOME)}`);
});

test("caches are where the user wants them, unless that is a relative path", () => {
  assert.equal(inEnvironment({ XDG_CACHE_HOME: "/caches" }, cacheFolder), "/caches/extrospect");
  for (const XDG_CACHE_HOME of [undefined, "", "caches"])
    assert.equal(inEnvironment({ XDG_CACHE_HOME, HOME: "/home/a" }, cacheFolder), "/home/a/.cache/extrospect");
});
