// The actions of a user in the workbench, by mouse and keyboard.
import { sourcePane } from "./source-pane.mjs";
import { tried, worked } from "./tries.mjs";
import { until } from "../until.mjs";

/** @typedef {import("./editor.mjs").Editor} Editor */

const INPUT = ".quick-input-widget input.input";
const ROWS = ".quick-input-list .monaco-list-row";

/** Opens a file in the first group of editors. @param {Editor} editor @param {string} path */
export async function openFile(editor, path) {
  const name = path.split("/").at(-1) ?? path;
  await editor.page.keyboard.press("Control+1");
  await editor.openFile(path);
  await editor.page.locator(`.editor-group-container.active .tab.active[data-resource-name="${name}"]`).waitFor();
}

/**
 * Closes all tabs, by the keys for it: the palette compares the typed text with the titles of all commands, which costs as
 * much as opening a file.
 * @param {Editor} editor
 */
export async function closeAllTabs({ page }) {
  const tabs = page.locator(".part.editor .tab");
  await tried("all tabs closed", async (timeout) => {
    await page.keyboard.press("Control+K");
    await page.keyboard.press("Control+W");
    return worked(tabs.first().waitFor({ state: "detached", timeout }));
  });
}

/** Whether this file is the only tab, and active. @param {Editor} editor @param {string} name */
export async function isAlone({ page }, name) {
  const names = await page
    .locator(".part.editor .tab")
    .evaluateAll((tabs) =>
      tabs.map((tab) => tab.classList.contains("active") && tab.getAttribute("data-resource-name")),
    );
  return names.length === 1 && names[0] === name;
}

/** The page of the webview in sight; there must be one only. @param {import("playwright-core").Page} page */
export function webview(page) {
  return page.frameLocator("iframe.webview.ready >> visible=true").first().frameLocator("iframe#active-frame");
}

/** As a user does it: the workbench first keeps its state, and with it the state of pages. @param {Editor} editor */
export async function reloadWindow(editor) {
  const loaded = editor.page.waitForEvent("load");
  await editor.command("Developer: Reload Window");
  await loaded;
}

/** The row of the open picker with this text. @param {Editor} editor @param {string | RegExp} text */
export function pickerRow({ page }, text) {
  return page.locator(ROWS, { hasText: text }).first();
}

/** For a picker to have its rows, unless it was put away. */
const PICKER_PATIENCE_MS = 15_000;

/**
 * Runs a command that opens a picker, until the picker has this row: the picker closes when an earlier command takes
 * the focus.
 * @param {Editor} editor
 * @param {string} command
 * @param {string | RegExp} text   of the row
 */
export async function rowOfCommand(editor, command, text) {
  const row = pickerRow(editor, text);
  await tried(
    `“${String(text)}” in the picker of “${command}”`,
    async (timeout) => {
      await editor.command(command);
      return worked(row.waitFor({ timeout }));
    },
    PICKER_PATIENCE_MS,
  );
  return row;
}

/** Chooses a VM in the picker that is about to open: of many only those in sight have a row. @param {Editor} editor @param {number} pid */
export async function pickVm(editor, pid) {
  await pickerRow(editor, "pid").waitFor();
  await editor.page.locator(INPUT).fill(`pid ${pid}`);
  await editor.page
    .locator(ROWS, { hasText: new RegExp(`pid ${pid}\\b`) })
    .first()
    .click();
}

/** Closes the picker, which need not have the focus. @param {Editor} editor */
export async function closePicker({ page }) {
  const picker = page.locator(".quick-input-widget");
  await pressUntil(page.locator(INPUT), "Escape", () => picker.isHidden());
}

/** For the effect of a key: one that is pressed once more goes to whatever has the focus by then. */
const KEY_PATIENCE_MS = 30_000;

/**
 * Presses a key in an element until the effect is seen: a disturbed browser may lose one, and a webview passes keys on
 * only once it listens.
 * @param {import("playwright-core").Locator} element
 * @param {string} key
 * @param {() => boolean | Promise<boolean>} done   looks without waiting: a missing element comes only with the next press
 */
