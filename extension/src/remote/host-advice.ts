// What to do when another program than the helper of this extension answers on a host. No vscode in here.
//
// Before the start, the host's shell reported the right version. So an installed copy is another build of it; and in
// place of the sent helper, another program answers.

import type { Words } from "../../../contract/plain-text.js";
import { PROTOCOL_VERSION } from "../../../contract/protocol.generated.js";
import type { HandshakeAdvice } from "../helper/running-program.js";

/** @param isInstalled the host reports that it started the copy that root installed there */
export function adviceForHost(isInstalled: boolean, l10n: Words): HandshakeAdvice {
  const strange = l10n.t(
    "The answer there is not from the helper that was sent: check that host, and the start-up files of your shell there, before you trust it.",
  );
  const byRoot = l10n.t(
    "Have root install the helper of this extension there (`extrospect install`), or remove the copy there (`extrospect uninstall`): then the extension sends its own.",
  );
  const update = l10n.t("The copy installed there is newer: update this extension.");
  return {
    noHelper: isInstalled ? byRoot : strange,
    otherVersion: (version) => {
      if (!isInstalled) return strange;
      return version !== undefined && version > PROTOCOL_VERSION ? `${update} ${byRoot}` : byRoot;
    },
  };
}
