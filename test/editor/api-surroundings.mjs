// The surroundings of the API tests, in the browser's extension host and in a desktop one: folders, a VM, a large
// capture.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repeatCapture } from "../../bench/large-capture.mjs";
import { ERLANG_DEMO } from "../../scripts/demo-programs.mjs";
import { startDemo } from "../../scripts/demo-vm.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { FarMachine } from "../hosts/far-machine.mjs";
import { Sshd } from "../hosts/sshd.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { compileSources } from "../vms/vm.mjs";
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
 * @property {(suite: ApiSuite) => Promise<Record<string, string>>} environment   for the extension host; the VM runs only once a suite needs it
 * @property {() => Promise<void>} remove
 */

/** @returns {ApiSurroundings} */
export function apiSurroundings() {
  const demoProject = demoWorkspace();
  const plainFolder = mkdtempSync(join(tmpdir(), "extrospect-plain-"));
  // Tests find the captures here.
  mkdirSync(join(demoProject, ".vscode"), { recursive: true });
  writeFileSync(
    join(demoProject, ".vscode/settings.json"),
    JSON.stringify({ "extrospect.capture.folder": "captures" }),
  );
  writeFileSync(join(plainFolder, "notes.txt"), "Nothing of Erlang in here.\n");
  const large = join(plainFolder, "large.pb.gz");
  const real = readFileSync(join(ROOT, "test/unit/capture/fixtures/demo.pb.gz"));
  writeFileSync(large, Buffer.concat(repeatCapture(real, { samples: LARGE_SAMPLES, variety: 0.05 }).members));
  /** @type {import("../../scripts/demo-vm.mjs").Demo | undefined} */
  let demo;
  /** @type {(() => unknown)[]} */
  const afterwards = [];
  return {
    // The VM keeps the machine busy: measurements without it come first.
    suites: [
      { name: "plain-folder", folder: plainFolder },
      { name: "demo-project", folder: demoProject },
    ],
    environment: async ({ name }) => {
      if (name === "plain-folder")
        return {
          EXTROSPECT_API_SUITE: name,
          EXTROSPECT_LARGE_CAPTURE: large,
          EXTROSPECT_LARGE_SAMPLES: String(LARGE_SAMPLES),
        };
      demo ??= await startDemo(ERLANG_DEMO.unhurried);
      // A VM of it is started by the one test that needs it.
      const otp = await prepareOtp("25");
      const names = await compileSources(otp);
      const t = { after: (/** @type {() => unknown} */ undo) => afterwards.push(undo) };
      const far = await Sshd.start(t);
      const machine = await FarMachine.start(t, "far-shop");
      const shop = await Sshd.start(t, { machine });
      shop.alsoFor(far, "shop");
      return {
        EXTROSPECT_SSH_PROGRAM: far.ssh,
        EXTROSPECT_FAR_UID: String(far.uid),
        EXTROSPECT_SHOP_PID: String(await machine.startVm(t, shop.uid)),
        EXTROSPECT_API_SUITE: name,
        EXTROSPECT_DEMO_PID: String(demo.pid),
        EXTROSPECT_NAMES_FOLDER: names,
        // Debug files of tests are for no other program, and tests use none that others have fetched.
        DEBUGINFOD_CACHE_PATH: join(plainFolder, "debuginfod"),
        DEBUGINFOD_URLS: "",
      };
    },
    remove: async () => {
      await demo?.stop();
      for (const undo of afterwards.reverse()) await undo();
      for (const folder of [demoProject, plainFolder]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