export async function pressUntil(element, key, done) {
  let isPressed = false;
  await tried(
    `what ${key} leads to`,
    async (timeout) => {
      if (isPressed && (await worked(until("that", done, timeout)))) return true;
      await element.press(key, { timeout });
      isPressed = true;
      return false;
    },
    KEY_PATIENCE_MS,
  );
}

/**
 * Types into the input box that is open and accepts.
 * @param {Editor} editor
 * @param {string} text
 * @param {string} [prompt]   its prompt: until it is shown, the box is that of a picker that was open before; without
 *   it, nothing shows that the box has accepted
 * @param {{timeout?: number}} [patience]   for each step
 */
export async function typeIntoInput({ page }, text, prompt = "", patience = {}) {
  const input = inputBox({ page }, prompt);
  await input.fill(text, patience);
  await input.press("Enter", patience);
  if (prompt === "") return;
  await tried(
    `“${prompt}” answered`,
    async (timeout) => {
      if (await worked(input.waitFor({ state: "hidden", timeout }))) return true;
      await input.press("Enter", { timeout });
      return false;
    },
    KEY_PATIENCE_MS,
  );
}

/** The input box with this prompt. @param {Pick<Editor, "page">} editor @param {string} [prompt] */
export function inputBox({ page }, prompt = "") {
  return page.locator(".quick-input-widget", { hasText: prompt }).locator("input.input");
}

/** Names the file in the dialog that saves one. @param {Editor} editor @param {string} path */
export async function saveAs({ page }, path) {
  const input = page.locator(".quick-input-widget:visible input.input");
  // It writes the name that it begins with by itself, some time after it is there.
  await until("the dialog has its name", async () => /\/[^/]+$/.test(await input.inputValue()));
  await tried("the file is named", async (timeout) => {
    // A dialog whose end took longer than the try before has taken the name.
    if (!(await input.isVisible())) return true;
    await input.fill(path, { timeout });
    await input.press("Enter", { timeout });
    return worked(input.waitFor({ state: "hidden", timeout }));
  });
}

/** Types a host into the box for it. @param {Editor} editor @param {string} host @param {{timeout?: number}} [patience] for each step */
export async function typeHost(editor, host, patience = {}) {
  await pickerRow(editor, "Enter a host").click(patience);
  await typeIntoInput(editor, host, "Host as ssh accepts it", patience);
}

/** For connecting to a host, sending it the helper included, unless the picker was put away. */
const CONNECT_PATIENCE_MS = 60_000;

/**
 * The row of a VM on a connected host. The command is repeated until the row is there: the picker closes when an
 * earlier command takes the focus.
 * @param {Editor} editor
 * @param {string} host
 * @param {string} text   of the row
 */
export async function rowOnHost(editor, host, text) {
  const row = pickerRow(editor, text);
  await tried(
    `“${text}” on ${host}`,
    async (timeout) => {
      await (await rowOfCommand(editor, "Extrospect: Start Capture on Another Host", "Enter a host")).waitFor();
      await typeHost(editor, host, { timeout });
      return worked(row.waitFor({ timeout }));
    },
    CONNECT_PATIENCE_MS,
  );
  return row;
}

/**
 * The row of the VM that is the first process of a container, by the preset for nsenter. The commands are repeated as for
 * another host.
 * @param {Editor} editor
 * @param {number} pid   of that process on this machine
 */
export async function rowInContainer(editor, pid) {
  const row = pickerRow(editor, /pid 1(?!\d)/);
  await tried(
    `the VM in the container of process ${String(pid)}`,
    async (timeout) => {
      const preset = await rowOfCommand(editor, "Extrospect: Start Capture in a Container", "--target={pid} --mount");
      await preset.click({ timeout });
      await pickerRow(editor, new RegExp(`(?<!\\d)${String(pid)}(?!\\d)`)).click({ timeout });
      return worked(row.waitFor({ timeout }));
    },
    CONNECT_PATIENCE_MS,
  );
  return row;
}

