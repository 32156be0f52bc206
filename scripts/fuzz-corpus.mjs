// The inputs of each fuzz target that are worth keeping: merged to the few that reach everything, in one small file each, which is in the
// repository. Later runs begin with them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { lastLines, run } from "./command.mjs";
import { MAX_INPUT_BYTES } from "./fuzz-seeds.mjs";
import { Problem } from "./problem.mjs";
import { HELPER_WORKSPACE } from "./project.mjs";

const FOLDER = join(HELPER_WORKSPACE, "fuzz");
/** So much of one target is kept, compressed: the smallest inputs, of which there are the most. */
export const MAX_KEPT_BYTES = 48 * 1024;
const LENGTH_BYTES = 4;

/** Where a target's inputs are while it runs. @param {string} target */
export const corpusFolder = (target) => join(FOLDER, "corpus", target);
/** @param {string} target */
export const keptFile = (target) => join(FOLDER, "kept", `${target}.gz`);

/** Puts the kept inputs among those that the target begins with. @param {string} target */
export function unpack(target) {
  if (!existsSync(keptFile(target))) return;
  const folder = corpusFolder(target);
  mkdirSync(folder, { recursive: true });
  for (const bytes of inputsOf(readFileSync(keptFile(target))))
    writeFileSync(join(folder, createHash("sha1").update(bytes).digest("hex")), bytes);
}

/**
 * Merges the findings of a target, and keeps the small ones of them.
 * @param {string} target
 * @param {string} program
 * @returns {Promise<string>} a summary of the result
 */
export async function keep(target, program) {
  const folder = corpusFolder(target);
  const merged = `${folder}.merged`;
  rmSync(merged, { recursive: true, force: true });
  mkdirSync(merged, { recursive: true });
  const before = readdirSync(folder).length;
  const args = ["-merge=1", `-max_len=${MAX_INPUT_BYTES}`, "-rss_limit_mb=1024", merged, folder];
  const { code, stderr } = await run(program, args, { cwd: FOLDER });
  if (code !== 0)
    throw new Problem(`the corpus of ${target} cannot be merged`, lastLines(stderr), `${program} ${args.join(" ")}`);
  rmSync(folder, { recursive: true });
  renameSync(merged, folder);
  const inputs = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const packed = pack(inputs);
  mkdirSync(join(FOLDER, "kept"), { recursive: true });
  writeFileSync(keptFile(target), packed.file);
  return `corpus ${before} -> ${inputs.length}, of which ${packed.count} are kept in ${(statSync(keptFile(target)).size / 1024).toFixed(0)} KiB`;
}

/**
 * As many as there is room for, the smallest first: each with its length before it, all of it compressed.
 * @param {Buffer[]} inputs
 * @param {number} [mostBytes]
 */
export function pack(inputs, mostBytes = MAX_KEPT_BYTES) {
  const sorted = inputs.filter(({ length }) => length > 0).sort((a, b) => a.length - b.length || Buffer.compare(a, b));
  const packed = (/** @type {number} */ count) =>
    gzipSync(
      Buffer.concat(
        sorted.slice(0, count).flatMap((bytes) => {
          const length = Buffer.alloc(LENGTH_BYTES);
          length.writeUInt32LE(bytes.length);
          return [length, bytes];
        }),
      ),
      { level: 9 },
    );
  let [fits, tooMany] = [0, sorted.length + 1];
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (packed(middle).length <= mostBytes) fits = middle;
    else tooMany = middle;
  }
  return { file: packed(fits), count: fits };
}

/** @param {Buffer} file @returns {Buffer[]} */
export function inputsOf(file) {
  const bytes = gunzipSync(file);
  const inputs = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + LENGTH_BYTES + bytes.readUInt32LE(at);
    inputs.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return inputs;
}
