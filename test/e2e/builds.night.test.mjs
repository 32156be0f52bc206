// Which build a VM runs: the capture contains the VM's own facts about it, and leads to the commit of the workspace
// that built it.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openPath } from "../../scripts/temporary-folder.mjs";
import { releasesOf } from "../nightly.mjs";
import { OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "./helper.mjs";
import { buildOf, checksumsAreTheVms, workingVm } from "./told-checksums.mjs";

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  return execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
}

describe("checksums are those that the VM has", () => {
  for (const release of releasesOf(OTP_RELEASES, "29"))
    test(`OTP ${release}`, async (t) => checksumsAreTheVms(t, await prepareOtp(release)));
  test("OTP 23, interpreted", async (t) => checksumsAreTheVms(t, await prepareOtp("23")));
});

describe("a release leads to the commit that it was built from", () => {
  /**
   * A project of two modules with one commit and its release, laid out as relx does it.
   * @param {string} folder
   * @param {import("../vms/otp.mjs").OtpInstallation} otp
   * @param {string} inside  the folder as the installation sees it
   */
  function project(folder, otp, inside) {
    mkdirSync(join(folder, "src"), { recursive: true });
    writeFileSync(join(folder, ".gitignore"), "_build\n");
    writeFileSync(join(folder, "src/shop.app.src"), '{application, shop, [{vsn, "1.2.3"}]}.\n');
    writeFileSync(
      join(folder, "src/shop.erl"),
      "-module(shop).\n-export([run/0]).\nrun() -> 1 + shop_cart:total(lists:seq(1, 200)), run().\n",
    );
    writeFileSync(
      join(folder, "src/shop_cart.erl"),
      "-module(shop_cart).\n-export([total/1]).\ntotal([]) -> 0;\ntotal([X | Rest]) -> X * X + total(Rest).\n",
    );
    git(folder, "init", "-q", "-b", "main");
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "first");
    git(folder, "tag", "v1.2.3");
    build(otp, inside);
    const release = join(folder, "_build/prod/rel/shop");
    mkdirSync(join(release, "releases/1.2.3"), { recursive: true });
    cpSync(join(folder, "_build/prod/lib/shop/ebin"), join(release, "lib/shop-1.2.3/ebin"), {
      recursive: true,
      preserveTimestamps: true,
    });
    writeFileSync(join(release, "releases/1.2.3/shop.rel"), "");
    for (const name of ["start", "start_clean"])
      cpSync(otp.hostPath("/usr/lib/erlang/bin/start_clean.boot"), join(release, `releases/1.2.3/${name}.boot`));
  }

  /** @param {import("../vms/otp.mjs").OtpInstallation} otp @param {string} inside */
  function build(otp, inside) {
    const [command, ...args] = otp.wrap([
      "/bin/sh",
      "-c",
      'cd "$0" && mkdir -p _build/prod/lib/shop/ebin && exec erlc +debug_info -o _build/prod/lib/shop/ebin src/*.erl',
      inside,
    ]);
    execFileSync(command, args);
  }

  /** The one that a test is about. @param {any} answer @param {string} build @returns {any} */
  const buildIn = (answer, build) => answer.builds.find((/** @type {any} */ each) => each.build === build);

  for (const release of releasesOf(OTP_RELEASES, "27"))
    test(`OTP ${release}`, async (t) => {
      const otp = await prepareOtp(release);
      const inside = openPath("builds");
      const folder = otp.hostPath(inside);
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      project(folder, otp, inside);
      const root = `${inside}/_build/prod/rel/shop`;
      const flags = [
        "-boot",
        `${root}/releases/1.2.3/start`,
        "-pa",
        `${root}/lib/shop-1.2.3/ebin`,
        "-eval",
        "spawn(fun shop:run/0).",
      ];
      const vm = await workingVm(t, otp, flags, { RELEASE_NAME: "shop" });
      const nowhere = temporaryFolder(t);
      const file = join(nowhere, "server.pb.gz");
      // Elsewhere: where the sources are not.
      const run = await runHelper(["record", vm.pid, "-d", 2, "-o", file], { wrapper: ["env", "-C", nowhere] });
      assert.equal(run.code, 0, run.stderr);
      const facts = buildOf(file);
      assert.deepEqual([facts.release, facts.version, facts.libraries.shop], ["shop", "1.2.3", "1.2.3"]);

      const head = git(folder, "rev-parse", "HEAD");
      const first = await helperJson(["commit", file, "--builds", folder]);
      assert.deepEqual([first.commit, first.release, first.version, first.own_modules], [null, "shop", "1.2.3", 2]);
      assert.deepEqual(first.head, { commit: head, branch: "main", dirty: false });
      assert.deepEqual(first.tags, [{ tag: "v1.2.3", commit: head }]);
      for (const build of ["_build/prod", "_build/prod/rel/shop"]) {
        const found = buildIn(first, build);
        assert.deepEqual(
          [found.is_whole, found.matching, found.own_matching, found.newer_sources],
          [true, 2, 2, []],
          build,
        );
      }
      assert.equal(buildIn(first, "_build/prod/rel/shop").version, "1.2.3");
      const words = await runHelper(["commit", file, "--builds", folder]);
      assert.match(words.stdout, new RegExp(`_build/prod: 2 of 2 modules match; HEAD ${head.slice(0, 7)}, clean`));
      assert.match(words.stdout, /next: extrospect commit .* --assign HEAD/);

      // Neither debug information, which is taken away, nor compression, which is added, changes anything.
      const beam = join(folder, "_build/prod/lib/shop/ebin/shop.beam");
      const [command, ...args] = otp.wrap([
        "/usr/bin/erl",
        "-noshell",
        "-eval",
        `{ok, B} = file:read_file("${inside}/_build/prod/lib/shop/ebin/shop.beam"), {ok, {_, S}} = beam_lib:strip(B), ok = file:write_file("${inside}/_build/prod/lib/shop/ebin/shop.beam", S), halt().`,
      ]);
      const before = readFileSync(beam);
      execFileSync(command, args);
      assert.ok(!readFileSync(beam).equals(before));
      assert.ok(buildIn(await helperJson(["commit", file, "--builds", folder]), "_build/prod").is_whole);

      // A source is newer than its build: the build is not of it.
      const source = join(folder, "src/shop_cart.erl");
      const text = readFileSync(source, "utf8");
      const later = new Date(Date.now() + 60_000);
      writeFileSync(source, text.replace("X * X", "X"));
      utimesSync(source, later, later);
      const edited = await helperJson(["commit", file, "--builds", folder]);
      assert.deepEqual(
        [edited.head.dirty, buildIn(edited, "_build/prod").newer_sources],
        [true, ["src/shop_cart.erl"]],
      );
      assert.match(
        (await runHelper(["commit", file, "--builds", folder])).stdout,
        /changed since it was built: src\/shop_cart.erl; HEAD \w+, with changes/,
      );

      // Built anew it is another module, and the release still the one that runs.
      build(otp, inside);
      const changed = await helperJson(["commit", file, "--builds", folder]);
      const { is_whole: isWhole, differing, matching } = buildIn(changed, "_build/prod");
      assert.deepEqual([isWhole, differing, matching], [false, ["shop_cart"], 1]);
      assert.equal(changed.builds[0].build, "_build/prod/rel/shop");

      // Damaged modules are reported, without any other effect.
      writeFileSync(
        join(folder, "_build/prod/lib/shop/ebin/shop_cart.beam"),
        Buffer.concat([Buffer.from("FOR1\x80\0\0\0BEAM"), before]),
      );
      const damaged = await runHelper(["commit", file, "--builds", folder]);
      assert.equal(damaged.code, 0, damaged.stderr);
      assert.match(damaged.stderr, /shop_cart\.beam: it is cut short/);

      const assigned = await helperJson(["commit", file, "--builds", folder, "--assign", "v1.2.3"]);
      assert.deepEqual(
        [assigned.commit.commit, assigned.commit.assigned, assigned.commit.describe],
        [head, true, "v1.2.3"],
      );
      assert.equal((await helperJson(["commit", file, "--builds", nowhere])).commit.commit, head);
      assertRefused(await runHelper(["commit", file, "--builds", folder, "--assign", "v9"]), 2);
      assertRefused(await runHelper(["commit", file, "--builds", nowhere, "--assign", "HEAD"]), 2);
      assertRefused(await runHelper(["commit", file, "--builds", "/nowhere"]), 2);
    });
});
