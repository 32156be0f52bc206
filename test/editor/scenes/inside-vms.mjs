// The inside of VMs whose state is known: processes, heap, memory, stacks, waits, CPU and waits, a capture that
// begins by a condition, one of several VMs, one of a connected node, and one in a container.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { ROOT } from "../../../scripts/project.mjs";
import { helperJson } from "../../e2e/helper.mjs";
import { startNamespaces } from "../../hosts/namespaces.mjs";
import { readProfile } from "../../pprof-reader.mjs";
import { until } from "../../until.mjs";
import { prepareOtp } from "../../vms/otp.mjs";
import { HOST, nodeFlags, startEpmd } from "../../vms/own-epmd.mjs";
import { namedAlone, NOW_AND_THEN, runErl } from "../../vms/vm.mjs";
import { flameCanvas } from "../flame-page.mjs";
import {
  answerFromMenu,
  captureInView,
  captureStatus,
  chooseFromMenu,
  chooseRow,
  clickUntil,
  closeAllTabs,
  inputBox,
  isCursorAt,
  pickerRow,
  pressUntil,
  recordedSamples,
  reloadWindow,
  rowInContainer,
  rowOfNode,
  samplesIn,
  webview,
} from "../workbench.mjs";
import { hold, letGo } from "../../vms/held.mjs";

/** Of each of ten kinds. */
const EACH = 12;
const CALLERS = 12;
const SOURCE = "gt_inside.erl";
/** The question for how long, with its answer. @param {number} seconds */
const watching = (seconds) => ({ prompt: "Seconds to watch", text: String(seconds) });
/** So long at most. */
const LONGEST_WATCH_S = 60;

/** @typedef {import("../../vms/vm.mjs").RunningVm} RunningVm */

