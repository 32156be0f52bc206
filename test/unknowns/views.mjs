// What each view of the editor shows of a VM, as text.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { HELPER, ROOT } from "../../scripts/project.mjs";
import { until } from "../until.mjs";
import { clock } from "../webviews/panel-page.mjs";
import { extension, LANGUAGE, pageText, refusalWords, words } from "./editor.mjs";

/** @typedef {import("playwright-core").Page} Page */
/**
 * @typedef {object} Look
 * @property {import("./editor.mjs").EditorHelper} helper
 * @property {number} pid
 * @property {string} folder   for captures
 * @property {string} normal   the capture of a VM in none of the states
 * @property {(() => void) | undefined} interrupt   what happens to the VM while a view shows it
 */

const CAPTURE = "view.pb.gz";
const SECONDS = 2;
const HEAP_OF = "<0.10.0>";
const NEVER = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) };

/** What there is to read. @type {Record<import("./view-cells.mjs").ViewName, (look: Look) => Promise<string>>} */
export const VIEWS = {
  Targets: targets,
  "Check Permissions and Setup": doctor,
  Stacks: stacks,
  Processes: (look) => processes(look),
  "Heap of a process": (look) => processes(look, HEAP_OF),
  Memory: (look) => memory(look, "overview"),
  Binaries: (look) => memory(look, "binaries"),
  "live capture": liveCapture,
  Captures: captures,
  Summary: (look) => capturePage(look, "summary", "SummarySession"),
  "Hot Functions": (look) => capturePage(look, "top", "TopSession"),
  Blame: (look) => capturePage(look, "blame", "BlameSession"),
  "Flame Graph": (look) => capturePage(look, "flame-graph", "FlameSession"),
  "Compare Captures": compare,
  "Captures in the Background": detached,
  "Where Processes Wait": waits,
  "CPU and Waits": timeSpent,
};
/** @param {Look} look */
async function targets({ helper, pid, interrupt }) {
  const { listedVms, inOrder, afterLook, ...own } = await extension();
  const list = { rows: inOrder(await listedVms(helper)), ended: [] };
  interrupt?.();
  const { rows } = afterLook(list, await listedVms(helper), 0);
  const row = rows.find((/** @type {any} */ each) => each.pid === pid);
  if (row.isGone) return own.goneDescription(row, words);
  return [
    own.targetDescription(row, words, LANGUAGE),
    own.targetTooltip(row, words, LANGUAGE).replaceAll("\\", ""),
  ].join("\n");
}

/** @param {Look} look */
async function doctor({ helper, pid, interrupt }) {
  const { doctorReport } = await extension();
  interrupt?.();
  const { rows } = await helper.request("extrospect/doctor", { pid });
  return doctorReport(rows, "", words);
}

/** @param {Look} look */
async function stacks({ helper, pid, interrupt }) {
  const { StacksSession } = await extension();
  interrupt?.();
  return pageText(
    "stacks",
    (post) => {
      const session = new StacksSession({
        source: {
          stacks: (/** @type {any} */ of, /** @type {boolean} */ all) =>
            helper.request("extrospect/pstack", { pid: of.pid, all }),
        },
        texts: { noTarget: "" },
        targetName: () => "",
        post,
        canceller: () => ({ token: NEVER, cancel: () => {}, dispose: () => {} }),
        nowUnixMs: () => Date.now(),
        debug: () => {},
      });
      session.show({ pid });
      return session;
    },
    (hasDrawn) => hasDrawn("stacks", "problem"),
  );
}

/** What sessions of the inside of a VM call. @param {any} own @param {(message: unknown) => void} post */
const insideHost = (own, post) => ({
  ...clock,
  post,
  nowUnixMs: () => Date.now(),
  head: own.vmHead,
  kept: own.keptVm,
  problem: async (/** @type {unknown} */ error) => own.insideProblem(error, undefined),
  again: async () => undefined,
  find: async () => undefined,
  showAnother: () => {},
  copy: () => {},
});

/** @param {Look} look @param {string} [process] to lead to, and to read the heap of */
async function processes({ helper, pid, interrupt }, process) {
  const own = await extension();
  const vm = new own.InsideVms().open({ pid, host: undefined }, helper);
  if (process !== undefined) interrupt?.();
  return pageText(
    "processes",
    (post) => {
      const session = new own.ProcessesSession({
        ...insideHost(own, post),
        texts: { noTarget: "", copiedPart: () => "" },
        alarms: () => ({ mailbox: 1000, memory: null }),
        openSource: async () => {},
      });
      session.show(vm);
      if (process !== undefined) session.goTo(process);
      return session;
    },
    async (hasDrawn) => {
      await hasDrawn(process === undefined ? "node" : "heap", "heapProblem", "problem");
      if (process === undefined && interrupt !== undefined) {
        interrupt();
        await hasDrawn("problem");
      }
    },
  );
}

