// Opens the demo project in an editor: the user's own VS Code, else one in the browser.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.mjs";
import { findProgram } from "./find-program.mjs";
import { serveEditor } from "./editor-server.mjs";
import { installEditor } from "./install-editor.mjs";
import { LINUX_PACKAGE, packageExtension } from "./package-extension.mjs";
import { Interrupted } from "./problem.mjs";
import { ROOT, VSIX } from "./project.mjs";
import { heading, paragraph, step } from "./steps.mjs";
import { EDITOR_REQUIREMENTS, ensureSystemPackages } from "./system-packages.mjs";

/**
 * Stays until Ctrl-C, so that the demo VM is there to be profiled.
 * @param {{program: import("./demo-programs.mjs").DemoProgram, demoPid: number, demoEnded: Promise<void>, signal: AbortSignal}} options
 */
export async function openEditor({ program, demoPid, demoEnded, signal }) {
  heading("Editor");
  const folder = join(ROOT, program.project);
  await step("extension", async () => ({
    outcome: await packageExtension({ signal, packages: [LINUX_PACKAGE], profile: "quick" }),
  }));
  const interrupted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  if (await openOwnEditor(folder, signal)) {
    paragraph(todo(program.firstFile, demoPid, "Ctrl-C ends the demo VM."));
    await Promise.race([interrupted, demoEnded]);
    return;
  }
  await step("system packages", async (progress) => ({
    outcome: await ensureSystemPackages(EDITOR_REQUIREMENTS, { signal, progress }),
  }));
  await step("VS Code", async (progress) => ({ outcome: await installEditor({ signal, progress }) }));
  const home = join(ROOT, "dist/editor");
  mkdirSync(home, { recursive: true });
  const server = await step("server", async () => {
    const value = await serveEditor({ home, vsix: VSIX, signal });
    return { outcome: "on this machine only, without a password", value };
  });
  if (server === null) throw new Interrupted();
  try {
    paragraph(
      `\nOpen ${server.address}/?folder=${encodeURIComponent(folder)}\n\n${todo(program.firstFile, demoPid, "Ctrl-C ends the editor's server and the demo VM.")}`,
    );
    await Promise.race([interrupted, server.ended, demoEnded]);
  } finally {
    await server.stop();
  }
}

/**
 * @param {string} folder
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether there is a VS Code and it took the extension
 */
async function openOwnEditor(folder, signal) {
  const code = findProgram("code");
  if (code === null) return false;
  return step("VS Code", async () => {
    const installed = await run(code, ["--install-extension", VSIX, "--force"], { signal });
    // As root, for one, it refuses.
    if (installed.code !== 0) return { outcome: `${code} takes no extension; using one in the browser`, value: false };
    const opened = await run(code, [folder], { signal });
    return opened.code === 0
      ? { outcome: `${code} opens the demo project`, value: true }
      : { outcome: `${code} does not open; using one in the browser`, value: false };
  });
}

/** @param {string} firstFile @param {number} demoPid @param {string} end */
function todo(firstFile, demoPid, end) {
  return [
    `In it: F1, "Extrospect: Start Capture", choose the demo (pid ${demoPid}), and open ${firstFile}.`,
    "The capture just taken is in the Captures view of the Extrospect side bar.",
    end,
  ].join("\n");
}
