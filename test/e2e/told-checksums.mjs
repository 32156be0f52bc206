// A VM that reports the checksums of its modules, and a capture of it compared with them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readProfile } from "../pprof-reader.mjs";
import { IDLE_SLEEPS } from "../vms/idle-sleeps.mjs";
import { record, temporaryFolder } from "./helper.mjs";

/** Works through many modules for a part of the time, and prints the checksum of every one that is loaded for each line it reads. */
const WORK = `
  Work = fun Work() ->
    L = [rand:uniform(1000) || _ <- lists:seq(1, 300)],
    D = dict:from_list([{X, X} || X <- L]), T = gb_trees:from_orddict(orddict:from_list([{X, X} || X <- L])),
    _ = {dict:size(D), gb_trees:size(T), sets:size(sets:from_list(L)), queue:len(queue:from_list(L)), array:size(array:from_list(L))},
    S = lists:flatten(io_lib:format("~p", [L])), {ok, Tokens, _} = erl_scan:string(S ++ "."), {ok, _} = erl_parse:parse_exprs(Tokens),
    _ = {string:uppercase(S), base64:encode(S), unicode:characters_to_binary(S), lists:sort(L), maps:from_list([{X, 1} || X <- L])},
    timer:sleep(10),
    Work()
  end,
  spawn(Work),
  Tell = fun Tell() ->
    case io:get_line("") of
      eof -> halt();
      _ -> [io:format("~ts ~s~n", [M, [io_lib:format("~2.16.0b", [B]) || <<B>> <= M:module_info(md5)]]) || {M, _} <- code:all_loaded()],
           io:format("end~n"), Tell()
    end
  end,
  Tell().`;

/**
 * A VM that works, until the test is over.
 * @param {import("node:test").TestContext} t
 * @param {import("../vms/otp.mjs").OtpInstallation} otp
 * @param {string[]} [flags]
 * @param {Record<string, string>} [env]
 */
export async function workingVm(t, otp, flags = [], env = {}) {
  const [command, ...args] = otp.wrap(["/usr/bin/erl", "-noshell", ...IDLE_SLEEPS, ...flags, "-eval", WORK]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...env } });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  /** @returns {Promise<Map<string, string>>} */
  const checksums = async () => {
    child.stdin.write("\n");
    const told = new Map();
    for (let next = await lines.next(); !next.done && next.value !== "end"; next = await lines.next()) {
      const [module = "", md5 = ""] = next.value.split(" ");
      told.set(module, md5);
    }
    return told;
  };
  // It is up when it answers.
  assert.ok((await checksums()).size > 50);
  return { pid: child.pid ?? 0, checksums };
}

/** @param {string} file @returns {any} the capture's facts about the build */
export function buildOf(file) {
  const told = readProfile(file).comments.filter((/** @type {string} */ comment) =>
    comment.startsWith("extrospect/build "),
  );
  assert.equal(told.length, 1, "the last one is kept");
  return JSON.parse((told[0] ?? "").slice("extrospect/build ".length));
}

/**
 * Every module that a capture names has the checksum that the VM itself reports.
 * @param {import("node:test").TestContext} t
 * @param {import("../vms/otp.mjs").OtpInstallation} otp
 */
export async function checksumsAreTheVms(t, otp) {
  const vm = await workingVm(t, otp);
  const file = join(temporaryFolder(t), "a.pb.gz");
  await record(vm.pid, { seconds: 3, hz: 999, file });
  const { modules, replaced, cut } = buildOf(file);
  const told = await vm.checksums();
  const names = Object.keys(modules);
  t.diagnostic(`${names.length} modules of ${told.size}`);
  assert.ok(names.length >= 8, names.join(" "));
  for (const module of names) assert.equal(modules[module], told.get(module), module);
  for (const module of ["lists", "erl_scan"]) assert.ok(module in modules, module);
  // Every module that has a named function, except those that the VM does not count as loaded.
  const frames = readProfile(file).samples.flatMap(({ frames: stack }) => stack);
  const named = new Set(
    frames
      .filter(({ kind, rawName }) => kind === "erlang" && rawName.includes(":"))
      .map(({ rawName }) => rawName.split(":")[0] ?? ""),
  );
  for (const module of named)
    assert.ok(module in modules || !told.has(module), `${module} is named without a checksum`);
  assert.deepEqual([replaced, cut], [[], false]);
}
