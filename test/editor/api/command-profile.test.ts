import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { ProfiledCommand } from "../../../extension/src/command-profile/register-command-profile.js";
import { api, eventually, messagesDuring } from "./demo-shop.js";

/** Sorts until something of its capture is written, and for a moment longer. @param folder where captures go */
const erlang = (folder: string) =>
  `L = lists:seq(1, 100000), W = fun W(0) -> ok; W(N) -> lists:sort(fun(A, B) -> A > B end, L), [F || F <- filelib:wildcard("${folder}/command-*.pb.gz"), filelib:file_size(F) > 0] =/= [] orelse W(N - 1) end, W(3000), [lists:sort(fun(A, B) -> A > B end, L) || _ <- lists:seq(1, 20)], halt(3).`;

describe("a command that is profiled", () => {
  const folder = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", "captures");
  const profile = (command: string) =>
    vscode.commands.executeCommand<ProfiledCommand | undefined>("extrospect.profileCommand", { command });

  it("runs in a terminal, and the capture of its VM is shown when it has ended", async () => {
    const { captures } = await api();
    let profiled: ProfiledCommand | undefined;
    const said = await messagesDuring(async () => {
      profiled = await profile(`erl -noshell -eval '${erlang(folder)}'`);
    });
    assert.equal(profiled?.exitCode, 3);
    const [file = ""] = profiled.files;
    assert.equal(profiled.files.length, 1);
    assert.ok(existsSync(file));
    const shown = captures.current;
    assert.equal(shown?.uri.fsPath, file);
    assert.ok(shown.capture.totals.samples > 0);
    await eventually("a message", () =>
      said.some((text) => text.includes("is captured and shown. Its exit code is 3.")),
    );
    await vscode.commands.executeCommand("extrospect.closeCapture", { uri: shown.uri.toString() });
  });

  it("without a VM gives the message that there is no capture", async () => {
    let profiled: ProfiledCommand | undefined;
    const said = await messagesDuring(async () => {
      profiled = await profile("exit 4");
    });
    assert.deepEqual(profiled, { files: [], exitCode: 4 });
    assert.match(
      said.join("\n"),
      /`exit 4` has no capture: it ended with exit code 4\. It started no Erlang VM, or none/,
    );
  });
});
