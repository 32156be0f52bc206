import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutCaptureText } from "../../../extension/src/command-profile/without-capture.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

test("the end of the command is shown, and nothing unknown", () => {
  const text = (exitCode: number | undefined) => withoutCaptureText("mix tets", exitCode, ENGLISH);
  const unknown = "It started no Erlang VM, or none that could be sampled; its terminal shows which.";
  assert.equal(text(0), `\`mix tets\` succeeded but has no capture. ${unknown}`);
  assert.equal(text(1), `\`mix tets\` has no capture: it ended with exit code 1. ${unknown}`);
  assert.equal(text(undefined), `\`mix tets\` has no capture: it did not end by itself. ${unknown}`);
  assert.match(text(126), /exit code 126, which means that the shell may not execute a command\.$/);
  assert.match(text(127), /exit code 127, which means that the shell did not find a command\.$/);
  assert.match(
    withoutCaptureText("false", 1, GERMAN),
    /^`false` hat keine Aufnahme: Er endete mit Exit-Code 1\. Er startete/,
  );
});
