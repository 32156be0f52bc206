// A helper in a container that only a command leads into: real namespaces, and the texts when it fails. What containers
// lack, and Podman, are for the night.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { failureOf, type FailureKind } from "../../../extension/src/remote/command-failures.js";

import { capturedInside, connected, GIVEN, needsRoot, refusal } from "./container.js";

test(
  "a container with users of its own, by nsenter: the helper is sent once, and its VM is captured by the process id that it has there",
  needsRoot,
  (t) => capturedInside(t, true),
);

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
    refusal(/mine garbage does not answer as a shell does/, /prints endless output/, /Run `yes garbage` in a terminal/),
  );
  await assert.rejects(
    connected(t, "docker", {}),
    refusal(/docker is not a host/, /container is missing/, /Start Capture in a Container/),
  );
});

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
  "the requests of the real kubectl: an ephemeral container with two capabilities beside the VM; and a refusal in its words",
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
