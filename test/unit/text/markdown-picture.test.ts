// The reference to a picture in a Markdown text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { markdownPicture } from "../../../extension/src/text/markdown-picture.js";

test("a title is text, and a name of a file stays in its brackets", () => {
  assert.equal(markdownPicture("shop", "shop.png"), "![shop](shop.png)");
  assert.equal(
    markdownPicture("[x](http://evil)", "a (1) b#?.png"),
    "![\\[x\\]\\(http\\://evil\\)](a%20%281%29%20b%23%3F.png)",
  );
});
