// Several VMs on several machines under one start and one stop, in the workbench: two hosts by a real sshd each, and this machine.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { restingErlangDemo } from "../../scripts/demo-programs.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { FarMachine } from "../hosts/far-machine.mjs";
import { Sshd } from "../hosts/sshd.mjs";
import { readProfile } from "../pprof-reader.mjs";
import { until } from "../until.mjs";
import { namedAlone } from "../vms/vm.mjs";
import { scene } from "./scene.mjs";
import {
  clickUntil,
  closePicker,
  lensesShown,
  openFile,
  pickerRow,
  rowOnHost,
  samplesIn,
  webview,
} from "./workbench.mjs";

const MACHINES = ["west", "east"];
const NODES = ["till@here", "shop@west", "stock@west", "shop@east"];

/** There are four: each rests nearly always. */
const DEMO = restingErlangDemo(1_000);

/** The demo as a node of that name, where a command runs that begins so. @param {string} node @param {string[]} there */
function demoNode(node, there = []) {
  const { command, args, cwd } = DEMO.command();
  const [program = command, ...words] = [...there, command, ...namedAlone(node), ...args];
  return startDemo({ compile: DEMO.compile, command: () => ({ command: program, args: words, cwd }) });
}

describe("VMs on several hosts", () => {
  const shim = mkdtempSync(join(tmpdir(), "extrospect-ssh-"));
  /** @type {(() => unknown)[]} */
  const undo = [() => rmSync(shim, { recursive: true })];
  const afterwards = { after: (/** @type {() => unknown} */ one) => undo.push(one) };
  before(async () => {
    /** @type {Sshd | undefined} */
    let first;
    for (const name of MACHINES) {
      const machine = await FarMachine.start(afterwards, name);
      const sshd = await Sshd.start(afterwards, { asRoot: true, machine });
      first ??= sshd;
      sshd.alsoFor(first, name);
      for (const node of NODES.filter((one) => one.endsWith(`@${name}`))) {
        const vm = await demoNode(node, machine.there);
        undo.push(() => vm.stop());
      }
    }
    symlinkSync(/** @type {Sshd} */ (first).ssh, join(shim, "ssh"));
    const here = await demoNode("till@here");
    undo.push(() => here.stop());
  });
  const here = scene({ machineSettings: { "extrospect.remote.sshProgram": join(shim, "ssh") } });
  after(async () => {
    for (const one of undo.reverse()) await one();
  });
  const { step, folder } = here;
  const files = () => readdirSync(join(folder, "captures")).filter((name) => name.endsWith(".pb.gz"));
  const groupStatus = () =>
    here.editor.page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recordingGroup']");
  const nodeRows = () => webview(here.editor.page).locator(".nodes tbody tr");

  /** Its row where it runs: this machine sees all of them too, as processes of other namespaces. @param {string} node */
  const offered = (node) =>
    here.editor.page.locator(
      `.quick-input-list .monaco-list-row[aria-label*="${node}"]:not([aria-label*="another pid namespace"])`,
    );

  step("both hosts are connected to, and their VMs are offered below them, beside those of this machine", async () => {
    const { editor } = here;
    for (const name of MACHINES) {
      await rowOnHost(editor, name, `shop@${name}`);
      await closePicker(editor);
    }
    await editor.showViews();
    for (const name of MACHINES) await editor.row(new RegExp(`^\\s*${name}\\s*connected`)).waitFor();
    await editor.command("Extrospect: Start Capture of Several VMs");
    const input = editor.page.locator(".quick-input-widget input.input");
    for (const [at, node] of NODES.entries()) {
      // Other VMs may run here, and only the rows in sight are there.
      await input.fill(node);
      // A machine with much other work may take too long to answer once: its row has the reason, or that of this
      // machine lacks the namespace, and it is queried again.
      await until(`${node} is offered`, async () => {
        await editor.page.locator(".quick-input-widget .monaco-progress-container.active").waitFor({ state: "hidden" });
        if ((await offered(node).count()) === 1 && (await offered(node).locator(".codicon-vm-running").isVisible()))
          return true;
        await editor.page.locator(".quick-input-widget .codicon-refresh").click();
        return false;
      });
      // A clicked row stays chosen, also on a list that is made anew just then. The click itself may be lost: the
      // editor replaces the row between the press and the release of the mouse.
      await editor.page.locator(".quick-input-widget .codicon-refresh").click();
      await until(`${node} is chosen, and all before it`, async () => {
        await offered(node).click();
        const count = editor.page.locator(".quick-input-count").filter({ hasText: `${String(at + 1)} Selected` });
        return count.waitFor({ timeout: 6_000 }).then(() => true);
      });
    }
    await input.fill("");
    await editor.page.locator(".quick-input-count").filter({ hasText: "4 Selected" }).waitFor();
    await editor.screenshot("cluster-far-pick");
    await editor.page.getByRole("button", { name: "OK" }).click();
    await until(
      "four nodes",
      async () =>
        /4 nodes/.test(await groupStatus().innerText()) && groupStatus().locator(".codicon-record").isVisible(),
    );
  });

  step("the lenses are of all nodes, and the table of nodes has the work and the clock of each", async () => {
    const { editor } = here;
    await openFile(editor, "demo/src/demo_pricing.erl");
    await lensesShown(editor);
    await editor.screenshot("cluster-far-lenses");
    await editor.command("Extrospect: Show Hot Functions");
    await until("four nodes with what they do", async () => {
      const texts = await nodeRows().allInnerTexts();
      return (
        texts.length === 4 && NODES.every((node) => texts.some((text) => text.includes(node) && /\d+\.\d%/.test(text)))
      );
    });
    await editor.screenshot("cluster-far-nodes");
  });

  step("a click on a node shows its functions alone", async () => {
    const { editor } = here;
    const row = nodeRows().filter({ hasText: "stock@west" });
    const choose = row.locator("button.node");
    // A second click would take the choice back: only after one that led to nothing.
    await clickUntil(choose, async () => (await choose.getAttribute("aria-pressed")) === "true");
    await until("its own samples", async () => {
      // The figures of the node only grow, so that a later reading is not less.
      const shown = Number(
        /100% is ([\d,]+) busy samples/
          .exec(await webview(editor.page).locator("body").innerText())?.[1]
          ?.replaceAll(",", ""),
      );
      const all = Number((await row.locator("td").first().innerText()).replaceAll(",", ""));
      return shown > 0 && shown <= all;
    });
    await editor.screenshot("cluster-far-one-node");
  });

  step("the graph by node has a colour for each", async () => {
    const { editor } = here;
    await editor.command("Extrospect: Show Flame Graph");
    const graph = webview(editor.page);
    await graph.locator(".toolbar select").first().selectOption("node");
    await until("four colours", async () => {
      const swatches = graph.locator(".legend li .swatch");
      const colours = await swatches.evaluateAll((all) =>
        all.map((swatch) => getComputedStyle(swatch).backgroundColor),
      );
      return colours.length === 4 && new Set(colours).size === 4;
    });
    await editor.screenshot("cluster-far-graph");
  });

  step("the stacks of a VM are taken where it runs, and another VM is picked on another host", async () => {
    const { editor } = here;
    const heading = webview(editor.page).locator("h1");
    // Of those with work there is a card: at any moment all may be idle.
    const threads = webview(editor.page).getByText(/\d+ threads/);
    const choose = async (/** @type {string} */ node) => {
      await editor.page.locator(".quick-input-widget input.input").fill(node);
      await offered(node).click();
    };
    await editor.command("Extrospect: Show Stacks of All Schedulers");
    await pickerRow(editor, "till@here").waitFor();
    await editor.screenshot("cluster-far-stacks-pick");
    await choose("stock@west");
    await heading.filter({ hasText: /· west$/ }).waitFor();
    await threads.waitFor();
    await webview(editor.page).getByRole("button", { name: "Another VM" }).click();
    await choose("shop@east");
    await heading.filter({ hasText: /· east$/ }).waitFor();
    await threads.waitFor();
    await editor.screenshot("cluster-far-stacks");
  });

  step(
    "one stop ends all: each has its file here, those of other hosts name theirs, and no sample is in two",
    async () => {
      const { editor } = here;
      const { texts } = await textsOf(groupStatus());
      await editor.command("Extrospect: Stop Capture");
      const profiles = await until("four files that are marked as one session", () => {
        const read = files().map((name) => readProfile(join(folder, "captures", name)));
        return (
          read.length === 4 &&
          read.every(({ comments }) => comments.some((comment) => /"together-\d{8}-\d{6}-\d+"/.test(comment))) &&
          read
        );
      });
      const ofElsewhere = profiles.filter(({ comments }) =>
        comments.some((comment) => comment.startsWith("extrospect/place")),
      );
      assert.equal(ofElsewhere.length, 3);
      const sum = profiles
        .flatMap(({ samples }) => samples)
        .reduce((total, { values: [count = 0] }) => total + count, 0);
      await until("the samples of all are shown", async () => (await texts()).some((text) => samplesIn(text) === sum));
      const targets = profiles.map(
        ({ comments }) => comments.find((comment) => comment.startsWith("extrospect/target ")) ?? "",
      );
      assert.deepEqual(targets.map((text) => JSON.parse(text.slice(text.indexOf(" "))).node).sort(), [...NODES].sort());
    },
  );
});

/**
 * The texts of an element of the page from now on: an element that soon disappears is gone before a slow machine has
 * read the figures that it is compared with.
 * @param {import("playwright-core").Locator} element
 */
async function textsOf(element) {
  const seen = await element.evaluateHandle((shown) => {
    const texts = [shown.textContent ?? ""];
    new MutationObserver(() => texts.push(shown.textContent ?? "")).observe(shown, {
      subtree: true,
      childList: true,
      characterData: true,
    });
    return texts;
  });
  return { texts: () => seen.jsonValue() };
}
