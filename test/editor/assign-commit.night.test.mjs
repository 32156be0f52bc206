// A capture of a VM that runs a build of the workspace, taken where no repository was: Assign Commit offers the commit
// with the reason, and the choice is written to the file and shown.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { HELPER } from "../e2e/helper.mjs";
import { scene } from "./scene.mjs";
import { captureRow, chooseFromMenu, closePicker, pickerRow } from "./workbench.mjs";

const EBIN = "_build/prod/lib/demo/ebin";
const RELEASE = "_build/prod/releases/1.2.3";

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  return execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
}

/** The demo as a commit with a tag, built. @param {string} folder */
function commitAndBuild(folder) {
  writeFileSync(join(folder, ".gitignore"), "_build\ncaptures\n.vscode\n");
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "the shop");
  git(folder, "tag", "v1.2.3");
  mkdirSync(join(folder, EBIN), { recursive: true });
  mkdirSync(join(folder, RELEASE), { recursive: true });
  const sources = readdirSync(join(folder, "demo/src")).filter((name) => name.endsWith(".erl"));
  execFileSync("erlc", [
    "+debug_info",
    "-o",
    join(folder, EBIN),
    ...sources.map((name) => join(folder, "demo/src", name)),
  ]);
  copyFileSync(join(folder, "demo/src/demo.app.src"), join(folder, EBIN, "demo.app"));
  copyFileSync("/usr/lib/erlang/bin/start_clean.boot", join(folder, RELEASE, "start.boot"));
}

/** The VM has ended when this is done: it would keep a processor busy beside the editor. @param {string} folder */
async function recordServer(folder) {
  const program =
    '{ok, _} = application:ensure_all_started(demo), io:format("~s~n", [os:getpid()]), io:get_line(""), halt().';
  const child = spawn(
    "erl",
    ["-boot", join(folder, RELEASE, "start"), "-noshell", "-pa", join(folder, EBIN), "-eval", program],
    { cwd: "/", stdio: ["pipe", "pipe", "inherit"] },
  );
  try {
    const pid = String(await new Promise((resolve) => child.stdout.once("data", resolve))).trim();
    mkdirSync(join(folder, "captures"));
    execFileSync(HELPER, ["record", pid, "-d", "2", "-o", join(folder, "captures/server.pb.gz")], {
      cwd: "/",
      stdio: "ignore",
    });
  } finally {
    child.kill("SIGKILL");
  }
}

describe("Assign Commit", () => {
  const here = scene({
    prepare: async (folder) => {
      commitAndBuild(folder);
      await recordServer(folder);
    },
  });
  const { step } = here;
  const rows = () => here.editor.page.locator(".quick-input-list .monaco-list-row");
  /** The capture's record of its commit. @returns {any} */
  const origin = () => {
    const told = readProfile(join(here.folder, "captures/server.pb.gz")).comments.findLast(
      (/** @type {string} */ comment) => comment.startsWith("extrospect/origin "),
    );
    return told === undefined ? undefined : JSON.parse(told.slice("extrospect/origin ".length));
  };
  const open = async () => {
    await here.editor.showViews();
    await chooseFromMenu(here.editor, captureRow(here.editor, "server"), "Assign Commit", {
      leadsTo: pickerRow(here.editor, "Another commit, branch or tag"),
    });
  };

  step("the matching build comes first, then the tag of the release, then the rest", async () => {
    const { editor, folder } = here;
    assert.equal(origin(), undefined);
    await open();
    const head = git(folder, "rev-parse", "HEAD");
    const shown = (await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
    assert.match(
      shown[0] ?? "",
      new RegExp(`^Build in _build/prod matches\\s?(\\d+) of \\1 modules · HEAD ${head.slice(0, 7)} · clean$`),
    );
    assert.match(shown[1] ?? "", new RegExp(`^Tag v1\\.2\\.3, the release's version\\s?${head.slice(0, 7)}$`));
    assert.match(shown[2] ?? "", /^Another commit/);
    assert.match(shown[3] ?? "", /the shop$/);
    await editor.screenshot("assign-commit");
    await closePicker(editor);
    assert.equal(origin(), undefined, "nothing is assigned by itself");
  });

  step("the file has the selected commit, and the list shows it with the release", async () => {
    const { editor, folder } = here;
    await open();
    await pickerRow(editor, "Build in _build/prod matches").click();
    await until("the commit in the file", () => origin() !== undefined);
    const head = git(folder, "rev-parse", "HEAD");
    assert.deepEqual([origin().commit, origin().dirty, origin().assigned], [head, false, true]);
    const row = captureRow(editor, "server");
    await until("commit and release in the row", async () => {
      const label = (await row.getAttribute("aria-label")) ?? "";
      return label.includes(head.slice(0, 7)) && (await row.innerText()).includes("1.2.3");
    });
    await editor.screenshot("assigned-commit");
  });

  step("a source that changed since has a note, and the tag comes first", async () => {
    const { editor, folder } = here;
    writeFileSync(join(folder, "demo/src/demo_pricing.erl"), "% changed\n", { flag: "a" });
    await open();
    const shown = (await rows().allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
    assert.match(shown[0] ?? "", /^Tag v1\.2\.3/);
    assert.match(
      shown[1] ?? "",
      /^Build in _build\/prod matches.* · with changes.*Changed since it was built: demo\/src\/demo_pricing\.erl\.$/,
    );
    await editor.screenshot("assign-commit-changed");
    await closePicker(editor);
  });
});
