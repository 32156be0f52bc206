// The Debian package, installed, upgraded, removed and purged in fresh root folders of Debian.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { cargo, cargoEnvironment } from "../../scripts/cargo.mjs";
import { packageDeb } from "../../scripts/package-deb.mjs";
import { DEB, HELPER_TARGET, HELPER_VERSION, HELPER_WORKSPACE } from "../../scripts/project.mjs";
import { writeBoms } from "../../scripts/sbom.mjs";
import { readBom } from "../bom.mjs";
import { andNightly } from "../nightly.mjs";
import { installationUnder, prepareOtp } from "../vms/otp.mjs";
import { HELPER, temporaryFolder } from "./helper.mjs";

const PROGRAM = "usr/bin/extrospect";
const COPY = "usr/local/libexec/extrospect/extrospect";
const CAPABILITIES = "cap_ipc_lock,cap_sys_ptrace,cap_sys_nice,cap_perfmon,cap_bpf=p";
/** The oldest dpkg here, whose group is made by groupadd, and the newest, where systemd-sysusers may be. */
const ROOTS = andNightly(
  /** @type {[string, import("../vms/otp.mjs").OtpRelease][]} */ ([["Debian 13", "27"]]),
  /** @type {[string, import("../vms/otp.mjs").OtpRelease][]} */ ([
    ["Debian 11", "23"],
    ["Debian sid", "29"],
  ]),
);

before(() => packageDeb());

