// What to do about what answers on a host, and is not the helper of this extension. No vscode in here.
//
// Before it was started, the host's shell said that it is of this version. So an installed copy was built otherwise, and where the one that was
// sent should answer, something else does.

import type { Words } from "../../../contract/plain-text.js";
import { PROTOCOL_VERSION } from "../../../contract/protocol.generated.js";
import type { HandshakeAdvice } from "../helper/running-program.js";

/** @param isInstalled the host says that it is the copy that root installed there */
export function adviceForHost(isInstalled: boolean, l10n: Words): HandshakeAdvice {
  const strange = l10n.t("Not the helper that was sent answers there: look at that host, and at the start-up files of your shell there, before you trust it.");
  const byRoot = l10n.t("Let root install the helper of this extension there (`extrospect install`), or remove the copy that is there (`extrospect uninstall`): then this extension's own is sent.");
  const update = l10n.t("The copy installed there is newer: update this extension.");
  return {
    noHelper: isInstalled ? byRoot : strange,
    otherVersion: (version) => {
      if (!isInstalled) return strange;
      return version !== undefined && version > PROTOCOL_VERSION ? `${update} ${byRoot}` : byRoot;
    },
  };
}
