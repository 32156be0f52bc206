// Writes the expected answers of fixtures.mjs anew: `node test/captures/renew-expected.mjs`, then read `git diff`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answered, CASES, EXPECTED, laidOut, textOf } from "./fixtures.mjs";

const folder = mkdtempSync(join(tmpdir(), "extrospect-expected-"));
try {
  await laidOut(folder);
  rmSync(EXPECTED, { recursive: true, force: true });
  mkdirSync(EXPECTED, { recursive: true });
  for (const [name, args] of Object.entries(CASES))
    writeFileSync(join(EXPECTED, `${name}.txt`), textOf(args, await answered(folder, args)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
