// Runs in the extension host: every bundled *.test.cjs beside it, and tells what came of each test in a file.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Mocha from "mocha";

const TEST_PATIENCE_MS = 60_000;

export interface ApiTestResult {
  readonly title: string;
  /** Undefined when it passed. */
  readonly error?: string;
}

/** Called by the editor; it exits with 1 when this rejects. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: TEST_PATIENCE_MS, color: false });
  for (const name of readdirSync(__dirname).sort()) if (name.endsWith(".test.cjs")) mocha.addFile(join(__dirname, name));
  const results: ApiTestResult[] = [];
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on("pass", (test) => results.push({ title: test.fullTitle() }));
    runner.on("fail", (test, error: unknown) => results.push({ title: test.fullTitle(), error: error instanceof Error ? (error.stack ?? error.message) : String(error) }));
  });
  const file = process.env["EXTROSPECT_API_RESULTS"];
  if (file !== undefined) writeFileSync(file, JSON.stringify(results));
  if (failures > 0) throw new Error(`${String(failures)} tests failed`);
}