/** @param {Look} look @param {"overview" | "binaries"} tab */
async function memory({ helper, pid, interrupt }, tab) {
  const own = await extension();
  const vm = new own.InsideVms().open({ pid, host: undefined }, helper);
  return pageText(
    "memory",
    (post) => {
      const session = new own.MemorySession(insideHost(own, post));
      session.show(vm);
      return session;
    },
    async (hasDrawn, page) => {
      await hasDrawn("look", "problem");
      // Its second row of tabs is above the tables of a snapshot.
      if (tab === "binaries")
        await page.getByRole("tablist").nth(1).or(page.locator(".problem:not([hidden])")).first().waitFor();
      if (interrupt === undefined) return;
      interrupt();
      await hasDrawn("problem");
    },
    { tab },
  );
}

/** As a message of the editor. @param {any} own @param {unknown} error */
function messageOf(own, error) {
  if (error instanceof own.HelperError) return own.errorSentences(error);
  // Of the system, as of a full disk.
  if (error instanceof Error && "syscall" in error) return own.errorText(error);
  throw error;
}

/** The editor puts the capture of a watch among the others, and shows nothing of it if that fails. @param {Look} look @param {any} result */
function keep({ folder }, { capture }) {
  const path = join(folder, "waits.pb.gz");
  rmSync(path, { force: true });
  writeFileSync(path, Buffer.from(capture, "base64"));
}

/** @param {any} own @param {Look} look @param {string} file @param {number} seconds 0: until stopped */
async function begun(own, { helper, pid, folder }, file, seconds) {
  const path = join(folder, file);
  rmSync(path, { force: true });
  /** @type {(end: any) => void} */
  let tellEnd = () => {};
  const ended = new Promise((resolve) => (tellEnd = resolve));
  const recording = new own.Recording(
    {
      pid,
      frequencyHz: 499,
      durationSeconds: seconds,
      includeKernel: true,
      engine: "auto",
      fileFor: async () => path,
    },
    own.recordingEnvironment(helper, false),
    { changed: () => {}, grew: () => {}, ended: (/** @type {any} */ end) => tellEnd(end) },
  );
  await recording.start();
  return { recording, ended, path };
}

/** The entry of the status bar, with its hover, and the message at the end. @param {Look} look */
async function liveCapture(look) {
  const own = await extension();
  try {
    const { recording, ended } = await begun(own, look, CAPTURE, look.interrupt === undefined ? SECONDS : 0);
    if (look.interrupt !== undefined) {
      await until("samples", () => recording.capture.totals.samples > 0);
      look.interrupt();
    }
    const { reason, problem } = await ended;
    const { quality, elapsedMs } = recording;
    const recorded = own.recordedAmount(quality);
    const why = problem === null ? "" : [problem.what, problem.why].filter((part) => part !== "").join(": ");
    return [
      own.progressText(elapsedMs, recorded, words, LANGUAGE),
      ...(quality === undefined ? [] : own.qualityProblems(quality, words, LANGUAGE)),
      own.endText(reason, why, "the VM", recorded, words, LANGUAGE).text,
    ].join("\n");
  } catch (error) {
    return messageOf(own, error);
  }
}

/** @param {any} own @param {Look} look */
const decoded = (own, { folder }) => own.decodeCapture(readFileSync(join(folder, CAPTURE)));

/** Its row in the list, with its hover. @param {Look} look */
async function captures(look) {
  const own = await extension();
  const summary = own.summaryOf(decoded(own, look));
  return [own.captureDescription(summary, words, LANGUAGE), ...own.captureProblems(summary, words, LANGUAGE)].join(
    "\n",
  );
}

/** @param {Look} look @param {string} name @param {"SummarySession" | "TopSession" | "BlameSession" | "FlameSession"} kind */
async function capturePage(look, name, kind) {
  const own = await extension();
  const shown = {
    capture: decoded(own, look),
    title: "the capture",
    live: false,
    uri: "file:///view.pb.gz",
    attribution: "self",
    percentOf: "busy",
    minimumSamples: 20,
    originOf: () => undefined,
  };
  return pageText(
    name,
    (post) =>
      new own[kind]({
        ...clock,
        // Of the flame graph's own texts, those of a filter are not needed.
        texts: {
          ...own.captureTexts(words, LANGUAGE),
          groupName: (/** @type {string} */ _, /** @type {string} */ value) => value,
        },
        debug: () => {},
        words,
        language: LANGUAGE,
        minimumSamples: () => 20,
        hottestLines: async () => [],
        current: () => shown,
        post,
        problem: (/** @type {unknown} */ error) => {
          throw error;
        },
      }),
    (hasDrawn) => hasDrawn("data", "rows", "empty"),
  );
}

/** Where the package has what computes a comparison. */
const MODULE_FILES = {
  module: join(ROOT, "dist/editor-module/editor-module.wasm"),
  thread: join(ROOT, "dist/extension/editor-module-thread.cjs"),
  helper: HELPER,
};

