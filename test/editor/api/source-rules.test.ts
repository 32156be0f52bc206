// A VM whose code was compiled in a folder that is not here any more, as in a release or a container, and the rules that lead from there into the workspace.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { ProfileBuilder } from "../../unit/capture/profile-builder.js";
import {
  api,
  endedBy,
  eventually,
  figuresOf,
  hoverOf,
  isDoneWithin,
  messagesDuring,
  shopFile,
  tidied,
  unescaped,
  type Attached,
} from "./demo-shop.js";

/** For a command that waits for no answer, on a busy machine. */
const DONE_MS = 30_000;
/** How long a question must have waited to be one. */
const WAITING_MS = 1_500;
const BEST_PRICE = "demo_pricing:best_price/2";
const BOOT = `{ok, _} = application:ensure_all_started(demo), spawn(fun() -> _ = io:get_line(""), init:stop() end), io:format("ready~n").`;

const settings = () => vscode.workspace.getConfiguration("extrospect");
const setPrefixes = (prefixes: object | undefined) =>
  settings().update("sourcePrefixes", prefixes, vscode.ConfigurationTarget.Workspace);
const open = (functionName: string) => vscode.commands.executeCommand("extrospect.openSource", { functionName });
const activeFile = () => vscode.window.activeTextEditor?.document.uri.toString();
const hasLenses = async (path: string) => (await figuresOf(shopFile(path))).size > 0;

interface Row {
  readonly label: string;
  readonly description?: string;
}

/** Answers pickers during some work, each with the row that its function chooses. @returns the rows of each */
async function answering(
  answers: readonly ((rows: readonly Row[]) => Row | undefined)[],
  work: () => Thenable<unknown>,
): Promise<string[][]> {
  const shown: string[][] = [];
  const { showQuickPick } = vscode.window;
  Object.assign(vscode.window, {
    showQuickPick: (rows: readonly Row[]) => {
      const answer = answers[shown.length]?.(rows);
      shown.push(rows.map(({ label, description = "" }) => `${label} ${description}`.trim()));
      return Promise.resolve(answer);
    },
  });
  try {
    await work();
  } finally {
    Object.assign(vscode.window, { showQuickPick });
  }
  return shown;
}

