// Who imports this runs git without the repository around it. Git passes its repository to a hook, and to a command of
// `git rebase -x`, in the environment: `git init` and `git add` of a test would change that one, wherever they run.

/**
 * What users set, of how git reaches servers, its configuration and its programs. All else names a repository, or is of
 * the command that git runs just now: authors of its commit, its `-c`.
 */
const KEPT =
  /^GIT_(?:ASKPASS|TERMINAL_PROMPT|SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|HTTP_\w+|PROXY_\w+|CURL_\w+|ALLOW_PROTOCOL|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|TRACE\w*)$/;

for (const name of Object.keys(process.env))
  if (name.startsWith("GIT_") && !KEPT.test(name)) Reflect.deleteProperty(process.env, name);
