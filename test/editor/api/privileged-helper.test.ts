// Installing and removing the helper with rights: a terminal runs the command that the question shows. None runs here.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { api } from "./demo-shop.js";

/** The question of a command, answered so, and its input to terminals. */
async function asked(command: string, answer: string | undefined) {
  await api();
  const [questions, typed]: [string[], string[]] = [[], []];
  const { showWarningMessage, createTerminal } = vscode.window;
  Object.assign(vscode.window, {
    showWarningMessage: (text: string, { detail = "" }: vscode.MessageOptions, ...buttons: string[]) => {
      questions.push(text, detail, ...buttons);
      return Promise.resolve(answer);
    },
    createTerminal: () => ({ show: () => undefined, sendText: (text: string) => void typed.push(text) }),
  });
  try {
    await vscode.commands.executeCommand(command);
  } finally {
    Object.assign(vscode.window, { showWarningMessage, createTerminal });
  }
  return { questions, typed };
}

describe("the privileged helper", () => {
  for (const { command, question, runs } of [
    {
      command: "extrospect.installPrivilegedHelper",
      question: "Install the privileged helper?",
      runs: /extrospect\S* install/,
    },
    {
      command: "extrospect.removePrivilegedHelper",
      question: "Remove the privileged helper?",
      runs: /extrospect\S* uninstall'?$/,
    },
  ]) {
    it(`${command} shows its command, which runs in a terminal once that is confirmed`, async () => {
      const { questions, typed } = await asked(command, "Run in a Terminal");
      const [text, detail = "", ...buttons] = questions;
      assert.deepEqual([text, buttons], [question, ["Run in a Terminal"]]);
      assert.equal(typed.length, 1);
      assert.match(typed[0] ?? "", runs);
      assert.ok(detail.endsWith(`which may prompt for a password: ${typed[0] ?? ""}`), detail);
      assert.deepEqual((await asked(command, undefined)).typed, []);
    });
  }
});
