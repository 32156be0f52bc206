// Chromium as tests start it: without a sandbox, which refuses root, without a graphics processor and without a network.
import { chromium } from "playwright-core";

/** Debian's `chromium-headless-shell` has the engine without a user interface around it: each start and each frame costs less. */
export const CHROMIUM = process.env["CHROMIUM_EXECUTABLE"] ?? "/usr/bin/chromium-headless-shell";

export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @returns {Promise<import("playwright-core").Browser>} */
export const startChromium = () =>
  chromium.launch({ executablePath: CHROMIUM, headless: true, timeout: 0, args: CHROMIUM_FLAGS });
