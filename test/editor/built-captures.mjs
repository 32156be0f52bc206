// Captures with any content, for tests of content that must not be trusted.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../../scripts/project.mjs";

const BUILDER = "test/unit/capture/profile-builder.ts";

/**
 * @typedef {object} BuiltFunction
 * @property {string} name        as shown
 * @property {string} [rawName]   with its kind, as in our files: `erlang!lists:sort/1`
 * @property {string} [file]
 * @property {number} [line]
 *
 * @typedef {object} BuiltCapture
 * @property {BuiltFunction[]} functions      each has samples of its own, the first ones the most
 * @property {Record<string, unknown>} [target]  the facts of the VM
 */

/** The bytes of a capture file. @param {BuiltCapture} capture @returns {Promise<Buffer>} */
export async function builtCapture({ functions, target = {} }) {
  const { ProfileBuilder } = await profileBuilder();
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .type("cpu", "nanoseconds")
    .periodType("cpu", "nanoseconds", 1_000_000);
  profile
    .comment(`extrospect/target ${JSON.stringify({ pid: 7, otp_release: "25", ...target })}`)
    .comment('extrospect/settings {"frequency_hz":1000}');
  for (const [index, { name, rawName = `erlang!${name}`, file = "", line = 0 }] of functions.entries()) {
    const samples = functions.length - index;
    profile.function(index + 1, name, rawName, file, line).location(index + 1, [[index + 1, line]]);
    profile.sample({ locations: [index + 1], values: [samples, samples * 1_000_000] });
  }
  return profile.gzip();
}

/** @returns {Promise<typeof import("../unit/capture/profile-builder.js")>} */
async function profileBuilder() {
  const { build } = await import("esbuild");
  const outfile = join(ROOT, "dist/test-editor/profile-builder.mjs");
  await build({
    absWorkingDir: ROOT,
    entryPoints: [BUILDER],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "error",
  });
  return import(pathToFileURL(outfile).href);
}