/**
 * The row of a node that a VM of this machine is connected to. The command is repeated until the row is there: the list of
 * VMs closes when an earlier command takes the focus.
 * @param {Editor} editor
 * @param {number} pid   of the VM
 * @param {string} node
 */
export async function rowOfNode(editor, pid, node) {
  const row = pickerRow(editor, new RegExp(`${node}.*connected · this machine`));
  await tried(
    `the node ${node} in the list of those that process ${String(pid)} knows`,
    async (timeout) => {
      await rowOfCommand(editor, "Extrospect: Show Connected Nodes of a VM", /pid \d/);
      // Of many VMs only those in sight have a row.
      await inputBox(editor).fill(`pid ${String(pid)}`, { timeout });
      await pickerRow(editor, new RegExp(`pid ${String(pid)}(?!\\d)`)).click({ timeout });
      return worked(row.waitFor({ timeout }));
    },
    PICKER_PATIENCE_MS,
  );
  return row;
}

/** Until its picker is gone: a row that is drawn anew just then is not chosen. @param {import("playwright-core").Locator} row of a picker that leads to no other one with that text */
export async function chooseRow(row) {
  const picker = row.page().locator(".quick-input-widget:visible");
  // A list that is read anew is empty for a moment, so that the row alone proves nothing. One look: the picker may go
  // between two, and the second would wait for it.
  const question = () =>
    picker.evaluateAll(([shown]) => shown && (shown.querySelector("input.input")?.getAttribute("placeholder") ?? ""));
  await row.waitFor();
  const before = await question();
  return clickUntil(row, async () => (await row.isHidden()) && (await question()) !== before);
}

/** Chooses a VM in the picker. @param {Editor} editor @param {number} pid @returns {Promise<number>} when, as `performance.now()` */
export async function attach(editor, pid) {
  const row = await rowOfCommand(editor, "Extrospect: Start Capture (Record", String(pid));
  const chosenMs = performance.now();
  await chooseRow(row);
  return chosenMs;
}

/** Samples of the running capture, from the status bar; 0 when none runs. @param {Editor} editor */
export async function recordedSamples(editor) {
  const item = captureStatus(editor);
  return (await item.locator(".codicon-record").isVisible()) ? samplesIn(await item.innerText()) : 0;
}

/** `1,234 samples` in a text; 0 without. @param {string} text */
export function samplesIn(text) {
  return Number(/([\d,]+) samples/.exec(text)?.[1]?.replaceAll(",", "") ?? 0);
}

/** Waits for lenses in the text in sight, or for there to be none. @param {Editor} editor @param {boolean} [wanted] */
export function lensesShown({ page }, wanted = true) {
  return until(wanted ? "a lens" : "no lens", async () => (await sourcePane(page)).lenses.length > 0 === wanted);
}

/** The status bar's item of the capture. @param {Editor} editor */
export function captureStatus({ page }) {
  return page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.recording']");
}

/** The item of the capture that colours the sources. @param {Editor} editor */
export function captureInView({ page }) {
  return page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.captureInView']");
}

/** Opens a file as capture that the editor takes for some binary one. @param {Editor} editor @param {string} path */
export async function openAsCapture(editor, path) {
  await editor.openFile(path);
  await editor.page
    .locator(".editor-group-container.active .editor-actions")
    .getByRole("button", { name: "Open as Capture" })
    .click();
}

/**
 * A row of the Captures view. Its accessible name has the texts of the row, separated by commas, and the name of the file where
 * the row shows target and time instead.
 * @param {Editor} editor
 * @param {string | RegExp} text
 */
export function captureRow({ page }, text) {
  return page
    .locator(".pane", { has: page.locator(".pane-header", { hasText: "Captures" }) })
    .getByRole("treeitem", { name: text })
    .first();
}

/** Opens a saved capture from its row. @param {Editor} editor @param {string} name of the file, without its ending */
export async function openCapture(editor, name) {
  await editor.showViews();
  const row = captureRow(editor, name);
  await row.waitFor();
  // Panels about the capture have its name in their titles, too.
  const tab = editor.page.locator(`.tab[data-resource-name="${name}.pb.gz"]`).first();
  await clickUntil(row, () => tab.isVisible());
}

