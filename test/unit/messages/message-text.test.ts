import assert from "node:assert/strict";
import { test } from "node:test";
import { ESLint } from "eslint";
import { messageText, messageWithIcon } from "../../../extension/src/messages/message-text.js";

/** As the workbench finds links in messages, pickers and views (`parseLinkedText`). */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
/** As it finds icons in labels. */
const ICON = /\$\([\w-]+(?:~\w+)?\)/;

test("a message has no link and no icon, whatever a name is, and can still be read", () => {
  for (const name of [
    "[click](command:workbench.action.terminal.new)",
    "[click](command:x 'title')",
    "[[a](https://example.org/)](file:///etc/passwd)",
    "[a]\u200b(command:x)",
    "[a]\n(command:x)",
    "[a](\u202ecommand:x)",
    "[a](HTTPS://example.org)",
    "$(error) $(sync~spin) $[a](command:x)(info)",
  ]) {
    const text = messageText(`${name} has no source.`);
    assert.doesNotMatch(text, LINK);
    assert.doesNotMatch(text, ICON);
    assert.match(text, / has no source\.$/);
    assert.doesNotMatch(text, /[\u0000-\u001f\u200b\u202e]/);
  }
  assert.equal(
    messageText("[click](command:workbench.action.terminal.new) has no source."),
    "[click] (command:workbench.action.terminal.new) has no source.",
  );
});

test("an icon of ours is in front of the text", () => {
  assert.equal(messageWithIcon("info", "$(error) [a](command:x)"), "$(info) $ (error) [a] (command:x)");
});

test("a message is no longer than the editor shows", () => {
  assert.ok(messageText("a".repeat(100_000_000)).length <= 1000);
});

test("the linter lets no other file show text", async () => {
  // The rule needs no types, which would be those of the whole extension, anew for each text.
  const overrideConfig = {
    languageOptions: { parserOptions: { projectService: false } },
    rules: { "@typescript-eslint/no-floating-promises": "off" as const },
  };
  const eslint = new ESLint({ cwd: process.cwd(), overrideConfig });
  const problemsOf = async (code: string, filePath = "extension/src/sources/sources.ts") =>
    (await eslint.lintText(`import * as vscode from "vscode";\n${code}\n`, { filePath })).flatMap(({ messages }) =>
      messages.filter(({ ruleId }) => ruleId === "no-restricted-syntax"),
    );
  for (const code of [
    "void vscode.window.showInformationMessage(name);",
    "const { window } = vscode;\nvoid window.showErrorMessage(name);",
    "const { showWarningMessage } = vscode.window;",
    'void vscode.window["setStatusBarMessage"](name);',
    "void vscode.window.withProgress({ location: 10, title: name }, run);",
    "void vscode.window.showQuickPick([name]);",
    "const picker = vscode.window.createQuickPick();",
    "void vscode.window.showInputBox({ prompt: name });",
    "view.message = name;",
    "this.#view.message = name;",
    'import { window } from "vscode";',
  ]) {
    assert.equal((await problemsOf(code)).length, 1, code);
  }
  assert.deepEqual(await problemsOf("void showInformationMessage(name);"), []);
  assert.deepEqual(
    await problemsOf("void vscode.window.showInformationMessage(name);", "extension/src/messages/show-message.ts"),
    [],
  );
});
