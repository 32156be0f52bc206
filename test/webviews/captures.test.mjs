// The pages of captures, in one browser. One of them alone: `node --test test/webviews/top.page.mjs`.
import { after } from "node:test";
import { keepBrowser } from "./shared-browser.mjs";
import "./blame.page.mjs";
import "./compare.page.mjs";
import "./history.page.mjs";
import "./summary.page.mjs";
import "./top.page.mjs";

after(keepBrowser());
