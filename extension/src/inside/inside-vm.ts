// The inside of a VM, looked at by the helper where it runs: one session for each VM, shared by all panels that show it. No vscode in here.

import type {
  BinariesResult,
  BinariesWanted,
  HeapResult,
  InsideMemoryResult,
  InsideProcessesParams,
  InsideProcessesResult,
  InsideWaitsResult,
  NodeResult,
  Requests,
  TargetFacts,
  WaitsLook,
} from "../../../contract/protocol.generated.js";
import { ErrorCodes } from "../../../contract/protocol.generated.js";
import type { Cancellation, HelperConnection, ProgressListener } from "../helper/helper-connection.js";
import { Cancelled, HelperError } from "../helper/helper-error.js";
import { addressKey, type HostAddress } from "../remote/host-address.js";
import { Cancelling } from "./cancelling.js";

/** Where a VM runs. */
export interface VmPlace {
  readonly pid: number;
  /** Undefined for this machine. */
  readonly host: HostAddress | undefined;
}

/** Methods that ask something of a session. */
type Question = Extract<keyof Requests, `extrospect/inside/${string}`>;
type ParamsOf<M extends Question> = Omit<Requests[M]["params"], "insideId">;

/** The looks of a VM that has ended since can still be finished. */
const LOOK = "extrospect/inside/waits/look" satisfies Question;
const FINISH = "extrospect/inside/waits/finish" satisfies Question;

/**
 * The requests of one panel to the inside of a VM. Each request attaches first where the session is not attached, so
 * that one after the end of the VM, or of the helper, begins anew. All reject with {@link HelperError}, whose `code`
 * identifies the problem, or with {@link Cancelled}.
 */
export class InsideVm {
  readonly #session: SharedSession;
  readonly #closing = new Cancelling();
  #lost: string | undefined;
  /** It has had an answer, and the helper has not ended since. */
  #isAnswered = false;

  /** Use {@link InsideVms.open}. */
  constructor(session: SharedSession) {
    this.#session = session;
    session.opened(this);
  }

  get place(): VmPlace {
    return this.#session.place;
  }

  /** What the VM is; undefined before the first answer. */
  get target(): TargetFacts | undefined {
    return this.#session.target;
  }

  /** When its process started, in ticks of its machine; undefined before the first answer. */
  get startTicks(): number | undefined {
    return this.#session.startTicks;
  }

  processes(wanted: Omit<InsideProcessesParams, "insideId">, token?: Cancellation): Promise<InsideProcessesResult> {
    return this.#ask("extrospect/inside/processes", wanted, token);
  }

  /**
   * Giving it up in the middle takes the session's helper along, which attaches anew.
   * @param process as the node prints it, `<0.83.0>`
   * @param onProgress receives the progress of a large heap: its size and the part that was read
   */
  heap(process: string, token?: Cancellation, onProgress?: ProgressListener): Promise<HeapResult> {
    return this.#ask("extrospect/inside/heap", { process }, token, onProgress);
  }

  memory(token?: Cancellation): Promise<InsideMemoryResult> {
    return this.#ask("extrospect/inside/memory", {}, token);
  }

  /**
   * Which processes hold binaries, and which processes and ports allocated them. Giving it up in the middle takes the
   * session's helper along, which attaches anew.
   */
  binaries(wanted: BinariesWanted, token?: Cancellation): Promise<BinariesResult> {
    return this.#ask("extrospect/inside/binaries", { wanted }, token);
  }

  /** @param lookMs how long the schedulers are looked at, at most 1,000 */
  node(lookMs: number, token?: Cancellation): Promise<NodeResult> {
    return this.#ask("extrospect/inside/node", { lookMs }, token);
  }

  /** Looks at where processes wait, once more. */
  lookAtWaits(token?: Cancellation): Promise<WaitsLook> {
    return this.#ask("extrospect/inside/waits/look", {}, token);
  }

  /** What those looks saw; the next one begins anew. */
  finishWaits(token?: Cancellation): Promise<InsideWaitsResult> {
    return this.#ask("extrospect/inside/waits/finish", {}, token);
  }

