// The page of the flame graph.

import { webviewPage, type PageSources } from "../shared/page.js";

export { contentSecurityPolicy, type PageSources } from "../shared/page.js";

export function flameGraphPage(sources: PageSources): string {
  return webviewPage("Flame graph", sources);
}
