// Pages of the documentation in a package that has only some of them.

/**
 * Links lead to pages of the package, by their names there; a link to any other page is its words alone.
 * @param {string} text
 * @param {Record<string, string>} pages   names in the package by names in docs/
 */
export function withPackagedLinks(text, pages) {
  return text.replace(/\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/g, (link, words, target, anchor = "") => {
    if (target === "" || /^https?:/.test(target)) return link;
    const page = Object.hasOwn(pages, target) ? pages[target] : undefined;
    return page === undefined ? words : `[${words}](${page}${anchor})`;
  });
}
