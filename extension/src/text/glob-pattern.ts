// Globs as the editor's settings have them, for paths that are on no disk. No vscode in here.

/** Whether a path below a folder, with slashes, is meant: `**` is any folders, `*` and `?` are within a name, `{a,b}` is either. A folder that is meant is so with all in it. */
export function globPattern(glob: string): RegExp {
  let pattern = "";
  let braces = 0;
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? "";
    if (glob.startsWith("**/", at)) {
      pattern += "(?:[^/]+/)*";
      at += 2;
    } else if (glob.startsWith("**", at)) {
      pattern += ".*";
      at += 1;
    } else if (char === "*") pattern += "[^/]*";
    else if (char === "?") pattern += "[^/]";
    else if (char === "{") {
      pattern += "(?:";
      braces++;
    } else if (char === "}" && braces > 0) {
      pattern += ")";
      braces--;
    } else if (char === "," && braces > 0) pattern += "|";
    else pattern += char.replace(/[\\^$+.()|[\]{}]/, String.raw`\$&`);
  }
  return new RegExp(`^${pattern}${")".repeat(braces)}(?:/.*)?$`, "s");
}
