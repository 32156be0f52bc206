// The report of gt_truth about its own VM.

export interface ProcessTruth {
  pid: string;
  /** Empty when it has none. */
  registeredName: string;
  /** The same as source would have it. */
  quotedName: string | undefined;
  initialCall: string;
  status: string;
  stackWords: number;
  /** Innermost first: "lists:map/2 lists.erl:12". */
  stacktrace: string[];
}

export interface VmTruth {
  atoms: string[];
  modules: { name: string; functions: string[] }[];
  processes: ProcessTruth[];
}

interface RawProcess {
  pid: string;
  registered_name: string;
  quoted_name: string;
  initial_call: string;
  status: string;
  stack_size_words: number;
  stacktrace: [mfa: string, file: string, line: number][];
}

interface RawTruth {
  atoms: string[];
  modules: [name: string, functions: string[]][];
  processes: RawProcess[];
}

const text = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");

export function parseTruth({ atoms, modules, processes }: RawTruth): VmTruth {
  return {
    atoms: atoms.map(text),
    modules: modules.map(([name, functions]) => ({ name: text(name), functions: functions.map(text) })),
    processes: processes.map((of) => ({
      pid: of.pid,
      registeredName: text(of.registered_name),
      quotedName: of.quoted_name === "" ? undefined : text(of.quoted_name),
      initialCall: text(of.initial_call),
      status: of.status,
      stackWords: of.stack_size_words,
      stacktrace: of.stacktrace.map(([mfa, file, line]) => `${text(mfa)} ${file}:${line}`),
    })),
  };
}
