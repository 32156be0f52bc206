// Builds the project of native/ where it lies, as rebar3 would, with debug information, and runs it:
// Erlang, a NIF library in C and one in Rust.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cargoEnvironment } from "../../scripts/cargo.mjs";
import { prepareOtp } from "./otp.mjs";
import { NIF_HEADERS, runErl } from "./vm.mjs";

const run = promisify(execFile);
const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "native");
const NATIVE_FILES = ["c_src/shop_c.c", "native/shop_rust/src/lib.rs"];

/**
 * @param {string} folder   the copy of the project
 * @returns {Promise<import("./vm.mjs").RunningVm>}
 */
export async function runNativeProject(folder) {
  cpSync(PROJECT, folder, { recursive: true });
  const built = join(folder, "_build");
  mkdirSync(built, { recursive: true });
  const sources = readdirSync(join(folder, "src")).map((name) => join(folder, "src", name));
  await run("erlc", ["+debug_info", "-o", built, ...sources]);
  const [inC = "", inRust = ""] = NATIVE_FILES.map((file) => join(folder, file));
  await run("cc", ["-g", "-O2", "-shared", "-fPIC", `-I${NIF_HEADERS}`, "-o", join(built, "shop_c.so"), inC]);
  const rust = ["--crate-type", "cdylib", "--crate-name", "shop_rust", "--edition", "2024", "-g", "-O"];
  await run("rustc", [...rust, "-o", join(built, "shop_rust.so"), inRust], { env: cargoEnvironment() });
  return runErl({ otp: await prepareOtp("25"), module: "shop_native", emulatorFlags: ["-pa", built] });
}

/**
 * The marks in the sources: the function and line of each hot line, its file below the project.
 * @returns {{name: string, file: string, line: number}[]}
 */
export function nativeHotLines() {
  return NATIVE_FILES.flatMap((file) =>
    readFileSync(join(PROJECT, file), "utf8")
      .split("\n")
      .flatMap((text, index) => {
        const name = /^\s*\/[/*] hot: (\S+)/.exec(text)?.[1];
        return name === undefined ? [] : [{ name, file, line: index + 2 }];
      }),
  );
}
