// What the API tests need around them, in the browser's extension host and in a desktop one: folders, a VM, a large capture.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repeatCapture } from "../../bench/large-capture.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { demoWorkspace } from "./demo-workspace.mjs";

const LARGE_SAMPLES = 1_000_000;

/**
 * @typedef {object} ApiSuite
 * @property {"demo-project" | "plain-folder"} name   of the files that make it up
 * @property {string} folder                          to be opened
 */

/**
 * @typedef {object} ApiSurroundings
 * @property {readonly ApiSuite[]} suites
 * @property {(suite: ApiSuite) => Record<string, string>} environment   for the extension host
 * @property {() => Promise<void>} remove
 */

/** @returns {Promise<ApiSurroundings>} */
export async function apiSurroundings() {
  const demoProject = demoWorkspace();
  const plainFolder = mkdtempSync(join(tmpdir(), "extrospect-plain-"));
  writeFileSync(join(plainFolder, "notes.txt"), "Nothing of Erlang in here.\n");
  const large = join(demoProject, "captures/large.pb.gz");
  mkdirSync(join(demoProject, "captures"), { recursive: true });
  const real = readFileSync(join(ROOT, "test/unit/capture/fixtures/demo.pb.gz"));
  writeFileSync(large, Buffer.concat(repeatCapture(real, { samples: LARGE_SAMPLES, variety: 0.05 }).members));
  const remove = async () => {
    for (const folder of [demoProject, plainFolder]) rmSync(folder, { recursive: true, force: true });
  };
  const demo = await startDemo().catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    suites: [
      { name: "demo-project", folder: demoProject },
      { name: "plain-folder", folder: plainFolder },
    ],
    environment: ({ name }) => ({
      EXTROSPECT_API_SUITE: name,
      EXTROSPECT_DEMO_PID: String(demo.pid),
      EXTROSPECT_LARGE_CAPTURE: large,
      EXTROSPECT_LARGE_SAMPLES: String(LARGE_SAMPLES),
    }),
    remove: async () => {
      await demo.stop();
      await remove();
    },
  };
}
