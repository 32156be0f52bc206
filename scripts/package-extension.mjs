// npm run package: one VSIX with everything in it, for editors on x86-64 Linux.
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildExtension } from "./build-extension.mjs";
import { buildHelper } from "./build-helper.mjs";
import { lastLines, run } from "./command.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { exitCodeOf, explain, Problem } from "./problem.mjs";
import { ROOT, VSIX, VSIX_FILE } from "./project.mjs";
import { step } from "./steps.mjs";
import { BUILD_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/**
 * Packs what was built. The helper and the npm packages must be there.
 * @param {{signal?: AbortSignal | undefined}} [options]
 * @returns {Promise<string>} what was done
 */
export async function packageExtension({ signal } = {}) {
  await buildExtension();
  // Everything is bundled, so there are no dependencies to pack. Links of the README stay as they are: it has no home on the web yet.
  const args = ["package", "--no-dependencies", "--no-rewrite-relative-links", "--target", "linux-x64", "--out", VSIX_FILE];
  const { code, stdout, stderr } = await run(join(ROOT, "node_modules/.bin/vsce"), args, { cwd: ROOT, ...(signal && { signal }) });
  if (code !== 0) throw new Problem("the extension cannot be packed", lastLines(stderr || stdout), `node_modules/.bin/vsce ${args.join(" ")}`);
  return `packed ${VSIX_FILE}, ${(statSync(VSIX).size / 1e6).toFixed(1)} MB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await step("system packages", async (progress) => ({ outcome: await ensureSystemPackages(BUILD_REQUIREMENTS, { progress }) }));
    await step("npm packages", async () => ({ outcome: await ensureNpmPackages() }));
    await step("helper", async (progress) => ({ outcome: await buildHelper({ progress }) }));
    await step("extension", async () => ({ outcome: await packageExtension() }));
  } catch (error) {
    console.error(explain(error));
    process.exitCode = exitCodeOf(error);
  }
}
