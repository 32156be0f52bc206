import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import * as vscode from "vscode";
import {
  capturedWithOwnTime,
  eventually,
  figuresOf,
  fileLens,
  headLine,
  hottestLineOf,
  hoverOf,
  PRICING,
  reverted,
  shopFile,
  tidied,
  unescaped,
} from "./demo-shop.js";

const BEST_PRICE = "demo_pricing:best_price/2";
const EDITED = /This line was edited after the VM's code was compiled/;
const FIGURES =
  /[\d.]+% own ± [\d.]+ \([\d,]+\) · (≈ )?[\d.]+% self ± [\d.]+ \([\d,]+\) · (≈ )?[\d.]+% total ± [\d.]+ \([\d,]+\) · of [\d,]+ busy samples/;

/** The figures of a hover, without the text about the line. */
function figuresIn(hover: vscode.MarkdownString | undefined): string {
  return FIGURES.exec(unescaped(hover))?.[0] ?? "";
}

describe("text that is edited", () => {
  const uri = () => shopFile(PRICING);
  let head: number;
  let hottest: number;
  let editor: vscode.TextEditor;
  before(async () => {
    await capturedWithOwnTime(BEST_PRICE);
    head = headLine(uri(), "best_price(");
    hottest = await hottestLineOf(BEST_PRICE);
  });
  beforeEach(async () => {
    editor = await vscode.window.showTextDocument(uri());
    // The reference text is the text at the time of the first look at the capture.
    await eventually("the lens of an unedited text", async () => (await figuresOf(uri())).has(head));
  });
  afterEach(() => reverted(uri()));
  after(tidied);

  it("a file as the VM runs it has no note", async () => {
    assert.equal(await fileLens(uri()), "");
    const hover = await hoverOf(uri(), hottest);
    assert.notEqual(figuresIn(hover), "");
    assert.doesNotMatch(unescaped(hover), EDITED);
  });

  it("a line that only moved keeps its figures without a mark", async () => {
    const before = figuresIn(await hoverOf(uri(), hottest));
    assert.notEqual(before, "");
    await editor.edit((edit) => {
      edit.insert(new vscode.Position(head, 0), "%% one\n%% two\n%% three\n");
    });
    const hover = await hoverOf(uri(), hottest + 3);
    assert.equal(figuresIn(hover), before);
    assert.doesNotMatch(unescaped(hover), EDITED);
    assert.ok((await figuresOf(uri())).has(head + 3));
    assert.match(await fileLens(uri()), /0 of \d+ hot lines changed/);
  });

  it("an edited hot line keeps its figures and is marked as edited", async () => {
    const before = figuresIn(await hoverOf(uri(), hottest));
    assert.notEqual(before, "");
    const { end } = editor.document.lineAt(hottest).range;
    await editor.edit((edit) => {
      edit.insert(end, " % dearer");
    });
    const hover = await hoverOf(uri(), hottest);
    assert.equal(figuresIn(hover), before);
    assert.match(unescaped(hover), EDITED);
    assert.match(await fileLens(uri()), /1 of \d+ hot lines changed/);
    assert.ok((await figuresOf(uri())).has(head));
  });

  it("a deleted hot line counts for its function", async () => {
    const before = (await figuresOf(uri())).get(head) ?? "";
    const next = figuresIn(await hoverOf(uri(), hottest + 1));
    await editor.edit((edit) => {
      edit.delete(editor.document.lineAt(hottest).rangeIncludingLineBreak);
    });
    const lens = (await figuresOf(uri())).get(head) ?? "";
    assert.ok(lens.startsWith(before), `${lens} begins like ${before}`);
    assert.match(lens.slice(before.length), /gone/);
    assert.equal(
      figuresIn(await hoverOf(uri(), hottest)),
      next,
      "the next line, now in its place, has its own figures",
    );
  });

  it("a renamed function keeps its lens, which shows the former name", async () => {
    const before = (await figuresOf(uri())).get(head) ?? "";
    const text = editor.document.getText();
    await editor.edit((edit) => {
      edit.replace(
        new vscode.Range(0, 0, editor.document.lineCount, 0),
        text.replaceAll(/\bbest_price\(/g, "cheapest_price("),
      );
    });
    const lens = (await figuresOf(uri())).get(head) ?? "";
    assert.ok(lens.startsWith(before), `${lens} begins like ${before}`);
    assert.match(lens.slice(before.length), / · was best_price\/2/);
  });

  it("a function that was deleted has no lens, the others keep theirs", async () => {
    const redeem = headLine(uri(), "redeem(");
    const cheaper = headLine(uri(), "cheaper(");
    const before = await figuresOf(uri());
    assert.ok(before.has(redeem), [...before].join("\n"));
    await editor.edit((edit) => {
      edit.delete(new vscode.Range(redeem, 0, cheaper, 0));
    });
    const after = await figuresOf(uri());
    const gone = before.get(redeem);
    before.delete(redeem);
    // Lines below moved up; functions with few samples have no lens at all.
    assert.deepEqual(
      [...after],
      [...before].map(([line, title]) => [line >= cheaper ? line - (cheaper - redeem) : line, title]),
    );
    assert.ok(![...after.values()].includes(gone ?? ""), gone);
  });

  it("typed and undone text leaves no trace", async () => {
    const before = [...(await figuresOf(uri()))];
    await editor.edit((edit) => {
      edit.insert(new vscode.Position(0, 0), "%% one\n");
    });
    await reverted(uri());
    assert.deepEqual([...(await figuresOf(uri()))], before);
    assert.equal(await fileLens(uri()), "");
  });
});

describe("a file that differs from the code in the VM", () => {
  const uri = () => shopFile(PRICING);
  let original: string;
  before(() => {
    original = readFileSync(uri().fsPath, "utf8");
  });
  after(async () => {
    await tidied();
    writeFileSync(uri().fsPath, original);
  });

  it("gives a message, and finds functions by their forms", async () => {
    const head = headLine(uri(), "best_price(");
    // Before the capture is there: no text is known that the VM can have compiled.
    writeFileSync(uri().fsPath, `%% one\n%% two\n%% three\n${original}`);
    await capturedWithOwnTime(BEST_PRICE);
    const editor = await vscode.window.showTextDocument(uri());
    assert.ok(editor.document.getText().startsWith("%% one"));
    await eventually("what is said about the file", async () =>
      /differs from the text that the VM runs/.test(await fileLens(uri())),
    );
    const figures = await figuresOf(uri());
    assert.match(figures.get(head + 3) ?? "", /% own/);
    assert.equal(figures.has(head), false);
  });
});