/**
 * Clicks a row until the effect is seen: a click on a row that is drawn anew just then only selects it, and a row whose
 * text the click has changed is not clicked again. Items of the status bar and buttons of views are drawn anew, too.
 * @param {import("playwright-core").Locator} row
 * @param {() => boolean | Promise<boolean>} done
 * @param {{clickCount?: number}} [how]
 */
export function clickUntil(row, done, how = {}) {
  return tried("what a click on the row leads to", async (timeout) => {
    if (await done()) return true;
    await row.click({ ...how, timeout });
    return until("that", done, 2 * timeout);
  });
}

/** @param {Editor} editor @param {string} label of the theme @param {string} kind  the workbench's class then */
export async function chooseTheme(editor, label, kind) {
  await editor.command("Preferences: Color Theme");
  const input = inputBox(editor);
  await input.fill(label);
  // The list may be complete only after the text is.
  await editor.page.locator(`${ROWS}.focused`, { hasText: label }).waitFor();
  await input.press("Enter");
  await editor.page.locator(`.monaco-workbench.${kind}`).waitFor();
}

/** Puts the cursor into a line. @param {Editor} editor @param {number} line */
export async function goToLine(editor, line) {
  await editor.goToLine(line);
  await until(`line ${String(line)}`, async () => (await cursor(editor)).line === line);
}

/**
 * Inserts text at the cursor, as one event: of keys that are typed one by one, a disturbed browser may lose one, and it
 * goes to whatever has the focus, which is the text only some time after a picker has closed.
 * @param {Editor} editor
 * @param {string} text
 */
export async function typeIntoText({ page }, text) {
  await page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
  await page.keyboard.insertText(text);
}

/** The lens of a function, when it shows figures that pass. @param {Editor} editor @param {string} functionName @param {(text: string) => boolean} [passes] */
export function lensOf({ page }, functionName, passes = () => true) {
  return until(`lens of ${functionName}`, async () => {
    const { lenses } = await sourcePane(page);
    const lens = lenses.find(({ about }) => about === functionName);
    if (lens === undefined) throw new Error(`lenses of ${lenses.map(({ about }) => about).join(", ")}`);
    if (!passes(lens.text)) throw new Error(lens.text);
    return lens;
  });
}

/** Percentages and samples of a lens's text. @param {string} text */
export function lensFigures(text) {
  const numbers = /([\d.]+)% (own|self) \(([\d,]+)\) · (?:≈ )?([\d.]+)% total \(([\d,]+)\)/.exec(text);
  if (numbers === null) throw new Error(`not the text of a lens: ${text}`);
  const [, share, attribution, first, total, samples] = numbers;
  const count = (/** @type {string | undefined} */ digits) => Number(digits?.replaceAll(",", ""));
  return {
    attribution,
    share: Number(share),
    shareSamples: count(first),
    total: Number(total),
    samples: count(samples),
  };
}

/** The figures above a function, clicked: its menu. They change while a capture runs, so they are read anew for each try. @param {Editor} editor @param {string} functionName */
export async function openLens(editor, functionName) {
  const { page } = editor;
  await tried(`the menu of the lens of ${functionName}`, async (timeout) => {
    const { text } = await lensOf(editor, functionName);
    const links = page.locator(".codelens-decoration[monaco-visible-content-widget] a", { hasText: text.slice(0, 4) });
    await links.and(page.locator(`[title^='${functionName}']`)).click({ timeout });
    return worked(page.locator(".quick-input-title", { hasText: functionName }).waitFor({ timeout: 5 * timeout }));
  });
}

/** Opens the context menu of an element; an item of it. @param {Editor} editor @param {import("playwright-core").Locator} element @param {string} item */
export function openMenu(editor, element, item) {
  // A row that is drawn anew closes its menu.
  return tried(`${item} in the menu`, (timeout) => menuItem(editor, element, item, timeout));
}

/**
 * The item of the context menu of an element, if the menu opens and has it within that time. Rows move when a list gets
 * another one, so that the click may reach the row beside it: a row has the focus when the menu is its own.
 * @param {Editor} editor
 * @param {import("playwright-core").Locator} element
 * @param {string} item
 * @param {number} timeout
 */
