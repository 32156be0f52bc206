// Where a capture goes and what its file is called. No vscode in here.

/** Ending of capture files. */
export const CAPTURE_ENDING = ".pb.gz";

const SHORT_COMMIT = 7;

/** `shop-20261121-140312-ab12cd3.pb.gz`: the node without its host (or the process id), the local time and the start of the commit's name, if there is one; fit for any file system. */
export function captureFileName(node: string | null, pid: number, at: Date, commit = ""): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${String(at.getFullYear())}${two(at.getMonth() + 1)}${two(at.getDate())}`;
  const time = `${two(at.getHours())}${two(at.getMinutes())}${two(at.getSeconds())}`;
  const end = commit === "" ? "" : `-${commit.slice(0, SHORT_COMMIT)}`;
  return `${fileNamePart((node ?? "").split("@")[0] ?? "") || `beam-${String(pid)}`}-${day}-${time}${end}${CAPTURE_ENDING}`;
}

/** The name, or with a number when it is taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const stem = name.slice(0, -CAPTURE_ENDING.length);
  for (let number = 2; ; number += 1) {
    const candidate = `${stem}-${String(number)}${CAPTURE_ENDING}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** What a person typed as the new name of a capture, with the ending; undefined when no file can be called that. */
export function renamedTo(typed: string): string | undefined {
  const stem = typed.trim().replace(/(\.pb\.gz)+$/i, "");
  if (stem === "" || stem === "." || stem === ".." || stem.length > 200 || /[\\/:*?"<>|\u0000-\u001f]/.test(stem)) return undefined;
  return stem + CAPTURE_ENDING;
}

// A node name is another program's text: no separators, no leading dot, not endless.
function fileNamePart(text: string): string {
  return text
    .slice(0, 100)
    .replace(/[^\p{L}\p{N}@._-]+/gu, "_")
    .replace(/^[.\-_]+|[.\-_]+$/g, "")
    .slice(0, 60);
}
