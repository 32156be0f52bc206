// A test as if on another platform: code that reads `process.platform` gets that one.
import type { TestContext } from "node:test";

/** Until the test ends. */
export function asPlatform(t: TestContext, platform: NodeJS.Platform): void {
  const real = Object.getOwnPropertyDescriptor(process, "platform");
  Object.defineProperty(process, "platform", { value: platform, configurable: true });
  t.after(() => {
    if (real !== undefined) Object.defineProperty(process, "platform", real);
  });
}
