// How ssh is called. No vscode in here.

/** Whether ssh may be given a text as destination: `host`, `user@host`, an alias, `ssh://user@host:port`. */
export function isDestination(text: string): boolean {
  // No option, no word of a shell, nothing that a terminal would obey.
  return text.length > 0 && text.length <= 255 && /^[A-Za-z0-9_.@:[\]%/~+-]+$/.test(text) && !text.startsWith("-");
}

/**
 * Whether the questions of ssh can reach the user. Windows starts the program for questions by a command line: for a
 * script, its command processor would interpret the text of a host's question, and the extension has no executable for
 * it there.
 */
export function questionsReachUser(platform: NodeJS.Platform): boolean {
  return platform !== "win32";
}

/**
 * The arguments for a session that carries bytes and nothing else. The user's configuration of the host stays in
 * effect: keys, agents, jump hosts, ports, multiplexing, policy of host keys.
 * @param mayAsk false: a question fails at once, as the user could not answer it
 */
export function sshArguments(destination: string, mayAsk = true): string[] {
  if (!isDestination(destination)) throw new RangeError(`${destination} is no destination`);
  const options = [
    "RequestTTY=no",
    "RemoteCommand=none",
    "PermitLocalCommand=no",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    // A line that is cut is noticed within some seconds, in both directions.
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    "ConnectTimeout=30",
    ...(mayAsk ? [] : ["BatchMode=yes"]),
  ];
  return ["-T", ...options.flatMap((option) => ["-o", option]), "--", destination, "exec /bin/sh"];
}
