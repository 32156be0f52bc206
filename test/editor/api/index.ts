// Runs in the extension host: the bundled tests of one suite. Writes the result of each test to a file.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Mocha from "mocha";

const TEST_PATIENCE_MS = 240_000;
/** Of the suite with its own folder; all others are tests in the demo project. */
const PLAIN_FOLDER = "plain-folder.test.cjs";

export interface ApiTestResult {
  readonly title: string;
  /** Undefined when it passed. */
  readonly error?: string;
}

/** Called by the editor; it exits with 1 when this rejects. */
export async function run(): Promise<void> {
  const mocha = new Mocha({
    ui: "bdd",
    timeout: TEST_PATIENCE_MS,
    color: false,
    forbidOnly: true,
    forbidPending: true,
  });
  const isPlain = process.env["EXTROSPECT_API_SUITE"] === "plain-folder";
  const names = readdirSync(__dirname).filter(
    (name) => name.endsWith(".test.cjs") && (name === PLAIN_FOLDER) === isPlain,
  );
  for (const name of names.sort()) mocha.addFile(join(__dirname, name));
  const results: ApiTestResult[] = [];
  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on("pass", (test) => results.push({ title: test.fullTitle() }));
    runner.on("fail", (test, error: unknown) =>
      results.push({
        title: test.fullTitle(),
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
    );
  });
  const file = process.env["EXTROSPECT_API_RESULTS"];
  if (file !== undefined) writeFileSync(file, JSON.stringify(results));
  if (failures > 0) throw new Error(`${String(failures)} tests failed`);
}