async function menuItem({ page }, element, item, timeout) {
  const wanted = page.locator(".monaco-menu .action-menu-item", { hasText: item }).first();
  try {
    await element.click({ button: "right", timeout });
    await wanted.waitFor({ timeout });
    const hasFocus = (/** @type {Element} */ clicked) =>
      clicked.closest(".monaco-list-row")?.classList.contains("focused") ?? true;
    if (!(await element.evaluate(hasFocus, undefined, { timeout }))) throw new Error("the menu of another row");
    return wanted;
  } catch (error) {
    await page.keyboard.press("Escape");
    throw error;
  }
}

/**
 * On a machine with much other work the effect of an item takes long, and begins anew with a second press. One that does
 * not come in two minutes was lost with the press.
 * @param {number} timeout   of one step of the try
 */
const effectMs = (timeout) => Math.min(20 * timeout, 120_000);

/**
 * Chooses from the context menu of an element. The menu of a row that is drawn anew just then closes as if an item had
 * been chosen: once more then, until the effect is seen.
 * @param {Editor} editor
 * @param {import("playwright-core").Locator} element
 * @param {string} item
 * @param {{leadsTo?: import("playwright-core").Locator}} [options]
 */
export async function chooseFromMenu(editor, element, item, { leadsTo } = {}) {
  let isRepeat = false;
  await tried(`${item} chosen`, async (timeout) => {
    // A press whose confirmation took too long has worked; the menu may not have its item any more.
    if (isRepeat && (await leadsTo?.isVisible()) === true) return true;
    isRepeat = true;
    if (!(await pressed(await menuItem(editor, element, item, timeout)))) return false;
    await leadsTo?.waitFor({ timeout: effectMs(timeout) });
    return true;
  });
}

/**
 * A menu runs its item by a timer, which a busy workbench gets to late. A second press before that runs the item twice, the
 * second time without the row of the menu, which the command then requests.
 * @param {import("playwright-core").Page} page
 */
const timersRan = (page) => page.evaluate(() => new Promise((resolve) => void setTimeout(resolve, 0)));

/**
 * Presses an item of a menu until the menu is closed; false when it closed by itself.
 * @param {import("playwright-core").Locator} item
 */
async function pressed(item) {
  let times = 0;
  // A menu that has just opened takes no click.
  await tried(
    "the menu gone",
    async (timeout) => {
      if ((await item.count()) > 0) {
        await item.click({ timeout: 2 * timeout });
        times += 1;
        await timersRan(item.page());
      }
      await item.waitFor({ state: "detached", timeout });
      return true;
    },
    500,
  );
  return times > 0;
}

/**
 * Chooses from the context menu of an element and answers the question that follows. A question goes without an answer when something
 * that began before takes the focus: once more then.
 * @param {Editor} editor
 * @param {import("playwright-core").Locator} element
 * @param {string} item
 * @param {{prompt?: string, text: string}} answer
 */
export async function answerFromMenu(editor, element, item, { prompt = "", text }) {
  await tried(`${item} answered`, async (timeout) => {
    await chooseFromMenu(editor, element, item, { leadsTo: inputBox(editor, prompt) });
    await typeIntoInput(editor, text, prompt, { timeout: 2 * timeout });
    return true;
  });
}

/**
 * Selects two rows of a list together. A row that is drawn anew just then loses its click, and the menu of a row that is
 * not selected is of it alone: until both are selected.
 * @param {Editor} editor
 * @param {import("playwright-core").Locator} first
 * @param {import("playwright-core").Locator} second
 */
export async function selectBoth({ page }, first, second) {
  const isSelected = (/** @type {import("playwright-core").Locator} */ row) =>
    row.and(page.locator(".selected")).isVisible();
  const areBoth = async () => (await isSelected(first)) && (await isSelected(second));
  await tried("both rows selected", async (timeout) => {
    if (await areBoth()) return true;
    await first.click({ timeout });
    await second.click({ modifiers: ["Control"], timeout });
    return until("both", areBoth, 2 * timeout);
  });
}

