// Loaded before a test file (`node --import`): writes at its end how much processor time it took, its children among it.
import { writeFileSync } from "node:fs";
import { processorSeconds } from "./processor-seconds.mjs";

const file = process.env["EXTROSPECT_TEST_PROCESSOR_TIME"];
// Programs that the test starts are no test files.
delete process.env["EXTROSPECT_TEST_PROCESSOR_TIME"];
if (file !== undefined) {
  process.on("exit", () => {
    const { own, children } = processorSeconds();
    writeFileSync(file, String(own + children));
  });
}
