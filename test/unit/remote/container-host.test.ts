// A helper in a container that only a command leads into: real namespaces and a real Podman where they run, the real
// helper, and the texts when it fails.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { before, test, type TestContext } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { checkedAnswer } from "../../../extension/src/helper/handshake.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { failureOf, type FailureKind } from "../../../extension/src/remote/command-failures.js";
import { CommandTemplate, commandTemplates } from "../../../extension/src/remote/command-template.js";
import { commandWay, GIVEN_FILES } from "../../../extension/src/remote/command-way.js";
import { refusedInContainer } from "../../../extension/src/remote/container-rights.js";
import { addressName } from "../../../extension/src/remote/host-address.js";
import {
  helperForHosts,
  startOnHost,
  type HelperProgram,
  type HostProgress,
} from "../../../extension/src/remote/ssh-helper.js";
import { settingValue } from "../../../extension/src/setting-values.js";
import { startNamespaces } from "../../hosts/namespaces.mjs";
import { ownPodman, whyNoPodman } from "../../hosts/podman.mjs";
import { until } from "../../until.mjs";
import { ENGLISH } from "../recording/fakes.js";
import { HELPER, PipedHelper, recordingOf } from "../recording/piped-helper.js";

const needsRoot = process.getuid?.() === 0 ? {} : { skip: "needs root, to make a container" };
const PRESETS = commandTemplates(settingValue("remote.commands", undefined));
const GIVEN = { debugProfile: resolve(GIVEN_FILES.debugProfile) };

let version = "";
let helper: HelperProgram;
before(async () => {
  version = spawnSync(HELPER, ["--version"], { encoding: "utf8" }).stdout.trim();
  helper = await helperForHosts(readFileSync(HELPER), version);
});

/** Connects by a preset, or another command, and keeps the steps of the progress. */
async function connected(
  t: TestContext,
  command: string | readonly string[],
  values: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv = {},
) {
  const steps: HostProgress["step"][] = [];
  const template = typeof command === "string" ? PRESETS.get(command) : new CommandTemplate(command);
  assert.ok(template);
  const name = addressName({ command: typeof command === "string" ? command : "mine", values });
  const way = commandWay({ name, template, values, given: GIVEN }, ENGLISH);
  const told = ({ step }: HostProgress) => {
    if (steps.at(-1) !== step) steps.push(step);
  };
  const running = await startOnHost({ destination: name, way, helper, version, environment, told }, ENGLISH);
  t.after(() => {
    running.child.kill("SIGKILL");
  });
  const piped = new PipedHelper(t, running);
  checkedAnswer(await piped.initialize(), running, ENGLISH);
  return { piped, steps, running };
}

const refusal = (what: RegExp, why: RegExp, fix: RegExp) => (error: unknown) => {
  assert.ok(error instanceof HelperError, String(error));
  const { what: isWhat, why: isWhy, fix: isFix } = error;
  for (const [pattern, text] of [
    [what, isWhat],
    [why, isWhy],
    [fix, isFix],
  ] as const)
    assert.match(text, pattern);
  return true;
};

for (const userNamespace of [false, true]) {
  test(
    `a container${userNamespace ? " with users of its own" : ""}, by nsenter: the helper is sent once, and its VM is captured by the process id that it has there`,
    needsRoot,
    async (t) => {
      const container = await startNamespaces(t, { userNamespace });
      const values = { pid: String(container.pid) };
      const first = await connected(t, "nsenter", values);
      assert.deepEqual(first.steps, ["connecting", "sending", "starting"]);
      assert.equal(first.running.name, `the helper on nsenter ${values.pid}`);
      const { beams } = await first.piped.request("extrospect/list", {});
      assert.deepEqual(
        beams.map(({ pid, attachable }) => [pid, attachable]),
        [[1, true]],
        "there is one VM, and it is the first process",
      );
      const { recording, ended } = recordingOf(t, first.piped, 1, 0, true);
      await recording.start();
      await until("more than 100 samples", () => recording.capture.totals.samples > 100);
      void recording.stop();
      assert.deepEqual(await ended, { reason: "stopped", problem: null });
      assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
      assert.equal(container.helpers() > 0, true);
      first.running.child.kill();
      await until("no helper is left there", () => container.helpers() === 0);
      const second = await connected(t, "nsenter", values);
      assert.deepEqual(second.steps, ["connecting", "starting"]);
    },
  );
}

