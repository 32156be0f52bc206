// The computed checksum of a .beam file, compared with that of Erlang's own `beam_lib`, for every module that OTP and
// Elixir bring: by the editor's module, which is the helper's code.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { BuildsAnswer, FoundBuilds } from "../../contract/editor-module.generated.js";
import { workspaceFiles } from "../../extension/src/builds/workspace-files.js";
import {
  callModule,
  compileModule,
  withLength,
  type CompiledModule,
} from "../../extension/src/editor-module/module-call.js";
import { releasesOf } from "../nightly.mjs";
import { prepareOtp } from "../vms/otp.mjs";

const RELEASES = ["23", "25", "27", "29"] as const;
const FOLDERS = ["/usr/lib/erlang/lib", "/usr/lib/elixir/lib"];
const BOUNDS = { entries: 1_000_000, depth: 40, bytes: 1 << 30 };
/** A capture contains no more modules. */
const AT_A_TIME = 4000;

let module: CompiledModule;
before(async () => {
  module = await compileModule(await readFile("dist/editor-module/editor-module.wasm"));
});

async function found(folder: string, modules: Record<string, string>): Promise<FoundBuilds> {
  const facts = { release: "", version: "", libraries: {}, modules, replaced: [], cut: false };
  const { files, contents } = await workspaceFiles(folder, facts, BOUNDS);
  const bytes = await callModule(module, "builds", [withLength(JSON.stringify({ facts, files })), ...contents]);
  const answer = JSON.parse(new TextDecoder().decode(bytes)) as BuildsAnswer;
  if (answer.type === "failed") throw new Error(answer.value);
  return answer.value;
}

for (const release of releasesOf(RELEASES, "27")) {
  test(`OTP ${release}`, async (t) => {
    const otp = await prepareOtp(release);
    for (const folder of FOLDERS.filter((each) => existsSync(otp.hostPath(each)))) {
      const program = `[case beam_lib:md5(F) of {ok, {M, D}} -> io:format("~ts ~s~n", [M, [io_lib:format("~2.16.0b", [B]) || <<B>> <= D]]); _ -> ok end || F <- filelib:wildcard("${folder}/*/ebin/*.beam")], halt().`;
      const [command, ...args] = otp.wrap(["/usr/bin/erl", "-noshell", "-eval", program]);
      const told = execFileSync(command, args, { encoding: "utf8", maxBuffer: 64 << 20 })
        .trim()
        .split("\n");
      assert.ok(told.length > 100);
      let matching = 0;
      for (let at = 0; at < told.length; at += AT_A_TIME) {
        const modules = Object.fromEntries(
          told.slice(at, at + AT_A_TIME).map((line) => line.split(" ") as [string, string]),
        );
        const { builds, unreadable } = await found(otp.hostPath(folder), modules);
        assert.deepEqual(unreadable, []);
        assert.deepEqual(
          builds.flatMap(({ differing }) => differing),
          [],
        );
        matching += builds.reduce((sum, build) => sum + build.matching, 0);
      }
      t.diagnostic(`${folder}: ${String(told.length)} modules`);
      assert.equal(matching, new Set(told).size);
    }
  });
}
