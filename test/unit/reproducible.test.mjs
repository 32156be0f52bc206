// On a fresh machine the folders of cargo's registries are not there before the first build: it has to be the same program as the second.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { HELPER_TARGET, HELPER_WORKSPACE } from "../../scripts/project.mjs";
import { CARGO_HOME, withoutFolders } from "../../scripts/reproducible.mjs";

test("the folder of each registry is left out of the first program already", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-cargo-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // A home of cargo that has everything but unpacked crates, so that no network is needed.
  const cargoHome = join(folder, "home");
  mkdirSync(join(cargoHome, "registry"), { recursive: true });
  for (const name of readdirSync(CARGO_HOME).filter((entry) => entry !== "registry"))
    symlinkSync(join(CARGO_HOME, name), join(cargoHome, name));
  for (const name of readdirSync(join(CARGO_HOME, "registry")).filter((entry) => entry !== "src"))
    symlinkSync(join(CARGO_HOME, "registry", name), join(cargoHome, "registry", name));
  // A program with one crate of the helper's own.
  const workspace = join(folder, "program");
  mkdirSync(join(workspace, "src"), { recursive: true });
  writeFileSync(join(workspace, "src/main.rs"), "fn main() {}\n");
  const [locked = "", version = ""] =
    /^\[\[package\]\]\nname = "libc"\nversion = "([^"]+)"[\s\S]*?(?=\n\n)/m.exec(
      readFileSync(join(HELPER_WORKSPACE, "Cargo.lock"), "utf8"),
    ) ?? [];
  writeFileSync(
    join(workspace, "Cargo.toml"),
    `[package]\nname = "program"\nversion = "0.0.0"\nedition = "2024"\n[dependencies]\nlibc = "=${version}"\n[workspace]\n`,
  );
  writeFileSync(
    join(workspace, "Cargo.lock"),
    `version = 4\n\n${locked}\n\n[[package]]\nname = "program"\nversion = "0.0.0"\ndependencies = [\n "libc",\n]\n`,
  );
  const [first, second] = [
    await withoutFolders(HELPER_TARGET, { workspace, cargoHome }),
    await withoutFolders(HELPER_TARGET, { workspace, cargoHome }),
  ];
  const unpacked = readdirSync(join(cargoHome, "registry/src"));
  assert.ok(unpacked.length > 0);
  for (const name of unpacked)
    assert.match(first.join(" "), new RegExp(`--remap-path-prefix=${join(cargoHome, "registry/src", name)}=/crates"`));
  assert.deepEqual(first, second);
});
