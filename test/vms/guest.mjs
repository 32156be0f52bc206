// A small machine of its own with Debian's kernel, emulated: for tests that this machine's kernel cannot run, since it
// is another one, or since they would disturb everything that runs here. It can be suspended, and requires rights as
// Debian's kernels do.
import { execFile, spawn } from "node:child_process";
import {
  copyFileSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { preparedKernel } from "./kernels.mjs";

const execFileAsync = promisify(execFile);

const ERLANG = "/usr/lib/erlang";
const LIBRARIES = ["kernel", "stdlib"];
/** Programs of busybox that scripts in it use beside the shell's own words. */
const TOOLS = [
  "sh",
  "mount",
  "cat",
  "sleep",
  "date",
  "grep",
  "mkdir",
  "chmod",
  "chown",
  "su",
  "poweroff",
  "dmesg",
  "rm",
  "insmod",
  "unshare",
  "nsenter",
  "ping",
  "base64",
  "head",
  "mkfifo",
];

/** An answer that is there when the script came to its end in time. */
export const ENDED = "script-ended";

/**
 * The first program in it, before the script of a test. `ERL` starts a VM with the rest of the line as its arguments.
 */
const FIRST = `#!/bin/sh
export PATH=/bin HOME=/tmp LANG=C.UTF-8 ROOTDIR=${ERLANG} EMU=beam
for each in ${ERLANG}/erts-*; do export BINDIR=$each/bin; done
export ERL="$BINDIR/erlexec -noshell -noinput -boot ${ERLANG}/bin/start_clean -pa /vm"
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
dmesg -n 1
# Runs a command; what it says and how it ends is what the test gets under that name.
try() { name=$1; shift; echo "<<$name"; "$@" 2>&1; echo ">>$name $?"; }
. /script.sh
try ${ENDED} true
poweroff -f
`;

/**
 * Starts it, runs a shell script in it as root, and ends it.
 * @param {object} options
 * @param {string} options.helper  program that lies there as /bin/extrospect
 * @param {string} options.beams   folder of compiled modules, which lies there as /vm
 * @param {string} options.script  for busybox's shell; \`try NAME COMMAND\` gives the test the output of the command
 * @param {string[]} [options.programs]  of this machine, absolute paths: each lies there as /bin/NAME, with its libraries
 * @param {string[]} [options.modules]   of that kernel, by name: each lies there as /modules/NAME.ko
 * @param {Record<string, string>} [options.files]  more files, by their absolute paths there; only root may read them
 * @param {import("./kernels.mjs").KernelSuite} [options.suite]  of Debian, whose kernel it has; this machine's own when absent
 * @param {number} [options.processors]  how many it has
 * @param {number} [options.memoryMb]
 * @param {number} [options.timeoutMs]
 * @returns {Promise<Map<string, {output: string, code: number}>>}
 *   the answers in time, with {@link ENDED} when all were
 */
export async function inGuest({
  helper,
  beams,
  script,
  programs = [],
  modules = [],
  files = {},
  suite,
  processors = 2,
  memoryMb = 1024,
  timeoutMs = 600_000,
}) {
  const kernel = await preparedKernel(suite);
  const folder = mkdtempSync(join(tmpdir(), "extrospect-guest-"));
  try {
    const root = join(folder, "root");
    await fillRoot(root, { helper, beams, script });
    for (const program of programs) await addProgram(root, program);
    for (const module of modules) addModule(root, kernel.modules, module);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, { mode: 0o600 });
    }
    const image = join(folder, "root.cpio");
    await pack(root, image);
    return answersIn(await boot(kernel.image, image, { processors, memoryMb, timeoutMs }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} root @param {{helper: string, beams: string, script: string}} content */
async function fillRoot(root, { helper, beams, script }) {
  for (const name of ["bin", "proc", "sys", "dev", "tmp", "etc", "vm", "usr/local/libexec"])
    mkdirSync(join(root, name), { recursive: true });
  copyFileSync("/bin/busybox", join(root, "bin/busybox"));
  for (const tool of TOOLS) symlinkSync("busybox", join(root, "bin", tool));
  copyFileSync(helper, join(root, "bin/extrospect"));
  for (const name of readdirSync(beams).filter((file) => file.endsWith(".beam")))
    copyFileSync(join(beams, name), join(root, "vm", name));
  const runtime = readdirSync(ERLANG).find((name) => name.startsWith("erts-"));
  const libraries = readdirSync(join(ERLANG, "lib")).filter((name) =>
    LIBRARIES.some((wanted) => name.startsWith(`${wanted}-`)),
  );
  for (const name of ["bin", `${String(runtime)}/bin`, ...libraries.map((library) => `lib/${library}/ebin`)]) {
    const place = join(root, ERLANG, name);
    mkdirSync(place, { recursive: true });
    await execFileAsync("cp", ["--recursive", "--dereference", `${join(ERLANG, name)}/.`, place]);
  }
  await addLibraries(root, join(ERLANG, String(runtime), "bin/beam.smp"));
  writeFileSync(join(root, "script.sh"), script);
  writeFileSync(join(root, "init"), FIRST, { mode: 0o755 });
}

/** @param {string} root @param {string} program */
async function addProgram(root, program) {
  copyFileSync(program, join(root, "bin", basename(program)));
  await addLibraries(root, program);
}

/** The libraries that a program is linked with. @param {string} root @param {string} program */
async function addLibraries(root, program) {
  const { stdout } = await execFileAsync("ldd", [program]);
  for (const [library] of stdout.matchAll(/\/\S+/g)) {
    mkdirSync(join(root, dirname(library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}

/** @param {string} root @param {string} modules   folder of that kernel's @param {string} name */
function addModule(root, modules, name) {
  const found = readdirSync(modules, { recursive: true, encoding: "utf8" }).find(
    (path) => basename(path) === `${name}.ko`,
  );
  if (found === undefined) throw new Error(`that kernel has no module ${name}`);
  mkdirSync(join(root, "modules"), { recursive: true });
  copyFileSync(join(modules, found), join(root, "modules", `${name}.ko`));
}

/** @param {string} root @param {string} image */
async function pack(root, image) {
  const packed = spawn("sh", ["-c", "find . | cpio --quiet --create --format=newc"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  packed.stdout.pipe(createWriteStream(image));
  const code = await new Promise((resolve) => packed.once("close", resolve));
  if (code !== 0) throw new Error(`cpio ended with ${String(code)}`);
}

/** Emulated, not virtualised: it runs wherever tests do. @param {string} kernel @param {string} image
 * @param {{processors: number, memoryMb: number, timeoutMs: number}} size */
async function boot(kernel, image, { processors, memoryMb, timeoutMs }) {
  const machine = [
    "-accel",
    "tcg,thread=multi",
    "-cpu",
    "max",
    "-smp",
    String(processors),
    "-m",
    String(memoryMb),
    "-no-reboot",
    "-display",
    "none",
    "-nic",
    "none",
  ];
  // On a busy machine the check of its timer comes to wrong results.
  const words = "console=ttyS0 panic=-1 quiet mem_sleep_default=deep no_timer_check";
  const { stdout } = await execFileAsync(
    "qemu-system-x86_64",
    [...machine, "-serial", "stdio", "-kernel", kernel, "-initrd", image, "-append", words],
    {
      timeout: timeoutMs,
      maxBuffer: 16 << 20,
    },
  );
  return stdout;
}

/** @param {string} printed */
function answersIn(printed) {
  const text = printed.replaceAll("\r\n", "\n");
  /** @type {Map<string, {output: string, code: number}>} */
  const answers = new Map();
  for (const [, name = "", output = "", code] of text.matchAll(/<<(\S+)\n([^]*?)>>\1 (\d+)\n/g))
    answers.set(name, { output, code: Number(code) });
  if (answers.size === 0) throw new Error(`it did not come to its script:\n${text.slice(-2_000)}`);
  return answers;
}
