// Loaded before each npm script (`node -r`): an older Node stops with a sentence, not at the first word that it does not
// know. So this file has none that is newer than ES5, and is no ES module, which Node links as a whole before it runs.
"use strict";

var fs = require("fs");
var path = require("path");

/**
 * @param {string} version   as process.version
 * @param {string} wanted    as package.json has it: ">=20.19"
 * @returns {boolean}
 */
function isOldNode(version, wanted) {
  var numbers = version.replace("v", "").split(".").map(Number);
  var least = wanted.replace(">=", "").split(".").map(Number);
  for (var at = 0; at < least.length; at++) {
    var number = numbers[at] || 0;
    var needed = least[at] || 0;
    if (number !== needed) return number < needed;
  }
  return false;
}

var wanted = JSON.parse(fs.readFileSync(path.join(__dirname, "../package.json"), "utf8")).engines.node;
if (isOldNode(process.version, wanted)) {
  var why = process.execPath + " is " + process.version + ", and Extrospect needs " + wanted;
  var fix = "install Node.js " + wanted.replace(">=", "") + " or later: https://nodejs.org/en/download";
  console.error("\nerror: this Node.js is too old\n  why: " + why + "\n  fix: " + fix);
  process.exit(1);
}

module.exports = { isOldNode: isOldNode };
