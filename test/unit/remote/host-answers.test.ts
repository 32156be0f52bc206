import assert from "node:assert/strict";
import { test } from "node:test";
import {
  HostAnswers,
  MAX_NOISE_BYTES,
  TooMuchNoise,
  type HostAnswer,
} from "../../../extension/src/remote/host-answers.js";

const WORD = "extrospect-0123";
const TEXT = `Welcome!\r\nneed\n${WORD}need\n> ${WORD} need\n${WORD} nonsense\n${WORD} failed nonsense x\n${WORD} start cached /home/me/x\nContent-Length: 2\r\n\r\n{}`;
const kinds = (answers: readonly HostAnswer[]) => answers.map(({ kind }) => kind);

test("answers are found among whatever else is written, cut anywhere", () => {
  const bytes = Buffer.from(TEXT);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const answers = new HostAnswers(WORD);
    const found = answers.feed(bytes.subarray(0, cut));
    const hasStarted = found.some(({ kind }) => kind === "start");
    if (!hasStarted) found.push(...answers.feed(bytes.subarray(cut)));
    assert.deepEqual(kinds(found), ["need", "start"], `cut at ${String(cut)}`);
    const start = found.at(-1);
    assert.ok(start?.kind === "start" && !start.isInstalled);
    const after = hasStarted ? bytes.subarray(cut).toString() : "";
    assert.equal(start.rest.toString() + after, "Content-Length: 2\r\n\r\n{}");
  }
});

test("each answer has its parts", () => {
  const only = (line: string) => new HostAnswers(WORD).feed(Buffer.from(`${WORD} ${line}\n`))[0];
  assert.deepEqual(only("unfit Darwin-arm64\r"), { kind: "unfit", machine: "Darwin-arm64" });
  assert.deepEqual(only("failed execute /home/a b/.cache"), {
    kind: "failed",
    step: "execute",
    detail: "/home/a b/.cache",
  });
  assert.deepEqual(only("failed checksums"), { kind: "failed", step: "checksums", detail: "" });
  assert.deepEqual(only("none"), { kind: "none" });
  const installed = only("start installed /usr/x");
  assert.ok(installed?.kind === "start" && installed.isInstalled);
});

test("a stream without an end is given up, in lines and without any", () => {
  for (const piece of ["y\n".repeat(1000), "y".repeat(2000)]) {
    const answers = new HostAnswers(WORD);
    let fed = 0;
    assert.throws(() => {
      for (; fed < MAX_NOISE_BYTES * 4; fed += piece.length) answers.feed(Buffer.from(piece));
    }, TooMuchNoise);
    assert.ok(fed <= MAX_NOISE_BYTES + piece.length);
  }
});
