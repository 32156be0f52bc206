// The demo shops, in Erlang and in Elixir: how each is compiled, and the command that runs it.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { lastLines, run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { Problem } from "./problem.mjs";
import { ROOT } from "./project.mjs";
import { DEMO_REQUIREMENTS, ELIXIR_DEMO_REQUIREMENTS } from "./system-packages.mjs";

/**
 * @typedef {object} RunnableDemo
 * @property {() => Promise<string>} compile   when its sources or the compiler changed; returns a summary of the work
 * @property {() => {command: string, args: string[], cwd: string}} command
 *   runs it; it prints `ready PID` once it serves its customers, and ends when its input ends, so it never outlives the
 *   process that started it, however that one ends
 *
 * @typedef {RunnableDemo & DemoProject} DemoProgram
 *
 * @typedef {object} DemoProject
 * @property {string} project       the folder an editor opens
 * @property {string} firstFile     of the project, to be opened first
 * @property {import("./system-packages.mjs").Requirement[]} requirements
 */

const COMPILED = "dist/demo/ebin";
const ELIXIR_BUILD = "dist/demo-elixir";
const BOOT = `
{ok, _} = application:ensure_all_started(demo),
spawn(fun() -> _ = io:get_line(""), init:stop() end),
io:format("ready ~s~n", [os:getpid()]).
`.replaceAll("\n", " ");
/** Starts these applications, and first those that they need. @param {string[]} applications */
const elixirBoot = (applications) => `
${applications.map((name) => `{:ok, _} = Application.ensure_all_started(:${name})`).join("\n")}
spawn(fn -> IO.gets(""); System.stop() end)
IO.puts("ready #{System.pid()}")
Process.sleep(:infinity)
`;

/** @param {string[]} [more] flags @returns {{command: string, args: string[], cwd: string}} */
const erlangCommand = (more = []) => ({
  command: programOf("erl"),
  args: ["-noshell", ...more, "-pa", join(ROOT, COMPILED), "-eval", BOOT],
  cwd: ROOT,
});
const compileErlangDemo = () => whenChanged("demo", "erlc", dirname(COMPILED), compileErlang);

/**
 * The shop in Erlang with customers that rest that long each time, and schedulers that then sleep at once.
 * @param {number} pauseMs @returns {RunnableDemo}
 */
export const restingErlangDemo = (pauseMs) => ({
  compile: compileErlangDemo,
  command: () => erlangCommand(["+sbwt", "none", "-demo", "pause_ms", String(pauseMs)]),
});

/** `unhurried`: the same with customers that rest most of the time. @type {DemoProgram & {unhurried: RunnableDemo}} */
export const ERLANG_DEMO = {
  project: "demo",
  firstFile: "src/demo_pricing.erl",
  requirements: DEMO_REQUIREMENTS,
  compile: compileErlangDemo,
  command: () => erlangCommand(),
  unhurried: restingErlangDemo(250),
};

/**
 * The shop in Erlang as it is in a folder that holds a copy of it, changed perhaps.
 * @param {string} folder   with the copy in `demo`
 * @returns {RunnableDemo}
 */
export function erlangDemoIn(folder) {
  const { command, args } = ERLANG_DEMO.unhurried.command();
  return {
    compile: async () => {
      mkdirSync(join(folder, "ebin"), { recursive: true });
      const sources = readdirSync(join(folder, "demo/src")).filter((name) => name.endsWith(".erl"));
      // Started in the folder: the VM's line tables then name the files as seen from there.
      const { code, stdout, stderr } = await run(
        programOf("erlc"),
        ["+debug_info", "-o", "ebin", ...sources.map((name) => `demo/src/${name}`)],
        { cwd: folder },
      );
      if (code !== 0)
        throw new Problem(
          "the copy of the demo does not compile",
          lastLines(stdout + stderr),
          `look at ${folder}/demo/src`,
        );
      copyFileSync(join(folder, "demo/src/demo.app.src"), join(folder, "ebin/demo.app"));
      return "compiled";
    },
    command: () => ({
      command,
      args: args.map((arg, index) => (args[index - 1] === "-pa" ? join(folder, "ebin") : arg)),
      cwd: folder,
    }),
  };
}

