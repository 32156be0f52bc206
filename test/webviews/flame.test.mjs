// The pages with a flame graph, in one browser. One of them alone: `node --test test/webviews/flame-graph.page.mjs`.
import { after } from "node:test";
import { keepBrowser } from "./shared-browser.mjs";
import "./flame-filters.page.mjs";
import "./flame-graph.page.mjs";
import "./flame-session.page.mjs";

after(keepBrowser());
