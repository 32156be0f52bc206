// The preparations of tests, made once, and side by side where one does not need the other.
import { join } from "node:path";
import { bundleTests } from "./bundle-tests.mjs";
import { buildForgetfulHelper, buildQuickHelper } from "./build-helper.mjs";
import { cacheFolder } from "./cache-folder.mjs";
import { cloneLock } from "./clone-lock.mjs";
import { BUILDING, removeHalfMade } from "./half-made.mjs";
import { installEditor } from "./install-editor.mjs";
import { keepBuilds, takeKeptBuilds, thisClone } from "./kept-builds.mjs";
import { installStore } from "./install-store.mjs";
import { ensureNpmPackages } from "./npm-packages.mjs";
import { packageExtension } from "./package-extension.mjs";
import { ROOT } from "./project.mjs";
import { rustPrograms } from "./run-tests.mjs";
import { paragraph, step } from "./steps.mjs";
import {
  BUILD_REQUIREMENTS,
  EDITOR_REQUIREMENTS,
  ensureSystemPackages,
  TEST_REQUIREMENTS,
} from "./system-packages.mjs";

/** @typedef {import("./test-groups.mjs").Preparation} Preparation */

/** Who runs tests may write there. */
const CLONE_LOCK = join(ROOT, "dist/set-up.lock");

/**
 * @param {AbortSignal} signal
 * @returns {(wanted: Preparation[]) => Promise<unknown>} makes the wanted preparations, each of them once
 */
export function preparations(signal) {
  /** @type {Map<Preparation, Promise<unknown>>} */
  const begun = new Map();
  const prepare = (/** @type {Preparation} */ what) => {
    const known = begun.get(what) ?? makers[what]();
    begun.set(what, known);
    return known;
  };
  const alone = cloneLock(CLONE_LOCK, {
    signal,
    onWait: (pid) => paragraph(`another run in this clone makes what tests need (process ${pid}): this one waits`),
  });
  const all = (/** @type {Preparation[]} */ wanted) => Promise.all(wanted.map(prepare));

  /** @type {Record<Preparation, () => Promise<unknown>>} */
  const makers = {
    system: () =>
      step("system packages", async (progress) => ({
        outcome: await ensureSystemPackages([...BUILD_REQUIREMENTS, ...TEST_REQUIREMENTS, ...EDITOR_REQUIREMENTS], {
          signal,
          progress,
        }),
      })),
    npm: () => step("npm packages", () => alone(async () => ({ outcome: await ensureNpmPackages({ signal }) }))),
    keptBuilds: async () => {
      await all(["system"]);
      return step("compiled crates", () =>
        alone(async () => {
          const { outcome, mayKeep } = await takeKeptBuilds(thisClone(), signal);
          return { outcome, value: mayKeep };
        }),
      );
    },
    helper: async () => {
      await all(["system", "keptBuilds"]);
      return step("helper", (progress) =>
        alone(async () => ({ outcome: await buildQuickHelper({ signal, progress }) })),
      );
    },
    testHelper: async () => {
      await all(["system", "helper"]);
      return step("helper for tests", (progress) =>
        alone(async () => ({ outcome: await buildForgetfulHelper({ signal, progress }) })),
      );
    },
    extension: async () => {
      await all(["npm", "helper"]);
      return step("extension", () =>
        alone(async () => ({ outcome: await packageExtension({ signal, profile: "quick" }) })),
      );
    },
    editor: async () => {
      await all(["system"]);
      return step("editor", async (progress) => ({ outcome: await installEditor({ signal, progress }) }));
    },
    store: async () => {
      await all(["system"]);
      return step("store of profiles", async (progress) => ({ outcome: await installStore({ signal, progress }) }));
    },
    otp: async () => {
      await all(["system"]);
      return step("Erlang VMs", async (progress) => ({ outcome: await prepareVms(progress, signal) }));
    },
    bundles: async () => {
      await all(["npm"]);
      return step("TypeScript tests", () =>
        alone(async () => ({
          outcome: `bundled ${(await Promise.all([bundleTests("test/unit"), bundleTests("test/oracles")])).flat().length} files`,
        })),
      );
    },
    leftBuilds: async () => {
      await all(["helper", "testHelper", "extension", "rust"]);
      return step("for the next clone", async () =>
        (await prepare("keptBuilds")) === true
          ? alone(() => keepBuilds(thisClone(), signal))
          : { outcome: "nothing is kept: this clone was used before" },
      );
    },
    rust: async () => {
      // After the helper, which more tests wait for: cargo lets one at a time work in a place.
      await all(["system", "helper"]);
      return step("Rust tests", (progress) =>
        alone(async () => ({ outcome: await compiledRustTests({ signal, progress }) })),
      );
    },
  };
  return all;
}

/** One after the other: a package manager fills the network and a processor by itself. @param {(text: string) => void} progress @param {AbortSignal} signal */
async function prepareVms(progress, signal) {
  const { ALL_OTP_RELEASES, prepareOtp } = await import("../test/vms/otp.mjs");
  const { compileSources } = await import("../test/vms/vm.mjs");
  const { prepareEjabberd } = await import("../test/vms/ejabberd.mjs");
  removeHalfMade(cacheFolder(), BUILDING);
  for (const release of ALL_OTP_RELEASES) {
    progress(`OTP ${release}`);
    await compileSources(await prepareOtp(release, signal), signal);
  }
  progress("ejabberd");
  await prepareEjabberd("27", signal);
  return `OTP ${ALL_OTP_RELEASES.join(", ")} and ejabberd are ready`;
}

/**
 * Code that does not compile fails when its tests are run; the others go on.
 * @param {Parameters<typeof rustPrograms>[0]} options
 */
async function compiledRustTests(options) {
  return rustPrograms(options).then(
    (programs) => `compiled ${programs.length} programs`,
    () => "do not compile: see below",
  );
}