/** @param {import("../shared-editor.mjs").SharedEditor} shared */
export function insideVms(shared) {
  shared.scene("inside VMs", () => {
    const pipes = mkdtempSync(join(tmpdir(), "processes-"));
    /** @type {Record<"inside" | "waits" | "memory" | "spent", RunningVm>} */
    let vms;
    /** The report of the VM with known processes, by pid. @type {Map<string, any>} */
    let truth;
    /** @type {(() => unknown)[]} */
    const undo = [];
    before(async () => {
      // Nothing writes to it: a process that opens it sleeps in C code.
      const pipe = join(pipes, "pipe");
      execFileSync("mkfifo", [pipe]);
      const [otp, newer] = await Promise.all([prepareOtp("25"), prepareOtp("27")]);
      const [inside, waits, memory, spent] = await Promise.all([
        runErl({ otp, module: "gt_inside", args: [EACH, `in_c=${pipe}`], emulatorFlags: namedAlone("inside") }),
        runErl({ otp, module: "gt_waits", args: [CALLERS], emulatorFlags: namedAlone("waiting") }),
        runErl({ otp: newer, module: "gt_memory", args: [200, 1, 1_000], emulatorFlags: namedAlone("remembering") }),
        runErl({
          otp: newer,
          module: "gt_spent",
          args: [8, 3],
          emulatorFlags: ["+S", "2:2", ...namedAlone("spending")],
        }),
      ]);
      vms = { inside, waits, memory, spent };
      const { processes } = await inside.report();
      truth = new Map(processes.map((/** @type {any} */ process) => [process.pid, process]));
      // It is busy: it runs only while it is looked at.
      hold(spent.pid);
    });
    after(async () => {
      for (const vm of Object.values(vms)) vm.kill();
      for (const one of undo.reverse()) await one();
      rmSync(pipes, { recursive: true });
    });
    return {
      prepare: (folder) => cpSync(join(ROOT, "test/vms/src", SOURCE), join(folder, SOURCE)),
      steps: (here) => {
        const { step, next, folder } = here;
        const page = () => webview(here.editor.page);
        const rows = () => page().locator(".grid-body .grid-row");
        const grid = () => page().locator(".grid");
        const known = () => [...truth.values()].filter((process) => process.known);
        /** The cells of the rows in sight, by their columns. @returns {Promise<Record<string, string>[]>} */
        const cells = () =>
          rows().evaluateAll((all) =>
            all.map((row) =>
              Object.fromEntries(
                [...row.children].map((cell) => [
                  cell.getAttribute("data-column"),
                  /** @type {HTMLElement} */ (cell).innerText.trim(),
                ]),
              ),
            ),
          );
        /** The row of a VM, alone in sight. @param {RunningVm} vm */
        const rowOf = async (vm) => {
          const { editor } = here;
          await closeAllTabs(editor);
          await editor.showViews();
          const row = editor.row(`pid ${String(vm.pid)}`).first();
          // A window that was reloaded starts nothing by itself.
          const find = editor.page.locator(".sidebar").getByRole("button", { name: "Find VMs" });
          await row.or(find).first().waitFor();
          if (await find.isVisible()) await clickUntil(find, () => row.isVisible());
          await row.waitFor();
          return row;
        };

        const captures = join(folder, "captures");
        const captureFiles = () =>
          existsSync(captures) ? readdirSync(captures).filter((name) => name.endsWith(".pb.gz")) : [];
        /** Stops the capture of one VM, which adds a file to these. @param {string[]} before */
        const stop = async (before) => {
          await here.editor.command("Extrospect: Stop Capture");
          await captureStatus(here.editor).locator(".codicon-record").waitFor({ state: "detached" });
          await until("its file", () => captureFiles().length === before.length + 1);
        };

        step("processes: names, mailboxes and functions agree with the VM's own", async () => {
          const { editor } = here;
          await chooseFromMenu(editor, await rowOf(vms.inside), "Processes", {
            leadsTo: editor.tab("Processes: inside@"),
          });
          const { counts } = await vms.inside.report();
          const figures = page().locator(".node-figures");
          await until("the node's figures", async () =>
            (await figures.innerText()).replaceAll(/\s+/g, " ").includes(`Processes ${String(counts.processes)}`),
          );
          await page().locator(".grid-head").getByRole("button", { name: "Mailbox" }).click();
          const most = Math.max(...known().map(({ mailbox }) => mailbox));
          await until("those with the most messages on top, as in the VM", async () => {
            const shown = await cells();
            assert.equal(shown[0]?.["mailbox"], String(most));
            const checked = shown.filter(({ pid = "" }) => truth.get(pid)?.known);
            assert.ok(checked.length > 10, `${String(checked.length)} rows`);
            for (const { pid = "", mailbox, current, status } of checked) {
              const process = truth.get(pid);
              assert.deepEqual(
                [Number(mailbox), current, status?.split(",")[0]],
                [process.mailbox, process.current, process.status],
                pid,
              );
            }
            return true;
          });
        });

        next("one that sleeps in C code is told; by keys a heap is looked at, and its line opened", async () => {
          const { editor } = here;
          const field = page().locator("vscode-textfield input");
          await field.fill("asleep_in_c");
          await until("it alone, in C code", async () => {
            const shown = await cells();
            assert.deepEqual(
              shown.map(({ status, current }) => [status, current]),
              [["sleeps in C", "prim_file:open_nif/2"]],
            );
            return true;
          });
          const named = known().find(({ name }) => name === "'worker 10'");
          await field.fill("worker 10");
          await until("that one", async () => {
            const shown = await cells();
            return shown.length === 1 && shown[0]?.["pid"] === named?.pid;
          });
          const selected = page().locator('.grid [aria-selected="true"]');
          await pressUntil(grid(), "Home", () => selected.isVisible());
          const heap = await helperJson(["heap", vms.inside.pid, named?.pid]);
          const words = `${heap.live_words.toLocaleString("en")} of ${heap.used_words.toLocaleString("en")} used words`;
          await pressUntil(grid(), "Enter", () => page().locator(".details", { hasText: words }).isVisible());
          await pressUntil(grid(), "Control+Enter", () =>
            isCursorAt(editor, { file: SOURCE, line: truth.get(named?.pid).line }),
          );
        });

        step("memory: allocators and tables agree with the VM's own figures", async () => {
          const { editor } = here;
          const said = await vms.memory.report();
          await chooseFromMenu(editor, await rowOf(vms.memory), "Memory", {
            leadsTo: page().locator(".picture-row").first(),
          });
          await page()
            .getByText(/^binary_alloc is fragmented/)
            .waitFor();
          await page().getByRole("tab", { name: "ETS Tables" }).click();
          await page().locator("vscode-textfield input").first().fill("gt_memory_grow");
          const table = said.tables.find((/** @type {any} */ row) => row.name === "gt_memory_growing");
          const cell = (/** @type {string} */ column) =>
            page().getByRole("grid").locator(`[aria-rowindex='2'] [data-column=${column}]`).innerText();
          await until("the objects of the table", async () => {
            assert.equal(await cell("items"), table.items.toLocaleString("en"));
            return true;
          });
          await page().getByRole("tab", { name: "Binaries" }).click();
          await until("who holds most binaries", async () => {
            const held = page().locator(".grid:visible [aria-rowindex='2'] [data-column=references]");
            assert.equal(await held.innerText(), "2,000");
            return true;
          });
        });

        step("the stacks of all schedulers are taken", async () => {
          const { editor } = here;
          const heading = page().locator("h1", { hasText: String(vms.inside.pid) });
          await chooseFromMenu(editor, await rowOf(vms.inside), "Stacks of All Schedulers", { leadsTo: heading });
          await page()
            .getByText(/threads, \d+ idle/)
            .waitFor();
        });

        step(
          "waits: the process that all wait for is named, circles too; its capture is a flame graph; a reload keeps it",
          async () => {
            const { editor } = here;
            const { stuck, edges, rings } =
              /** @type {{stuck: string, edges: [string, string][], rings: string[][]}} */ (
                /** @type {any} */ (await vms.waits.report())
              );
            await answerFromMenu(editor, await rowOf(vms.waits), "Where Processes Wait", watching(2));
            await editor.tab("Where Processes Wait: waiting@").waitFor();
            const ends = page().getByRole("table", { name: "What Most Processes Wait For" });
            const to = (/** @type {string} */ pid) =>
              edges.filter(([, called]) => called === pid).map(([from]) => from);
            const direct = to(stuck);
            // Those of the truth that lead to it, and the one that made it stick.
            const expected = [
              String(direct.length + 1 + direct.flatMap(to).length),
              String(direct.length + 1),
              `${stuck} shop_db`,
            ];
            const first = ends.locator("tbody tr").first().locator("td");
            await until("the target of the waits", async () => {
              assert.deepEqual((await first.allInnerTexts()).slice(0, 3), expected);
              return true;
            });
            const inOrder = (/** @type {string[][]} */ all) => all.map((ring) => ring.toSorted().join(" ")).toSorted();
            await until("the circles", async () => {
              const cycles = await page().locator(".cycles li").allInnerTexts();
              const shown = cycles.map((cycle) => [...new Set(cycle.match(/<[\d.]+>/g))]);
              assert.deepEqual(inOrder(shown), inOrder(rings));
              return true;
            });
            await reloadWindow(editor);
            await until("it again", async () => {
              assert.deepEqual((await first.allInnerTexts()).slice(0, 3), expected);
              return true;
            });
            await page().getByRole("button", { name: "Flame Graph" }).click();
            await flameCanvas(page()).waitFor();
            await until("what it counts", async () =>
              /milliseconds|waiting/i.test(await page().locator("body").innerText()),
            );
          },
        );

        step("CPU and waits are taken at once, and lead to functions", async () => {
          const { editor } = here;
          const processes = page().getByRole("grid", { name: "Time by process name" });
          const row = (/** @type {string} */ name) => processes.locator(".grid-body .grid-row", { hasText: name });
          const cellsOf = (/** @type {string} */ name) => row(name).locator(".cell").allInnerTexts();
          let seconds = 1;
          // On a busy machine the one that does both may not run in so short a time: once more then, for longer.
          await until("one that was on a processor and waited", async () => {
            seconds = Math.min(2 * seconds, LONGEST_WATCH_S);
            letGo(vms.spent.pid);
            try {
              await answerFromMenu(editor, await rowOf(vms.spent), "Where Processes Spend Time", watching(seconds));
              await editor.tab("CPU and Waits: spending@").waitFor();
              await processes.waitFor();
            } finally {
              hold(vms.spent.pid);
            }
            await until("as many as there are, and those that never wait", async () => {
              const [spinner, waiter] = [await cellsOf("gt_spent:spinner/0"), await cellsOf("spent_waiter")];
              assert.deepEqual([spinner[1], spinner[4]], ["3.0", "0.00"]);
              assert.deepEqual([waiter[1], waiter[2], waiter[3], waiter[5]], ["8.0", "0.00", "0.00", "0.00"]);
              return true;
            });
            const [, , cpu, , waiting] = await cellsOf("spent_both");
            return Number(cpu) > 0 && Number(waiting) > 0;
          });
          const selected = processes.locator('[aria-selected="true"]', { hasText: "spent_both" });
          await clickUntil(row("spent_both").first(), () => selected.isVisible());
          const functions = page().getByRole("grid", { name: "Time by function" });
          await pressUntil(processes, "Enter", () => functions.isVisible());
          const detail = page().locator(".detail", { hasText: "gt_spent:pause/0" });
          await clickUntil(functions.locator(".grid-row", { hasText: "gt_spent:both/0" }).first(), () =>
            detail.isVisible(),
          );
        });

        step("a condition that holds is recorded, and a stop keeps the capture", async () => {
          const { editor } = here;
          const condition = "mailbox>3 and processes>1";
          await chooseFromMenu(editor, await rowOf(vms.inside), "Capture When…", {
            leadsTo: pickerRow(editor, "mailbox>10000"),
          });
          await inputBox(editor).fill("memory>10XB");
          await pickerRow(editor, "At character 10").waitFor();
          await inputBox(editor).fill(condition);
          const asTyped = pickerRow(editor, `Record when ${condition}`);
          await asTyped.waitFor();
          await pressUntil(inputBox(editor), "Enter", () => asTyped.isHidden());
          const status = editor.page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recordWhen']");
          await status.locator(".codicon-record").waitFor();
          const watched = pickerRow(editor, "inside@");
          await clickUntil(status, () => watched.isVisible());
          await chooseRow(watched);
          const told = await editor.notification("Kept with");
          await told.getByRole("button", { name: "Open" }).click();
          await until("it is in view", async () => (await captureInView(editor).innerText()).includes("inside"));
          const [name = ""] = captureFiles().filter((one) => /\.00001-\d{8}T\d{6}Z\.pb\.gz$/.test(one));
          const user = readProfile(join(captures, name)).comments.findLast((text) =>
            text.startsWith("extrospect/user "),
          );
          assert.match(String(user), /recorded when mailbox>3 and processes>1: /);
        });

        step(
          "several VMs are captured by one start and ended by one stop, and their files belong together",
          async () => {
            const { editor } = here;
            const before = captureFiles();
            await editor.command("Extrospect: Start Capture of Several VMs");
            for (const [at, name] of /** @type {const} */ (["inside", "waits"]).entries()) {
              const count = editor.page.locator(".quick-input-count", { hasText: `${String(at + 1)} Selected` });
              await clickUntil(pickerRow(editor, String(vms[name].pid)), () => count.isVisible());
            }
            await editor.page.getByRole("button", { name: "OK" }).click();
            const status = editor.page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recordingGroup']");
            await status.filter({ hasText: "2 nodes" }).locator(".codicon-record").waitFor();
            await until("samples", async () => {
              // They rest, except for their answers.
              await Promise.all([vms.inside.report(), vms.waits.report()]);
              return samplesIn(await status.innerText()) > 0;
            });
            await editor.command("Extrospect: Stop Capture");
            await until("two files with the tag of one start", () => {
              const tags = captureFiles()
                .filter((name) => !before.includes(name))
                .map(
                  (name) =>
                    /"together-\d{8}-\d{6}-\d+"/.exec(readProfile(join(captures, name)).comments.join("\n"))?.[0],
                );
              assert.equal(tags.length, 2);
              return tags[0] !== undefined && tags[0] === tags[1];
            });
          },
        );

        step("the nodes that a VM is connected to are listed, and the one that is chosen is captured", async () => {
          const { editor } = here;
          const before = captureFiles();
          // It is found by its name: a run beside this one has another one.
          const [store, shop] = [`store${String(process.pid)}`, `shop${String(process.pid)}`];
          const [otp, epmd] = [await prepareOtp("25"), await startEpmd()];
          undo.push(epmd.stop);
          /** @type {RunningVm[]} */
          const nodes = [];
          const start = async (/** @type {string} */ name, /** @type {{module: string, args: string[]}} */ program) => {
            const vm = await runErl({ otp, ...program, emulatorFlags: nodeFlags(name), env: epmd.env });
            nodes.push(vm);
            return vm;
          };
          try {
            await start(store, NOW_AND_THEN);
            const vm = await start(shop, { module: "gt_node", args: [`${store}@${HOST}`] });
            await until("they are connected", async () => (await vm.report()).visible.includes(`${store}@${HOST}`));
            await chooseRow(await rowOfNode(editor, vm.pid, `${store}@${HOST}`));
            await until("samples", async () => (await recordedSamples(editor)) > 0);
            await until("it is in view", async () => (await captureInView(editor).innerText()).includes("store"));
            await stop(before);
          } finally {
            for (const vm of nodes) vm.kill();
          }
        });

        // The last one: its container ends with the scene, and the editor is connected to that until then.
        step("a VM in a container is captured by a command that only leads into the container", async () => {
          const { editor } = here;
          const before = captureFiles();
          const container = await startNamespaces({ after: (one) => undo.push(one) });
          await chooseRow(await rowInContainer(editor, container.pid));
          await until("samples", async () => (await recordedSamples(editor)) > 0);
          assert.ok(container.helpers() > 0);
          await stop(before);
          await editor.showViews();
          await editor.row(new RegExp(`nsenter ${String(container.pid)}\\s*connected`)).waitFor();
        });
      },
    };
  });
}