describe("a release that was built in a folder that is gone", () => {
  const built = mkdtempSync(join(tmpdir(), "extrospect-release-"));
  const app = join(built, "build/app");
  let vm: ChildProcess | undefined;
  const pricing = (copy: string) => `${copy}/src/demo_pricing.erl`;

  before(async () => {
    cpSync(shopFile("demo/src").fsPath, join(app, "src"), { recursive: true });
    mkdirSync(join(built, "ebin"));
    const sources = readdirSync(join(app, "src")).filter((name) => name.endsWith(".erl"));
    execFileSync("erlc", ["-o", join(built, "ebin"), ...sources.map((name) => join(app, "src", name))]);
    copyFileSync(join(app, "src/demo.app.src"), join(built, "ebin/demo.app"));
    rmSync(app, { recursive: true });
    // Two versions side by side: the paths do not show which of them runs.
    for (const version of ["one", "two"])
      cpSync(shopFile("demo/src").fsPath, shopFile(`versions/${version}/src`).fsPath, { recursive: true });
    vm = spawn("erl", ["-noshell", "-pa", join(built, "ebin"), "-eval", BOOT], { stdio: ["pipe", "pipe", "inherit"] });
    assert.ok(vm.stdout);
    await once(vm.stdout, "data");
    const { recording } = await api();
    assert.ok(
      await vscode.commands.executeCommand<Attached | undefined>("extrospect.attach", {
        pid: vm.pid,
        durationSeconds: 3,
        frequencyHz: 499,
      }),
    );
    await eventually("the end of the capture", () => recording.phase === "ended" && !recording.isCapturing);
  });
  after(async () => {
    vm?.stdin?.end();
    vm?.kill("SIGKILL");
    await setPrefixes(undefined);
    await messagesDuring(() => vscode.commands.executeCommand("extrospect.forgetSources"));
    await tidied();
    for (const folder of [built, shopFile("versions").fsPath]) rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  async function ruleInHover(copy: string): Promise<string> {
    const [line] = (await figuresOf(shopFile(pricing(copy)))).keys();
    assert.ok(line !== undefined);
    const { captures } = await api();
    const capture = captures.current?.capture;
    const index = capture?.functionNamed(BEST_PRICE) ?? -1;
    const [hot] = [...(capture?.functionLines(index) ?? [])]
      .filter((each) => each.line > 0)
      .sort((a, b) => b.total - a.total);
    assert.ok(hot);
    return unescaped(await hoverOf(shopFile(pricing(copy)), hot.line - 1));
  }

  it("without a rule, the user selects the file", async () => {
    const opening = open(BEST_PRICE);
    assert.equal(await isDoneWithin(WAITING_MS, opening), false, "the question waits");
    await endedBy("workbench.action.closeQuickOpen", opening);
    for (const copy of ["demo", "versions/one", "versions/two"])
      assert.equal(await hasLenses(pricing(copy)), false, copy);
  });

  it("a setting leads into the folder that it names, with a message", async () => {
    await setPrefixes({ [join(built, "build")]: "nowhere", [`${app}/`]: "versions/one" });
    await eventually("lenses", () => hasLenses(pricing("versions/one")));
    for (const copy of ["demo", "versions/two"]) assert.equal(await hasLenses(pricing(copy)), false, copy);
    const hover = await ruleInHover("versions/one");
    assert.ok(hover.includes(`Found by the rule ${app}/ → versions/one of the settings.`), hover);
    assert.ok(await isDoneWithin(DONE_MS, open(BEST_PRICE)), "there is no prompt");
    assert.equal(activeFile(), shopFile(pricing("versions/one")).toString());
  });

  it("a file that a rule leads to is not used if it is missing or of another module, and the prompt names the rule", async () => {
    await setPrefixes({ [app]: "versions/three" });
    mkdirSync(shopFile("versions/four/src").fsPath, { recursive: true });
    writeFileSync(shopFile(pricing("versions/four")).fsPath, "-module(other).\n");
    const asked: string[] = [];
    const { showQuickPick } = vscode.window;
    Object.assign(vscode.window, {
      showQuickPick: (_: unknown, { placeHolder = "" }: vscode.QuickPickOptions) =>
        Promise.resolve(void asked.push(placeHolder)),
    });
    try {
      await open(BEST_PRICE);
      await setPrefixes({ [app]: "${workspaceFolder}/versions/four" });
      await open(BEST_PRICE);
    } finally {
      Object.assign(vscode.window, { showQuickPick });
    }
    assert.match(asked[0] ?? "", /versions\/three of the settings leads to a file that does not exist\.$/);
    assert.match(
      asked[1] ?? "",
      /versions\/four of the settings leads to a file of another module, which is not used\.$/,
    );
    assert.equal(activeFile(), undefined);
  });

  it("a source that the user declares missing is not guessed, and is no own code", async () => {
    const { captures } = await api();
    const isOwn = async () => {
      // Lenses appear once the own code is known.
      await figuresOf(shopFile(pricing("demo")));
      const capture = captures.current?.capture;
      return capture?.isOwnCode(capture.functionNamed(BEST_PRICE));
    };
    await eventually("own code", async () => (await isOwn()) === true);
    await setPrefixes({ [app]: null });
    await eventually("no own code", async () => (await isOwn()) === false);
    const [said = ""] = await messagesDuring(() => open(BEST_PRICE));
    assert.ok(said.includes(`According to the settings, files below ${app}/ are not here.`), said);
    await setPrefixes(undefined);
    await eventually("own code again", async () => (await isOwn()) === true);
  });

  it("one pick teaches a rule: the second file needs no question", async () => {
    const two = (rows: readonly Row[]) => rows.find(({ label }) => label.includes("versions/two"));
    await answering([two], () => open(BEST_PRICE));
    assert.equal(activeFile(), shopFile(pricing("versions/two")).toString());
    assert.ok(await isDoneWithin(DONE_MS, open("demo_stock:fetch/1")), "there is no prompt");
    assert.equal(activeFile(), shopFile("versions/two/src/demo_stock.erl").toString());
    await eventually("lenses", () => hasLenses("versions/two/src/demo_stock.erl"));
    assert.equal(await hasLenses("versions/one/src/demo_stock.erl"), false);
  });

  it("the rule is listed, becomes a setting, and settings come before it", async () => {
    const rule = (rows: readonly Row[]) => rows.find(({ label }) => label.includes(`${app}/`));
    const write = (rows: readonly Row[]) => rows.find(({ label }) => label.includes("Add to Settings"));
    const [listed] = await answering([rule], () => vscode.commands.executeCommand("extrospect.sourceRules"));
    assert.deepEqual(listed?.slice(0, -1), [`$(lightbulb) ${app}/ → versions/two learned from a file that you picked`]);
    await messagesDuring(() =>
      answering([rule, write], () => vscode.commands.executeCommand("extrospect.sourceRules")),
    );
    assert.deepEqual({ ...settings().get<object>("sourcePrefixes") }, { [`${app}/`]: "versions/two" });
    const [then] = await answering([], () => vscode.commands.executeCommand("extrospect.sourceRules"));
    assert.deepEqual(then?.slice(0, -1), [`$(settings-gear) ${app}/ → versions/two setting`]);
    await setPrefixes({ [app]: "versions/one" });
    await eventually("the other version", () => hasLenses("versions/one/src/demo_stock.erl"));
    assert.equal(await hasLenses("versions/two/src/demo_stock.erl"), false);
  });
});

describe("a source that lies here at a path that a capture of elsewhere names", () => {
  const root = mkdtempSync(join(tmpdir(), "extrospect-elsewhere-"));
  const source = join(root, "otp/lib/made_up-1.0/src/made_up_module.erl");
  const NAME = "made_up_module:run/0";
  before(() => {
    mkdirSync(dirname(source), { recursive: true });
    writeFileSync(source, "-module(made_up_module).\n-export([run/0]).\nrun() -> ok.\n");
  });
  after(async () => {
    await setPrefixes(undefined);
    await tidied();
    rmSync(root, { recursive: true, force: true });
  });
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  /** Opens a capture of a host in which the function begins at a line. */
  async function shown(
    host: string,
    headLine: number,
    { emulator = process.execPath, otp = join(root, "otp") } = {},
  ): Promise<void> {
    const target = { pid: 7, otp_release: "25", host, command: `${emulator} -- -root ${otp} -noshell` };
    const profile = new ProfileBuilder()
      .type("samples", "count")
      .comment(`extrospect/target ${JSON.stringify(target)}`);
    profile
      .function(1, NAME, `erlang!${NAME}`, "made_up_module.erl", headLine)
      .location(1, [[1, headLine]])
      .sample({ locations: [1], values: [5] })
      .function(2, "scan", "nif!scan", "/build/scan/scan.c", 1)
      .location(2, [[2, 2]])
      .sample({ locations: [2], values: [5] });
    const capture = vscode.Uri.file(join(root, `${host}-${String(headLine)}-${String(Date.now())}.pb.gz`));
    writeFileSync(capture.fsPath, profile.gzip());
    await vscode.commands.executeCommand("extrospect.openCapture", { uri: capture });
  }

  it("is taken when it is proven, or when the capture is of this machine", async () => {
    await shown("elsewhere", 3);
    await open(NAME);
    assert.equal(activeFile(), vscode.Uri.file(source).toString(), "its text proves it");
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await shown(hostname(), 2);
    await open(NAME);
    assert.equal(activeFile(), vscode.Uri.file(source).toString(), "edited since, but it is that file");
  });

  it("is not used only because it exists", async () => {
    for (const [host, emulator] of [
      ["elsewhere", process.execPath],
      ["", process.execPath],
      [hostname(), "/opt/container/erts-13/bin/beam.smp"],
    ] as const) {
      await shown(host, 2, { emulator });
      const [said = ""] = await messagesDuring(() => open(NAME));
      assert.match(said, /^The source of made_up_module is not in this workspace/);
      assert.equal(activeFile(), undefined);
    }
  });

  it("a rule for an installation leads to a checkout, and one for a folder of C to own code", async () => {
    mkdirSync(shopFile("native/scanner").fsPath, { recursive: true });
    writeFileSync(shopFile("native/scanner/scan.c").fsPath, "int scan(void) {\n  return 1;\n}\n");
    const { captures } = await api();
    const isOwn = () => {
      const capture = captures.current?.capture;
      return capture?.isOwnCode(capture.functionNamed("scan"));
    };
    try {
      await shown("elsewhere", 2, { otp: "/nowhere/otp" });
      await vscode.commands.executeCommand("vscode.open", shopFile("native/scanner/scan.c"));
      assert.equal((await figuresOf(shopFile("native/scanner/scan.c"))).size, 0);
      assert.equal(isOwn(), false);
      await setPrefixes({ "/nowhere/otp/": join(root, "otp"), "/build/scan": "native/scanner" });
      await open(NAME);
      assert.equal(activeFile(), vscode.Uri.file(source).toString());
      await eventually("own code", () => isOwn() === true);
      await eventually("a lens in C", async () => (await figuresOf(shopFile("native/scanner/scan.c"))).size === 1);
    } finally {
      rmSync(shopFile("native").fsPath, { recursive: true, force: true });
    }
  });
});