test("what a container lacks is said, with what would do in words of that command", needsRoot, async (t) => {
  const noexec = await startNamespaces(t, { homeOptions: "noexec" });
  await assert.rejects(
    connected(t, "nsenter", { pid: String(noexec.pid) }),
    refusal(/^No helper can run on nsenter \d+$/, /noexec/, /XDG_CACHE_HOME=\/tmp \/bin\/sh/),
  );
  // The remedy works: a copy of the preset that follows it.
  const mended = await connected(
    t,
    ["nsenter", "--target={pid}", "--mount", "--pid", "--", "/usr/bin/env", "XDG_CACHE_HOME=/tmp", "/bin/sh"],
    { pid: String(noexec.pid) },
  );
  assert.equal((await mended.piped.request("extrospect/list", {})).beams.length, 1);
  const full = await startNamespaces(t, { homeOptions: "size=1M" });
  await assert.rejects(
    connected(t, "nsenter", { pid: String(full.pid) }),
    refusal(/No helper can run/, /could not be written/, /XDG_CACHE_HOME/),
  );
  const distroless = await startNamespaces(t, { hasShell: false });
  await assert.rejects(
    connected(t, "nsenter", { pid: String(distroless.pid) }),
    refusal(/No shell answers in nsenter/, /\/bin\/sh: No such file/, /no shell: use `kubectl debug`/),
  );
});

