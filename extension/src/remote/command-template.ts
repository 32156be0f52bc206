// Commands of the user's that lead to a `/bin/sh`, with placeholders. No vscode in here.
//
// A command is a list of arguments from beginning to end and never a line for a shell: a value is put into one argument, and cannot become two
// of them, an option, or another program. What values are made of is kept to what names of containers, pods and images need, so that even a
// command that leads through a shell on its way (`ssh node docker exec …`) passes on nothing that a shell would read as more than a word.

/** A command has a mistake, or a value does not fit into it; the message names the problem. */
export class CommandProblem extends Error {
  override readonly name = "CommandProblem";

  /** @param what which mistake it is @param about the argument, placeholder or value */
  constructor(
    readonly what: "noList" | "argument" | "program" | "missing" | "value",
    readonly about: string,
  ) {
    super(`${what}: ${about}`);
  }
}

export interface Placeholder {
  readonly name: string;
  /** Without a value the arguments it stands in are left out. */
  readonly isOptional: boolean;
}

const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT = 4096;
const MAX_VALUE = 255;
const MAX_NAME = 60;
const PLACEHOLDERS = /\{([a-z][A-Za-z0-9]{0,31})(\??)\}/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** What a command may be called: it is shown, and stored with hosts. */
export function isCommandName(text: string): boolean {
  return text.length > 0 && text.length <= MAX_NAME && /^[\p{L}\p{N}][\p{L}\p{N} ._@()+-]*$/u.test(text);
}

export function isPlaceholderName(text: string): boolean {
  return /^[a-z][A-Za-z0-9]{0,31}$/.test(text);
}

/** Whether a text may stand for a placeholder: the name of a container, a pod or an image, a number. */
export function isPlaceholderValue(text: string): boolean {
  return text.length <= MAX_VALUE && /^[A-Za-z0-9_.@:/+=,][A-Za-z0-9_.@:/+=,-]*$/.test(text);
}

export class CommandTemplate {
  readonly #arguments: readonly string[];

  /**
   * @param given what the settings say
   * @throws {CommandProblem}
   */
  constructor(given: unknown) {
    if (!Array.isArray(given) || given.length === 0 || given.length > MAX_ARGUMENTS)
      throw new CommandProblem("noList", "");
    for (const argument of given as unknown[])
      if (typeof argument !== "string" || argument.length > MAX_ARGUMENT || CONTROL.test(argument))
        throw new CommandProblem("argument", String(argument).slice(0, MAX_NAME));
    this.#arguments = given as readonly string[];
    // Which program is started is never for a value to say.
    if (this.program === "" || this.program.search(PLACEHOLDERS) >= 0)
      throw new CommandProblem("program", this.program);
  }

  get program(): string {
    return this.#arguments[0] ?? "";
  }

  /** As it is written. */
  get text(): string {
    return this.#arguments.join(" ");
  }

  /** In the order in which they stand; one that stands twice is optional when it is so everywhere. */
  get placeholders(): readonly Placeholder[] {
    const found = new Map<string, boolean>();
    for (const argument of this.#arguments)
      for (const [, name = "", mark] of argument.matchAll(PLACEHOLDERS))
        found.set(name, mark === "?" && (found.get(name) ?? true));
    return [...found].map(([name, isOptional]) => ({ name, isOptional }));
  }

  /**
   * The arguments after the program.
   * @param values of users, checked here
   * @param given  values of our own, as they are
   * @throws {CommandProblem}
   */
  arguments(values: Readonly<Record<string, string>>, given: Readonly<Record<string, string>> = {}): string[] {
    const valueOf = (name: string) =>
      (Object.hasOwn(given, name) ? given[name] : Object.hasOwn(values, name) ? values[name] : undefined) ?? "";
    for (const { name, isOptional } of this.placeholders) {
      const value = valueOf(name);
      if (value === "" && !isOptional) throw new CommandProblem("missing", name);
      if (value !== "" && !Object.hasOwn(given, name) && !isPlaceholderValue(value))
        throw new CommandProblem("value", name);
    }
    return this.#arguments.slice(1).flatMap((argument) => {
      const names = [...argument.matchAll(PLACEHOLDERS)].map(([, name = ""]) => name);
      if (names.some((name) => valueOf(name) === "")) return [];
      return [argument.replaceAll(PLACEHOLDERS, (_, name: string) => valueOf(name))];
    });
  }
}

/** The commands that make sense, by name; an empty list takes a preset away. @param given what the settings say */
export function commandTemplates(given: unknown): Map<string, CommandTemplate> {
  const found = new Map<string, CommandTemplate>();
  if (typeof given !== "object" || given === null || Array.isArray(given)) return found;
  for (const [name, command] of Object.entries(given)) {
    try {
      if (isCommandName(name)) found.set(name, new CommandTemplate(command));
    } catch (error) {
      if (!(error instanceof CommandProblem)) throw error;
    }
  }
  return found;
}