test("its bill of materials has every crate of the helper, as cargo itself lists them", async () => {
  await writeBoms([DEB]);
  const { components } = readBom(DEB);
  const args = [
    "tree",
    "--locked",
    "-p",
    "cli",
    "--edges",
    "normal,no-proc-macro",
    "--target",
    HELPER_TARGET,
    "--prefix",
    "none",
    "--format",
    "{p}",
  ];
  const tree = execFileSync(cargo(), args, {
    cwd: HELPER_WORKSPACE,
    env: cargoEnvironment(),
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const lock = readFileSync(join(HELPER_WORKSPACE, "Cargo.lock"), "utf8");
  const crates = new Set(tree.split("\n").filter((line) => line !== ""));
  assert.ok(crates.size > 60, `${crates.size} crates`);
  for (const line of crates) {
    const [, name = "", version = ""] = /^(\S+) v(\S+)/.exec(line) ?? [];
    const component = components.find((one) => one.name === name && one.version === version);
    assert.ok(component, `${line} is missing`);
    assert.ok(component.purl?.startsWith(`pkg:cargo/${name}@${version}`), component.purl);
    const isOurs = line.includes("(/");
    const [hash] = component.hashes ?? [];
    assert.equal(hash === undefined, isOurs, line);
    if (hash !== undefined)
      assert.ok(
        lock.includes(`name = "${name}"\nversion = "${version}"\n`) && lock.includes(`checksum = "${hash.content}"`),
        line,
      );
  }
});

test("the same sources make the same bytes, wherever and whenever", async (t) => {
  const folder = temporaryFolder(t);
  const [first, second] = [join(folder, "first.deb"), join(folder, "below/second.deb")];
  await packageDeb({ file: first });
  const umask = process.umask(0o077);
  try {
    await packageDeb({ file: second });
  } finally {
    process.umask(umask);
  }
  assert.ok(readFileSync(first).equals(readFileSync(second)));
  assert.ok(readFileSync(first).equals(readFileSync(DEB)));
});

test("it holds the helper without rights, and nothing that would allow something", () => {
  const listed = execFileSync("dpkg-deb", ["--contents", DEB], { encoding: "utf8" });
  const lines = listed.trim().split("\n");
  assert.deepEqual(
    lines.filter((line) => !/^[-d]\S+ root\/root /.test(line)),
    [],
    "all of it is root's",
  );
  assert.deepEqual(
    lines.filter((line) => /^.{3}[sS]|^.{6}[sS]|^.{8}w/.test(line)),
    [],
    "no set-user-id bit, and nothing for others to write to",
  );
  assert.doesNotMatch(listed, / \.\/etc\//);
  assert.match(listed, /-rwxr-xr-x .* \.\/usr\/bin\/extrospect$/m);
  const example = execFileSync(
    "sh",
    ["-c", `dpkg-deb --fsys-tarfile "${DEB}" | tar -xO ./usr/share/doc/extrospect/examples/policy.toml`],
    { encoding: "utf8" },
  );
  const active = example.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(active, ["[users]", "[groups]"], "every line that would allow something is a comment");
  const fields = execFileSync("dpkg-deb", ["--field", DEB, "Package", "Version", "Architecture"], { encoding: "utf8" });
  assert.match(fields, new RegExp(`Package: extrospect\nVersion: ${HELPER_VERSION}\nArchitecture: amd64`));
});

for (const [debian, release] of ROOTS) {
  describe(`in a fresh ${debian}`, () => {
    /** @type {string} */
    let root;
    /** @type {Set<string>} */
    let filesBefore;
    /** @type {(...argv: [string, ...string[]]) => string} */
    let inside;

    before(async () => {
      const prepared = (await prepareOtp(release)).root;
      root = `${prepared}.deb-${process.pid}`;
      // Programs are linked and never written to; the files that dpkg and the group's programs do write to are copied.
      execFileSync("cp", ["-al", prepared, root]);
      for (const part of ["etc", "var"]) {
        rmSync(join(root, part), { recursive: true });
        execFileSync("cp", ["-a", join(prepared, part), root]);
      }
      copyFileSync(DEB, join(root, basename(DEB)));
      const { wrap } = installationUnder(release, root);
      inside = (...argv) => {
        const [command, ...args] = wrap(argv);
        const run = spawnSync(command, args, {
          encoding: "utf8",
          env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
        });
        assert.equal(run.status, 0, `${argv.join(" ")}: ${run.stdout}${run.stderr}`);
        return run.stdout + run.stderr;
      };
      filesBefore = filesBelow(root);
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    test("it installs: a program without rights, and a copy with them for the group", () => {
      const said = inside("dpkg", "-i", `/${basename(DEB)}`);
      assert.match(said, /members of group extrospect/);
      assert.ok(readFileSync(join(root, PROGRAM)).equals(readFileSync(HELPER)));
      assert.equal(statSync(join(root, PROGRAM)).mode & 0o7777, 0o755);
      assert.equal(rightsOf(join(root, PROGRAM)), "");
      const copy = statSync(join(root, COPY));
      assert.equal(copy.uid, 0);
      assert.equal(copy.mode & 0o7777, 0o750);
      assert.equal(copy.gid, groupOf(root));
      assert.equal(rightsOf(join(root, COPY)), CAPABILITIES);
      assert.ok(!existsSync(join(root, "etc/extrospect")), "no policy");
      assert.match(inside("extrospect", "--version"), new RegExp(`^extrospect ${HELPER_VERSION}$`, "m"));
      assert.match(inside("extrospect", "doctor", "--json").replace(/\\"/g, ""), /this very program/);
    });

    test("bash completes commands and options", () => {
      const script = `
        . /usr/share/bash-completion/completions/extrospect
        complete -p extrospect
        ask() { COMP_WORDS=(extrospect "$@"); COMP_CWORD=$#; COMP_LINE="extrospect $*"; COMP_POINT=\${#COMP_LINE}; _extrospect extrospect "\${!#}" extrospect; echo "<\${COMPREPLY[*]}>"; }
        ask rec; ask record --eng`;
      assert.match(inside("bash", "-c", script), /<record>\n<--engine>/);
    });

    test("an upgrade replaces the copy and keeps the group", () => {
      const [inode, group] = [statSync(join(root, COPY)).ino, groupOf(root)];
      assert.match(inside("dpkg", "-i", `/${basename(DEB)}`), /replaced \/usr\/local\/libexec/);
      assert.notEqual(statSync(join(root, COPY)).ino, inode);
      assert.equal(groupOf(root), group);
      assert.equal(rightsOf(join(root, COPY)), CAPABILITIES);
    });

    test("removed, nothing with rights is left; purged, no group and no file", () => {
      inside("dpkg", "--remove", "extrospect");
      assert.ok(!existsSync(join(root, COPY)) && !existsSync(dirname(join(root, COPY))));
      assert.ok(!existsSync(join(root, PROGRAM)));
      assert.notEqual(groupOf(root), null, "what belongs to it may be anywhere");
      inside("dpkg", "--purge", "extrospect");
      assert.equal(groupOf(root), null);
      const left = [...filesBelow(root)].filter((path) => !filesBefore.has(path));
      // The folder of the copy's folder is the machine's; the others are files that programs for groups and dpkg keep.
      const expected =
        /^\.\/(usr\/local\/libexec|etc\/(group|gshadow|passwd|shadow)-|etc\/\.pwd\.lock|var\/(log|lib\/dpkg|cache)\/.*)$/;
      assert.deepEqual(
        left.filter((path) => !expected.test(path)),
        [],
      );
    });
  });
}

/** @param {string} root */
function filesBelow(root) {
  const found = execFileSync(
    "find",
    [".", "-xdev", "(", "-path", "./proc", "-o", "-path", "./dev", ")", "-prune", "-o", "-print"],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  return new Set(found.trim().split("\n"));
}

/** As getcap has them, without the name. @param {string} file */
const rightsOf = (file) => execFileSync("getcap", [file], { encoding: "utf8" }).trim().slice(file.length).trim();

/** @param {string} root @returns {number | null} */
function groupOf(root) {
  const found = /^extrospect:[^:]*:(\d+):/m.exec(readFileSync(join(root, "etc/group"), "utf8"));
  return found === null ? null : Number(found[1]);
}