/** An umbrella of two applications with a dependency, macros and a protocol. @type {DemoProgram} */
export const ELIXIR_DEMO = {
  project: "demo-elixir",
  firstFile: "apps/till/lib/till/pricing.ex",
  requirements: ELIXIR_DEMO_REQUIREMENTS,
  compile: () => whenChanged("demo-elixir", "mix", ELIXIR_BUILD, compileElixir),
  command: () => ({
    command: programOf("elixir"),
    args: [...elixirFolders(), "-e", elixirBoot(["reports"])],
    cwd: ROOT,
  }),
};

/** Both shops in one VM, as in a project that has come to hold both languages. @type {RunnableDemo} */
export const MIXED_DEMO = {
  compile: async () => `${await ERLANG_DEMO.compile()}, ${await ELIXIR_DEMO.compile()}`,
  command: () => ({
    command: programOf("elixir"),
    args: ["-pa", join(ROOT, COMPILED), ...elixirFolders(), "-e", elixirBoot(["demo", "reports"])],
    cwd: ROOT,
  }),
};

function elixirFolders() {
  const folders = ["reports", "till", "money"].flatMap((name) => [
    "-pa",
    join(ROOT, ELIXIR_BUILD, "dev/lib", name, "ebin"),
  ]);
  // Protocols are consolidated, as in a release; the folder named last comes first.
  return [...folders, "-pa", join(ROOT, ELIXIR_BUILD, "dev/consolidated")];
}

/** @param {string} name */
function programOf(name) {
  const found = findProgram(name);
  if (found === null)
    throw new Problem(
      `${name} is missing`,
      "the demo needs it",
      `sudo apt-get install ${name.startsWith("erl") ? "erlang-base" : "elixir"}`,
    );
  return found;
}

/**
 * @param {string} project
 * @param {string} compilerName
 * @param {string} output         made anew by `compile`
 * @param {(compiler: string, output: string, sources: string[]) => Promise<void>} compile
 */
async function whenChanged(project, compilerName, output, compile) {
  const compiler = programOf(compilerName);
  const sources = readdirSync(join(ROOT, project), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(erl|app\.src|exs?)$/.test(name))
    .sort();
  const real = realpathSync(compiler);
  const hash = createHash("sha256").update(`${real} ${String(statSync(real).mtimeMs)}`);
  for (const name of sources) hash.update(name).update(readFileSync(join(ROOT, project, name)));
  const wanted = hash.digest("hex");
  const stamp = join(ROOT, output, "compiled");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return "ready";
  rmSync(join(ROOT, output), { recursive: true, force: true });
  mkdirSync(join(ROOT, output), { recursive: true });
  await compile(
    compiler,
    output,
    sources.map((name) => join(project, name)),
  );
  writeFileSync(stamp, wanted);
  return "compiled";
}

/** @param {string} compiler @param {string} _output @param {string[]} sources */
async function compileErlang(compiler, _output, sources) {
  mkdirSync(join(ROOT, COMPILED), { recursive: true });
  // Started in ROOT: the VM's line tables then name the files as seen from here.
  const { code, stdout, stderr } = await run(
    compiler,
    ["+debug_info", "-o", COMPILED, ...sources.filter((name) => name.endsWith(".erl"))],
    { cwd: ROOT },
  );
  if (code !== 0)
    throw new Problem(
      "the demo does not compile",
      lastLines(stdout + stderr),
      "check which OTP `erl` starts: 25 or 27",
    );
  copyFileSync(join(ROOT, "demo/src/demo.app.src"), join(ROOT, COMPILED, "demo.app"));
}

/** @param {string} mix @param {string} output */
async function compileElixir(mix, output) {
  // Nothing is fetched: the one dependency is a folder beside the applications.
  const env = {
    ...process.env,
    MIX_ENV: "dev",
    MIX_BUILD_ROOT: join(ROOT, output),
    MIX_HOME: join(ROOT, output, "mix"),
    HEX_OFFLINE: "1",
  };
  const { code, stdout, stderr } = await run(mix, ["compile"], { cwd: join(ROOT, "demo-elixir"), env });
  if (code !== 0)
    throw new Problem("the Elixir demo does not compile", lastLines(stdout + stderr), "cd demo-elixir && mix compile");
}
