// The browser of the tests: Debian's Chromium without a window.
export const CHROMIUM = process.env["CHROMIUM_EXECUTABLE"] ?? "/usr/bin/chromium";

/** The last list of such features counts, so this one has what playwright's has, too. */
const DISABLED_FEATURES = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  // Pages of the address bar: each window loads both, which costs three times as much as the window.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/** A browser that asks no network and draws without a graphics processor. */
export const BROWSER_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${DISABLED_FEATURES.join(",")}`,
];
