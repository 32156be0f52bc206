// The function that is selected in a view has a mark in its source, as long as it is selected.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FunctionLines } from "../../../extension/src/annotate/function-at.js";
import { SelectedMark } from "../../../extension/src/annotate/selected-mark.js";

interface Editor {
  readonly name: string;
  version: number;
  /** Lines of the functions in it. */
  functions: Readonly<Record<string, FunctionLines>>;
}

const PRICING = { quote: { line: 3, endLine: 9 }, redeem: { line: 11, endLine: 14 } };

/** Editors in sight, the marks drawn in them, and answers that come when the test lets them. */
function window(...editors: Editor[]) {
  const drawn: string[] = [];
  const waiting: (() => void)[] = [];
  const state = { selected: undefined as string | undefined, editors, isSlow: false };
  const mark = new SelectedMark<Editor>({
    all: () => state.editors,
    version: ({ version }) => version,
    linesIn: async ({ functions }) => {
      const lines = functions[state.selected ?? ""];
      if (state.isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return lines;
    },
    draw: ({ name }, lines) => {
      drawn.push(`${name} ${lines === undefined ? "none" : `${String(lines.line)}-${String(lines.endLine)}`}`);
    },
  });
  return {
    state,
    mark,
    /** The marks since the last call. */
    drawn: () => drawn.splice(0),
    answerAll: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

const editor = (name: string, functions: Editor["functions"]): Editor => ({ name, version: 1, functions });

test("only the editor that has the selected function is marked; another selection moves the mark, none removes it", async () => {
  const { state, mark, drawn } = window(editor("pricing", PRICING), editor("stock", { take: { line: 5, endLine: 5 } }));
  await mark.refresh();
  assert.deepEqual(drawn(), [], "nothing is selected");
  state.selected = "quote";
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing 3-9"]);
  await mark.refresh();
  assert.deepEqual(drawn(), [], "what is there already is not drawn again");
  state.selected = "redeem";
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing 11-14"]);
  state.selected = "take";
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing none", "stock 5-5"]);
  state.selected = "lists:map/2";
  await mark.refresh();
  assert.deepEqual(drawn(), ["stock none"]);
});

test("an edit moves the mark with the text, so it is drawn anew where the function is, or removed with it", async () => {
  const pricing = editor("pricing", PRICING);
  const { state, mark, drawn } = window(pricing);
  state.selected = "quote";
  await mark.refresh();
  drawn();
  pricing.version = 2;
  pricing.functions = { quote: { line: 3, endLine: 10 } };
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing 3-10"]);
  // Edited within: the same lines, while the editor may have moved the mark.
  pricing.version = 3;
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing 3-10"]);
  pricing.version = 4;
  pricing.functions = {};
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing none"]);
});

test("an answer about an earlier selection that comes late draws nothing", async () => {
  const { state, mark, drawn, answerAll } = window(editor("pricing", PRICING));
  state.isSlow = true;
  state.selected = "quote";
  const first = mark.refresh();
  state.selected = "redeem";
  const second = mark.refresh();
  answerAll();
  await Promise.all([first, second]);
  assert.deepEqual(drawn(), ["pricing 11-14"]);
});

test("an editor that comes into sight later has the mark, too", async () => {
  const { state, mark, drawn } = window(editor("pricing", PRICING));
  state.selected = "quote";
  await mark.refresh();
  state.editors = [...state.editors, editor("the same, split", PRICING)];
  await mark.refresh();
  assert.deepEqual(drawn(), ["pricing 3-9", "the same, split 3-9"]);
});
