import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HelperMessages } from "../../../contract/protocol.generated.js";
import { errorLine, helperText } from "../../../extension/src/messages/helper-text.js";
import { GERMAN, GERMAN_TEXTS } from "../german.js";

const english: Record<string, string> = JSON.parse(readFileSync("l10n/bundle.l10n.json", "utf8"));

test("every code of the protocol has its message in English and in German, with the same arguments", () => {
  const names = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  const entries = Object.entries(HelperMessages);
  assert.ok(entries.length > 80);
  for (const [code, text] of entries) {
    assert.equal(english[text], text, `${code} is not in l10n/bundle.l10n.json`);
    const translated = GERMAN_TEXTS[text];
    assert.ok(translated !== undefined && translated !== "", `${code} is not in l10n/bundle.l10n.de.json`);
    assert.deepEqual(names(translated), names(text), code);
  }
});

test("a text is made from code and arguments, each put in once", () => {
  const message = { code: "noProcess", arguments: { pid: "{pid}" } };
  assert.equal(helperText("there is no process 7", message, GERMAN), "es gibt keinen Prozess {pid}");
  assert.equal(helperText("17", undefined, GERMAN), "17");
  assert.equal(
    helperText("said by a later helper", { code: "later", arguments: {} }, GERMAN),
    "said by a later helper",
  );
  const error = {
    what: "English",
    why: "",
    fix: "try again shortly",
    exitCode: 1,
    messages: { what: { code: "notAVm", arguments: { pid: "3" } }, fix: { code: "toTryLater" } },
  };
  assert.equal(
    errorLine(error, GERMAN),
    "Prozess 3 ist keine Erlang-VM; versuchen Sie es in einem Augenblick noch einmal",
  );
});