/** Closes the tab with this title, whether or not it has the focus. @param {Editor} editor @param {string} title */
export async function closeTab(editor, title) {
  const tab = editor.tab(title);
  await tried(`${title} closed`, async (timeout) => {
    if ((await tab.count()) > 0) await tab.click({ button: "middle", timeout });
    await tab.waitFor({ state: "detached", timeout });
    return true;
  });
}

/**
 * Compares two captures by the menus of their rows. The menu of a row that is drawn anew just then goes as if something had been chosen,
 * and where none is selected for compare, no menu has the second item: once more then.
 * @param {Editor} editor
 * @param {string} before   file without its ending
 * @param {string} after
 * @param {string} [title]   of the comparison
 */
export async function compareRows(editor, before, after, title = `${before}.pb.gz → ${after}.pb.gz`) {
  const tab = editor.tab(`Compare: ${title}`);
  await tried(`${before} and ${after} compared`, async (timeout) => {
    await chooseFromMenu(editor, captureRow(editor, before), "Select for Compare");
    const item = await menuItem(editor, captureRow(editor, after), "Compare with Selected", timeout);
    if (!(await pressed(item))) return false;
    await tab.waitFor({ timeout: effectMs(timeout) });
    return true;
  });
}

/** Makes a capture the baseline. @param {Editor} editor @param {string} name of the file, without its ending */
export async function setBaseline(editor, name) {
  // The name of the file comes first where the user gave it, else last.
  const leadsTo = captureRow(editor, new RegExp(`${name}, baseline|, baseline.*, ${name}`));
  await chooseFromMenu(editor, captureRow(editor, name), "Set as Baseline", { leadsTo });
  await baselineStatus(editor).waitFor();
}

/** The item of the baseline. @param {Editor} editor */
export function baselineStatus({ page }) {
  return page.locator(".statusbar-item[id='extrospect.extrospect.extrospect.baseline']");
}

/** Where the cursor is at this moment: in line 0 where there is none, as in a panel. @param {Editor} editor @returns {Promise<{file: string, line: number}>} */
export async function cursor({ page }) {
  const [position = ""] = await page.locator("[id='status.editor.selection']").allInnerTexts();
  const [file] = await page
    .locator(".editor-group-container.active .tab.active")
    .evaluateAll((tabs) => tabs.map((tab) => tab.getAttribute("data-resource-name")));
  return { file: file ?? "", line: Number(/Ln (\d+)/.exec(position)?.[1] ?? 0) };
}

/** Waits until the cursor is there. @param {Editor} editor @param {{file: string, line: number}} place */
export function cursorAt(editor, place) {
  return until(`the cursor at ${place.file}:${String(place.line)}`, async () => {
    const { file, line } = await cursor(editor);
    if (file !== place.file || line !== place.line) throw new Error(`${file}:${String(line)}`);
    return true;
  });
}

/** Whether the cursor is there. @param {Editor} editor @param {{file: string, line: number}} place */
export async function isCursorAt(editor, place) {
  const { file, line } = await cursor(editor);
  return file === place.file && line === place.line;
}

/** Waits until the cursor is in these lines. @param {Editor} editor @param {string} file @param {{from: number, to: number}} lines */
export function cursorWithin(editor, file, { from, to }) {
  return until(`the cursor in ${file}, lines ${String(from)} to ${String(to)}`, async () => {
    const there = await cursor(editor);
    if (there.file !== file || there.line < from || there.line > to)
      throw new Error(`${there.file}:${String(there.line)}`);
    return there;
  });
}

/** A line of the text in sight. @param {Editor} editor @param {number} line */
export async function lineElement({ page }, line) {
  const { text } = await sourcePane(page);
  return page.locator(".editor-instance .view-line", { hasText: text[line]?.trim() ?? "" }).first();
}

/** The number in front of a line. @param {Editor} editor @param {number} line */
export function lineNumber({ page }, line) {
  return page.locator(".editor-instance .margin .line-numbers").getByText(String(line), { exact: true }).first();
}
