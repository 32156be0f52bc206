import type { FunctionFacts } from "../questions.js";
import { isPortMarker, PORT_MARKER } from "../tables/owner-marker.js";
import { NAME_ALIASES, NATIVE_GROUPS, type NamePatterns, type NativeGroup } from "./groups.generated.js";

export { NATIVE_GROUPS };

/**
 * Whether functions are what a question names: a group (`copy`), the library of a NIF (`nif:crypto`), a driver
 * (`port:tcp_inet`), a symbol (`copy_struct`) or the name an older VM had for it. Erlang functions never are: they have the
 * stack for a cause. The frame that names the port of a task is of the group of ports and of its driver.
 */
export function nativeQuery(query: string): (facts: FunctionFacts) => boolean {
  const matches = queryFor(query);
  const ofPort = query === PORT_GROUP ? () => true : query.startsWith(DRIVER) ? matches : () => false;
  return (facts) => {
    if (isPortMarker(facts)) return ofPort(facts);
    return facts.kind !== "erlang" && facts.kind !== "marker" && matches(facts);
  };
}

const PORT_GROUP = "port";
const DRIVER = "port:";
/** How the name of a driver's callback ends. */
const CALLBACK = " (driver)";

/** Whether the frame is a callback of the driver or a port that has it; drivers that have a callback in common are all named. */
function isOfDriver(facts: FunctionFacts, driver: string): boolean {
  const { name } = facts;
  if (isPortMarker(facts)) {
    const rest = name.slice(PORT_MARKER.length);
    return rest.startsWith(`${driver} `) || rest.startsWith(`${driver}]`);
  }
  return name.endsWith(CALLBACK) && name.split(" or ").some((one) => one.startsWith(`${driver}:`));
}

function queryFor(query: string): (facts: FunctionFacts) => boolean {
  if (query.startsWith("nif:")) {
    const library = query.slice("nif:".length);
    return ({ kind, object }) => kind === "nif" && object.includes(library);
  }
  if (query.startsWith(DRIVER)) {
    const driver = query.slice(DRIVER.length);
    return (facts) => isOfDriver(facts, driver);
  }
  const group = NATIVE_GROUPS.find(({ name }) => name === query);
  if (group) return ({ name }) => fits(group, baseName(name));
  const alias = NAME_ALIASES.find(({ name }) => name === query);
  if (alias) return ({ name }) => baseName(name) === query || fits(alias, baseName(name));
  return ({ name }) => name === query || baseName(name) === query;
}

/** The group of a function; undefined where it is in none. */
export function nativeGroupOf(name: string): NativeGroup | undefined {
  const base = baseName(name);
  return NATIVE_GROUPS.find((group) => fits(group, base));
}

function fits({ exact, prefixes, suffixes }: NamePatterns, name: string): boolean {
  return (
    exact.includes(name) ||
    prefixes.some((prefix) => name.startsWith(prefix)) ||
    suffixes.some((suffix) => name.endsWith(suffix))
  );
}

/** The name in the source: without what compilers append (`copy_struct_x.part.0`), and out of a plain mangled C++ name (`_Z26beam_jit_take_receive_lockP7process`). */
export function baseName(name: string): string {
  const dot = name.indexOf(".");
  // A dot in a name with a colon, a slash or an exclamation mark is no suffix.
  const base = dot > 0 && !/[:!/]/.test(name) ? name.slice(0, dot) : name;
  const mangled = /^_Z(\d{1,6})/.exec(base);
  if (!mangled) return base;
  const length = Number(mangled[1]);
  const rest = base.slice(mangled[0].length);
  return rest.length < length ? base : rest.slice(0, length);
}