  /** The panel no longer waits for answers; the last one of a VM ends its session. */
  close(): void {
    if (this.#closing.token.isCancellationRequested) return;
    this.#closing.cancel();
    this.#session.closed(this);
  }

  /**
   * The helper is gone, and the session with it. The next request fails with this; otherwise it would start a helper,
   * or connect to a host, that the user may have ended.
   */
  lose(why: string): void {
    if (this.#isAnswered) this.#lost = why;
    this.#isAnswered = false;
  }

  async #ask<M extends Question>(
    method: M,
    wanted: ParamsOf<M>,
    token?: Cancellation,
    onProgress?: ProgressListener,
  ): Promise<Requests[M]["result"]> {
    if (this.#closing.token.isCancellationRequested) throw new Cancelled();
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) throw new HelperError("ended", lost, "", "");
    const both = this.#closing.with(token);
    try {
      const answer = await this.#session.ask(method, wanted, both.token, onProgress);
      this.#isAnswered = true;
      return answer;
    } catch (error) {
      if (error instanceof HelperError && error.problem === "ended") this.#isAnswered = false;
      throw error;
    } finally {
      both.dispose();
    }
  }
}

/** The VMs whose inside is looked at in this window. */
export class InsideVms {
  readonly #sessions = new Map<string, SharedSession>();

  /** @param helper that of the machine where the VM runs */
  open(place: VmPlace, helper: HelperConnection): InsideVm {
    const key = vmKey(place);
    let session = this.#sessions.get(key);
    if (session?.helper !== helper) {
      const made = new SharedSession(place, helper, () => {
        if (this.#sessions.get(key) === made) this.#sessions.delete(key);
      });
      this.#sessions.set(key, made);
      session = made;
    }
    return new InsideVm(session);
  }
}

/** The same for the same VM, and for no other that runs. */
export function vmKey({ pid, host }: VmPlace): string {
  return `${String(pid)} ${host === undefined ? "" : addressKey(host)}`;
}

/** What the panels of one VM have in common. */
class SharedSession {
  readonly #users = new Set<InsideVm>();
  readonly #ending = new Cancelling();
  readonly #listening: { dispose(): void };
  #opening: Promise<number> | undefined;
  /** One whose VM has ended, and whose looks at waits were not finished yet. */
  #unfinished: Promise<number> | undefined;
  #target: TargetFacts | undefined;
  #startTicks: number | undefined;

  constructor(
    readonly place: VmPlace,
    readonly helper: HelperConnection,
    private readonly ended: () => void,
  ) {
    const nothing = (): void => undefined;
    this.#listening = helper.listen({
      increment: nothing,
      resync: nothing,
      ended: nothing,
      helperGone: (why) => {
        // The next helper counts from one again: the old number could name another VM's session.
        this.#opening = undefined;
        for (const user of this.#users) user.lose(why);
      },
    });
  }

  get target(): TargetFacts | undefined {
    return this.#target;
  }

  get startTicks(): number | undefined {
    return this.#startTicks;
  }

  opened(user: InsideVm): void {
    this.#users.add(user);
  }

  closed(user: InsideVm): void {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    this.ended();
    this.#listening.dispose();
    // One that is being opened still is given up, one that is open is closed.
    this.#ending.cancel();
    this.#close(this.#opening);
  }

  async ask<M extends Question>(
    method: M,
    wanted: ParamsOf<M>,
    token: Cancellation,
    onProgress?: ProgressListener,
  ): Promise<Requests[M]["result"]> {
    const opening = (this.#opening ??= this.#open());
    try {
      const insideId = await opening;
      const answer = await this.helper.request(
        method,
        { ...wanted, insideId } as Requests[M]["params"],
        token,
        onProgress,
      );
      if (method === FINISH && this.#unfinished === opening) this.#leave(opening);
      return answer;
    } catch (error) {
      if (isEndOfVm(error) && this.#opening === opening) {
        if (method === LOOK && this.#unfinished !== opening) this.#unfinished = opening;
        else this.#leave(opening);
      }
      throw error;
    }
  }

  /** The VM has ended: the next request attaches anew. */
  #leave(opening: Promise<number>): void {
    this.#unfinished = undefined;
    if (this.#opening === opening) this.#opening = undefined;
    this.#close(opening);
  }

  #open(): Promise<number> {
    const { token } = this.#ending;
    const opening = this.helper
      .request("extrospect/inside/open", { pid: this.place.pid }, token)
      .then(({ insideId, target, startTicks }) => {
        this.#target = target;
        this.#startTicks = startTicks;
        return insideId;
      });
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  #close(opening: Promise<number> | undefined): void {
    // Where it was never opened, or ended by itself, there is nothing to close.
    opening?.then((insideId) => this.helper.request("extrospect/inside/close", { insideId })).catch(() => undefined);
  }
}

/** The VM has ended, or there is none with that process id (any more). */
export function isEndOfVm(error: unknown): boolean {
  return (
    error instanceof HelperError && (error.code === ErrorCodes.targetGone || error.code === ErrorCodes.noSuchTarget)
  );
}
