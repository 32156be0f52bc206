// The properties that the helper needs to run on any x86-64 Linux, whatever its C library.

const MACHINE_X86_64 = 62;
const SEGMENT_INTERPRETER = 3; // PT_INTERP: a dynamic loader is needed
/** Makes growth noticeable: raised on purpose, when an addition is worth it. */
export const HELPER_BYTES_MAX = 9_000_000;
/** The variable that only a helper built for tests contains and obeys (the feature `test-forget`). */
export const TEST_ONLY_WORDS = "EXTROSPECT_TEST_FORGET";

/**
 * @param {Buffer} file
 * @returns {string | null} its fault as the shipped helper
 */
export function shippedHelperFault(file) {
  return file.length > HELPER_BYTES_MAX
    ? `it has ${file.length} bytes, the limit is ${HELPER_BYTES_MAX}`
    : helperFault(file);
}

/**
 * @param {Buffer} file
 * @returns {string | null} its fault, whatever its size
 */
export function helperFault(file) {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46) return "it is not an ELF file";
  if (file.includes(TEST_ONLY_WORDS)) return `it is built for tests: it holds ${TEST_ONLY_WORDS}`;
  const [bits, byteOrder] = [file[4], file[5]];
  if (bits !== 2 || byteOrder !== 1 || file.readUInt16LE(18) !== MACHINE_X86_64) return "it is not built for x86-64";
  const tableOffset = Number(file.readBigUInt64LE(32));
  const entryBytes = file.readUInt16LE(54);
  const entryCount = file.readUInt16LE(56);
  for (let index = 0; index < entryCount; index += 1) {
    const offset = tableOffset + index * entryBytes;
    if (offset + 4 > file.length) return "its program headers are cut off";
    if (file.readUInt32LE(offset) === SEGMENT_INTERPRETER) return "it is not static: it asks for a dynamic loader";
  }
  return null;
}
