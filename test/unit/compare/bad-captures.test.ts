// The answers of the editor's own module about captures that do not fit each other, or are broken.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import type { Answer, Comparison } from "../../../contract/editor-module.generated.js";
import { compareCaptures } from "../../../extension/src/editor-module/editor-module.js";
import { ProfileBuilder } from "../capture/profile-builder.js";

const MODULE = {
  module: resolve("dist/editor-module/editor-module.wasm"),
  thread: resolve("dist/extension/editor-module-thread.cjs"),
};
const DEMO = readFileSync("test/unit/capture/fixtures/demo.pb.gz");

function made(names: readonly string[], { samples = 200, startedMs = 0 } = {}): Uint8Array {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .comment('extrospect/target {"pid":7,"otp_release":"25"}')
    .comment('extrospect/settings {"frequency_hz":99}');
  // Nanoseconds since 1970.
  if (startedMs > 0) profile.scalar(9, startedMs * 1e6);
  names.forEach((name, index) =>
    profile
      .function(index + 1, name, `erlang!${name}`, "src/a.erl", index + 1)
      .location(index + 1, [[index + 1, index + 1]]),
  );
  names.forEach((_, index) => {
    if (samples > 0) profile.sample({ locations: [index + 1], values: [samples] });
  });
  return profile.gzip();
}

function compared(base: Uint8Array, newer: Uint8Array): Promise<Answer> {
  const side = (name: string) => ({ name, captures: [{ name: `${name}.pb.gz`, own: null }] });
  return compareCaptures(
    MODULE,
    {
      base: side("before"),
      new: side("after"),
      measure: null,
      anyway: false,
      base_texts: {},
      new_texts: {},
      renamed: [],
    },
    [base, newer],
  );
}

async function comparison(base: Uint8Array, newer: Uint8Array): Promise<Comparison> {
  const answer = await compared(base, newer);
  assert.ok(answer.type === "compared", JSON.stringify(answer));
  return answer.value.comparison;
}

function refusal(answer: Answer): string {
  assert.ok(answer.type === "refused", JSON.stringify(answer));
  return answer.value.text;
}

test("captures of different projects are refused with the reason", async () => {
  const answer = await compared(made(["shop:cart/1", "shop:price/1"]), made(["till:open/0", "till:close/0"]));
  assert.equal(
    refusal(answer),
    "before and after have no Erlang function in common: they are captures of different programs",
  );
});

test("a capture without samples is refused with the side that has none", async () => {
  const answer = await compared(made(["shop:cart/1"]), made(["shop:cart/1"], { samples: 0 }));
  assert.equal(refusal(answer), "after has no busy samples: there is nothing to compare");
});

test("a cut file is compared up to its end, with a remark; a file that is no profile is named, with the kind of reason", async () => {
  const { notes } = await comparison(DEMO, DEMO.subarray(0, Math.floor(DEMO.length * 0.7)));
  assert.ok(
    notes.some(({ kind, values }) => kind === "truncated" && values[0] === "after.pb.gz"),
    JSON.stringify(notes),
  );
  const garbage = await compared(DEMO, Buffer.from("no profile"));
  assert.ok(garbage.type === "unread", JSON.stringify(garbage));
  const { capture, problem } = garbage.value;
  assert.deepEqual({ capture, problem }, { capture: "after.pb.gz", problem: "notAProfile" });
  const empty = await compared(DEMO, new Uint8Array());
  assert.ok(empty.type === "unread" && empty.value.problem === "empty", JSON.stringify(empty));
});

test("when the newer side was recorded first, because the sides were swapped or a clock went back, there is a remark", async () => {
  const [early, late] = [1_000, 2_000].map((startedMs) => made(["shop:cart/1"], { startedMs })) as [
    Uint8Array,
    Uint8Array,
  ];
  const kinds = async (base: Uint8Array, newer: Uint8Array) =>
    (await comparison(base, newer)).notes.map(({ kind }) => kind);
  assert.ok((await kinds(late, early)).includes("order"));
  assert.ok(!(await kinds(early, late)).includes("order"));
});
