// The pages of VMs, and pages in another language, in one browser. One of them alone: `node --test test/webviews/memory.page.mjs`.
import { after } from "node:test";
import { keepBrowser } from "./shared-browser.mjs";
import "./german.page.mjs";
import "./memory.page.mjs";
import "./processes.page.mjs";
import "./stacks.page.mjs";
import "./time-spent.page.mjs";
import "./waits.page.mjs";

after(keepBrowser());
