// Tables for spreadsheets, with names that come from VMs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../../extension/src/text/csv.js";

test("no name is a formula of a spreadsheet, whatever it begins with", () => {
  for (const [name, cell] of [
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(1)", "'@SUM(1)"],
    ["\t=1+1", "'\t=1+1"],
    ["\r=1+1", `"'\r=1+1"`],
    ["=a,b", `"'=a,b"`],
    [" =1", " =1"],
    ["a=1", "a=1"],
  ] as const) {
    assert.equal(csv(["n"], [[name]]), `n\r\n${cell}\r\n`);
    assert.equal(csv([name], []), `${cell}\r\n`, "as a title");
  }
});

test("numbers stay numbers, what is not known is empty, and quotes, commas and ends of lines end no cell", () => {
  assert.equal(
    csv(
      ["a", "b"],
      [
        [-5, true],
        [null, 'say "yes"'],
        ["a,b", "two\nlines"],
        ["two\rlines", ""],
      ],
    ),
    'a,b\r\n-5,true\r\n,"say ""yes"""\r\n"a,b","two\nlines"\r\n"two\rlines",\r\n',
  );
});