test("a container that is gone, a right that is missing, a program that is not there", needsRoot, async (t) => {
  const gone = spawnSync("sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout.trim();
  await assert.rejects(
    connected(t, "nsenter", { pid: gone }),
    refusal(/No shell answers in nsenter \d+/, /No such file/, /choose again/),
  );
  await assert.rejects(
    connected(
      t,
      [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "nsenter",
        "--target={pid}",
        "--mount",
        "/bin/sh",
      ],
      { pid: String(process.pid) },
    ),
    refusal(
      /No shell answers in mine \d+/,
      /Permission denied|not permitted/,
      /right to do that.*nsenter --target=\d+ --mount \/bin\/sh` in a terminal/,
    ),
  );
  await assert.rejects(
    connected(t, ["/nonexistent/docker", "exec", "{container}"], { container: "shop" }),
    refusal(/\/nonexistent\/docker cannot be started/, /ENOENT/, /full path into `extrospect.remote.commands`/),
  );
  await assert.rejects(
    connected(t, ["yes", "{x}"], { x: "garbage" }),
    refusal(/mine garbage does not answer as a shell does/, /without end/, /Run `yes garbage` in a terminal/),
  );
  await assert.rejects(
    connected(t, "docker", {}),
    refusal(/docker is not a host/, /container is missing/, /Start Capture in a Container/),
  );
});

test(
  "a container of Podman: with two capabilities its VM is captured; as it comes the message says what refuses",
  whyNoPodman() === undefined ? {} : { skip: whyNoPodman() },
  async (t) => {
    const { program, start } = ownPodman(t);
    // The preset, with the options of this Podman in front.
    const command = [...program, ...["exec", "--interactive", "{container}", "/bin/sh"]];
    const allowed = await start(
      "--cap-drop=ALL",
      "--cap-add=PERFMON,SYS_PTRACE",
      "--security-opt=seccomp=unconfined",
      "--security-opt=no-new-privileges",
    );
    const { piped } = await connected(t, command, { container: allowed });
    const { recording, ended } = recordingOf(t, piped, 1, 0, true);
    await recording.start();
    await until("more than 100 samples", () => recording.capture.totals.samples > 100);
    void recording.stop();
    assert.deepEqual(await ended, { reason: "stopped", problem: null });
    const usual = await start();
    const refused = recordingOf(t, (await connected(t, command, { container: usual })).piped, 1, 0, true);
    await assert.rejects(refused.recording.start(), (error: unknown) => {
      const address = { command: "podman", values: { container: usual } };
      assert.equal(refusedInContainer(error, { ssh: "podman" }, ENGLISH), error);
      return refusal(
        /not allowed/,
        /seccomp/,
        /CAP_PERFMON and CAP_SYS_PTRACE, and a seccomp profile/,
      )(refusedInContainer(error, address, ENGLISH));
    });
    await assert.rejects(
      connected(t, command, { container: "extrospect-none" }),
      refusal(/No shell answers in mine extrospect-none/, /no such container/, /choose again/),
    );
  },
);

test("docker and kubectl get each argument as it is, and nothing is read by a shell", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-arguments-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  // It writes down its arguments, and then is the shell that they request.
  const program = `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(join(folder, "given"))}, JSON.stringify(process.argv.slice(2)));\nrequire("node:child_process").spawnSync("/bin/sh", { stdio: "inherit", env: { ...process.env, HOME: ${JSON.stringify(folder)} } });\n`;
  for (const name of ["docker", "kubectl"]) {
    writeFileSync(join(folder, name), program);
    chmodSync(join(folder, name), 0o755);
  }
  const path = process.env["PATH"];
  process.env["PATH"] = `${folder}:${path ?? ""}`;
  t.after(() => {
    process.env["PATH"] = path;
  });
  const given = () => JSON.parse(readFileSync(join(folder, "given"), "utf8")) as unknown;
  for (const [command, values, expected] of [
    ["docker", { container: "shop-1" }, ["exec", "--interactive", "shop-1", "/bin/sh"]],
    [
      "kubectl",
      { namespace: "", pod: "shop-7d9f-x2x", container: "shop" },
      ["exec", "--stdin", "--quiet", "shop-7d9f-x2x", "--container=shop", "--", "/bin/sh"],
    ],
    [
      "kubectl debug",
      { namespace: "market", pod: "shop-7d9f-x2x", container: "shop", image: "busybox:1.36" },
      [
        "debug",
        "--stdin",
        "--quiet",
        "--namespace=market",
        "shop-7d9f-x2x",
        "--target=shop",
        "--image=busybox:1.36",
        "--profile=general",
        `--custom=${GIVEN.debugProfile}`,
        "--",
        "/bin/sh",
      ],
    ],
  ] as const) {
    const { running } = await connected(t, command, values);
    assert.deepEqual(given(), expected);
    running.child.kill();
  }
  await connected(t, ["docker", "a b", "$(touch evil)", "'", "*", "", "{x?}", "--y={x?}"], {});
  assert.deepEqual(given(), ["a b", "$(touch evil)", "'", "*", ""]);
});

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
/** The answers of a cluster of one pod; a request for a shell in it is refused. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  "/version": { major: "1", minor: "32", gitVersion: "v1.32.0" },
  "/api": { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
  "/api/v1": {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [
      { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get", "list", "watch", "patch"] },
      {
        name: "pods/ephemeralcontainers",
        singularName: "",
        namespaced: true,
        kind: "Pod",
        verbs: ["get", "patch", "update"],
      },
    ],
  },
  "/api/v1/namespaces/market/pods/shop-1": {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "shop-1", namespace: "market", uid: "1" },
    spec: { containers: [{ name: "shop", image: "shop:1" }] },
    status: { phase: "Running" },
  },
};

test(
  "what the real kubectl asks a cluster for: an ephemeral container with two capabilities beside the VM; and a refusal in its words",
  hasKubectl ? {} : { skip: "kubectl is not installed" },
  async (t) => {
    const patches: string[] = [];
    const cluster = createServer((request, answer) => {
      const path = (request.url ?? "").split("?")[0] ?? "";
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        if (request.method === "PATCH") patches.push(`${path} ${body}`);
        const isKnown = request.method === "GET" && Object.hasOwn(ANSWERS, path);
        const refused = {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "Forbidden",
          message: 'pods "shop-1" is forbidden: User "me" cannot create resource "pods/exec"',
          code: 403,
        };
        answer
          .writeHead(isKnown ? 200 : 403, { "content-type": "application/json" })
          .end(JSON.stringify(isKnown ? ANSWERS[path] : refused));
      });
    }).listen(0, "127.0.0.1");
    await once(cluster, "listening");
    const folder = mkdtempSync(join(tmpdir(), "extrospect-kubectl-"));
    t.after(() => {
      cluster.close();
      rmSync(folder, { recursive: true });
    });
    const { port } = cluster.address() as AddressInfo;
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${String(port)}` } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    writeFileSync(join(folder, "config"), JSON.stringify(config));
    const environment = { KUBECONFIG: join(folder, "config"), HOME: folder };
    const values = { namespace: "market", pod: "shop-1", container: "shop" };
    await assert.rejects(
      connected(t, "kubectl debug", { ...values, image: "busybox:1.36" }, environment),
      refusal(/No shell answers in kubectl debug market\/shop-1\/shop\/busybox:1\.36/, /forbidden/, /right to do that/),
    );
    const [, path = "", body = ""] = /^(\S+) (.*)$/.exec(patches[0] ?? "") ?? [];
    assert.equal(path, "/api/v1/namespaces/market/pods/shop-1/ephemeralcontainers");
    const [added] = (JSON.parse(body) as { spec: { ephemeralContainers: Record<string, unknown>[] } }).spec
      .ephemeralContainers;
    assert.ok(added);
    const { command, image, targetContainerName, stdin, stdinOnce, securityContext } = added;
    assert.deepEqual(
      { command, image, targetContainerName, stdin, stdinOnce },
      { command: ["/bin/sh"], image: "busybox:1.36", targetContainerName: "shop", stdin: true, stdinOnce: true },
    );
    assert.deepEqual(securityContext, {
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"], add: ["PERFMON", "SYS_PTRACE"] },
      seccompProfile: { type: "Unconfined" },
    });
    await assert.rejects(
      connected(t, "kubectl", values, environment),
      refusal(
        /No shell answers in kubectl market\/shop-1\/shop/,
        /forbidden/,
        /right to do that.*kubectl exec --stdin .* -- \/bin\/sh` in a terminal/,
      ),
    );
  },
);

test("what is advised, by the last words of docker, podman, kubectl, nsenter and sudo", () => {
  const said: readonly (readonly [FailureKind, string, number])[] = [
    [
      "noDaemon",
      "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
      1,
    ],
    [
      "noDaemon",
      "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
      1,
    ],
    [
      "refused",
      "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
      1,
    ],
    [
      "refused",
      'Error from server (Forbidden): pods "shop-1" is forbidden: User "me" cannot create resource "pods/exec"',
      1,
    ],
    ["refused", "nsenter: cannot open /proc/1/ns/mnt: Permission denied", 1],
    ["refused", "sudo: a password is required", 1],
    ["gone", "Error response from daemon: No such container: shop-1", 1],
    ["gone", 'Error: no container with name or ID "shop-1" found: no such container', 125],
    ["gone", "Error: can only create exec sessions on running containers: container state improper", 255],
    ["gone", 'Error from server (NotFound): pods "shop-1" not found', 1],
    ["gone", "nsenter: cannot open /proc/4711/ns/mnt: No such file or directory", 1],
    ["noShell", "nsenter: failed to execute /bin/sh: No such file or directory", 127],
    [
      "noShell",
      'OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory: unknown',
      127,
    ],
    ["noShell", "it ended with exit code 126", 126],
    ["other", "sudo: nsenter: command not found", 1],
    ["other", "something else", 1],
  ];
  for (const [kind, line, code] of said) assert.equal(failureOf(line, code), kind, line);
});
