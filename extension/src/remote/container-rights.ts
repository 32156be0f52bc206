// What to do when sampling is refused in a container. No vscode in here.

import type { Words } from "../../../contract/plain-text.js";
import { ErrorCodes } from "../../../contract/protocol.generated.js";
import { HelperError } from "../helper/helper-error.js";
import { isSsh, type HostAddress } from "./host-address.js";

/**
 * The same refusal with advice that helps there: a copy installed in a container has no more rights than the container, so what the helper
 * advises on a machine would be of no use.
 * @returns the error itself when it is another one, or not of a container
 */
export function refusedInContainer(error: unknown, host: HostAddress | undefined, l10n: Words): unknown {
  if (host === undefined || isSsh(host) || !(error instanceof HelperError) || error.code !== ErrorCodes.notPermitted)
    return error;
  const fix = l10n.t(
    "The container needs CAP_PERFMON and CAP_SYS_PTRACE, and a seccomp profile that allows perf_event_open: docs/remote.md has the minimal securityContext. Or profile the VM from its host, which lists it, too.",
  );
  return new HelperError(error.problem, error.what, error.why, fix, error.code);
}
