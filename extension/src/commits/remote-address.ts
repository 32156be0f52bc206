// Addresses of remotes, as the helper writes them: `commit/src/remote.rs`. No vscode in here.

const LONGEST = 1024;

/** The address without user name, password, token and query; empty when nothing remains without them. */
export function withoutCredentials(given: string): string {
  const address = given.trim();
  // `ext::sh -c …` and its like name programs.
  if (address.length > LONGEST || /[\u0000-\u001f\u007f-\u009f]/.test(address) || /^[a-z0-9-]*::/i.test(address))
    return "";
  const [, scheme, rest] = /^([^:]*?):\/\/(.*)$/.exec(address) ?? [];
  if (scheme !== undefined && rest !== undefined) {
    const path = rest.replace(/[?#].*$/, "");
    return `${scheme}://${path.slice(path.lastIndexOf("@") + 1)}`;
  }
  const [, host, path] = /^([^:/]*):(.*)$/.exec(address) ?? [];
  if (host === undefined || path === undefined) return address;
  const after = path.slice(path.lastIndexOf("@") + 1);
  return path.includes("@") && after.includes(":") ? after : `${host.slice(host.lastIndexOf("@") + 1)}:${path}`;
}