/** The normal capture against that of the live capture, whatever the program. @param {Look} look */
async function compare({ folder, normal }) {
  const own = await extension();
  const files = [normal, join(folder, CAPTURE)];
  const [base, newer] = files.map((file) => basename(file));
  const comparands = { base: [`file://${files[0]}`], new: [`file://${files[1]}`], measure: null, anyway: true };
  const side = (/** @type {string | undefined} */ name) => ({ name, captures: [{ name, own: null }] });
  const request = {
    base: side(base),
    new: side(newer),
    measure: null,
    anyway: true,
    base_texts: {},
    new_texts: {},
    renamed: [],
  };
  const compared = async () => {
    const answer = await own.compareCaptures(
      MODULE_FILES,
      request,
      files.map((file) => readFileSync(file)),
    );
    if (answer.type === "compared")
      return own.comparedMessage(answer.value, comparands, { base: [base], new: [newer] }, ["share", "cpu"]);
    if (answer.type !== "refused") throw new Error(JSON.stringify(answer));
    const why = (await refusalWords()).refusalText(answer.value, words);
    return { type: "problem", what: "These captures cannot be compared", why };
  };
  return pageText(
    "compare",
    (post) => {
      const session = new own.CompareSession({
        compared,
        keepConditions: async () => {},
        graph: () => null,
        problem: (/** @type {unknown} */ error) => ({ type: "problem", what: "It failed", why: messageOf(own, error) }),
        post,
      });
      void session.show(comparands);
      return session;
    },
    (hasDrawn) => hasDrawn("compared", "problem"),
  );
}

/** Its row, once it is stopped, or has ended with the VM. @param {Look} look */
async function detached({ helper, pid, interrupt }) {
  const own = await extension();
  const name = "unknowns";
  try {
    await helper.request("extrospect/detached/start", { name, pid, frequencyHz: 499, durationSeconds: 60 });
    if (interrupt !== undefined) {
      const state = async () => {
        const { captures } = await helper.request("extrospect/detached/list", {});
        return captures.find((/** @type {any} */ each) => each.name === name)?.state;
      };
      await until("its recording", async () => (await state()) === "recording");
      interrupt();
      await until("its end", async () => !own.isOngoing(await state()));
    }
    const ended = await helper.request("extrospect/detached/stop", { name });
    await helper.request("extrospect/detached/remove", { name });
    return own.detachedDescription(own.knownOne(ended), words, LANGUAGE);
  } catch (error) {
    return messageOf(own, error);
  }
}

/** @param {any} own @param {any} inside @param {Look} look */
const watched = (own, inside, { interrupt }) => {
  let looks = 0;
  return own.watchWaits(
    inside,
    {
      seconds: SECONDS,
      nowMs: () => Date.now(),
      pause: (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    NEVER,
    // A first look covers no time.
    () => ++looks === 2 && interrupt?.(),
  );
};

/** @param {Look} look */
async function waits(look) {
  const own = await extension();
  const inside = new own.InsideVms().open({ pid: look.pid, host: undefined }, look.helper);
  try {
    const found = await watched(own, inside, look);
    keep(look, found.result);
    const seen = own.seenBy(found, inside);
    return await pageText(
      "waits",
      (post) => ({
        receive: (message) => message.type === "ready" && post({ type: "waits", seen, kept: {} }),
      }),
      (hasDrawn) => hasDrawn("waits"),
    );
  } catch (error) {
    return messageOf(own, error);
  } finally {
    inside.close();
  }
}

/** @param {Look} look */
async function timeSpent(look) {
  const own = await extension();
  const inside = new own.InsideVms().open({ pid: look.pid, host: undefined }, look.helper);
  try {
    const { recording, ended, path } = await begun(own, look, "time.pb.gz", 0);
    const { result } = await watched(own, inside, look).finally(async () => {
      await recording.stop();
      await ended;
    });
    keep(look, result);
    const waits = own.decodeCapture(Buffer.from(result.capture, "base64"));
    const cpu = own.decodeCapture(readFileSync(path), { processNames: own.processNames(waits.facts.waits) });
    const shared = own.sharedTime(cpu.facts, waits.facts);
    if (typeof shared === "string") return `cannot be shown together: ${shared}`;
    const time = new own.SpentTime(cpu, waits, waits.facts.waits, shared);
    return await pageText(
      "time-spent",
      (post) => ({
        receive: (message) => {
          if (message.type !== "ready") return;
          const names = { cpu: "cpu", waits: "waits" };
          for (const each of own.timeMessages(time, names, names, words, LANGUAGE)) post(each);
        },
      }),
      (hasDrawn) => hasDrawn("functions"),
    );
  } catch (error) {
    return messageOf(own, error);
  } finally {
    inside.close();
  }
}
