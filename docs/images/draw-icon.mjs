// Turns docs/images/icon.svg into media/icon.png: marketplaces take no SVG.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ROOT } from "../../scripts/project.mjs";
import { CHROMIUM } from "../../test/chromium.mjs";

const SIZE = 256;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
await page.setContent(`<style>body{margin:0}</style>${readFileSync(join(ROOT, "docs/images/icon.svg"), "utf8")}`);
await page.screenshot({ path: join(ROOT, "media/icon.png"), omitBackground: true });
await browser.close();
