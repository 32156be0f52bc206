// Whatever happens at once, and in whatever order answers come: each recording that runs has one owner, and each end is noted once.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Requests } from "../../../contract/protocol.generated.js";
import { newCapture } from "../../../extension/src/capture/capture-model.js";
import type {
  Cancellation,
  CaptureListener,
  HelperConnection,
  HelperMethod,
} from "../../../extension/src/helper/helper-connection.js";
import { Cancelled, HelperError } from "../../../extension/src/helper/helper-error.js";
import { Recording, type RecordingEnd } from "../../../extension/src/recording/recording.js";
import type { Member, RecordingGroup, WantedMember } from "../../../extension/src/recording/recording-group.js";
import { RunningCaptureMemory, runningFile, type Memento } from "../../../extension/src/recording/running-memory.js";
import { mayEndWithWindow, Session, type SessionStage } from "../../../extension/src/recording/session.js";
import { Sessions, type StartQuestions } from "../../../extension/src/recording/sessions.js";
import { isNightly } from "../../nightly.mjs";
import { qualityOf, TARGET } from "./fakes.js";

const RUNS = isNightly ? 200 : 60;
const EVENTS = 60;
const OPTIONS = { frequencyHz: 99, durationSeconds: 0, includeKernel: false, engine: "auto" as const };

/** The same numbers for the same seed. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed + 1;
  }

  /** A whole number below this one. */
  below(most: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * most);
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Steps under way, which go on in any order. */
class UnderWay {
  #steps: (() => void)[] = [];

  constructor(private readonly chance: Chance) {}

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  add(step: () => void): { dispose(): void } {
    this.#steps.push(step);
    return { dispose: () => (this.#steps = this.#steps.filter((other) => other !== step)) };
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.add(resolve));
  }

  async goOn(): Promise<void> {
    const [step] = this.#steps.splice(this.chance.below(this.#steps.length), 1);
    step?.();
    await settled();
  }
}

const noAnswer = () => new HelperError("ended", "", "the helper is gone", "");

/** Behaves as the helper does: a request is done at one moment, and answered at a later one. */
class ModelHelper implements HelperConnection {
  readonly sampling = new Map<number, { readonly attachment: number; readonly pid: number }>();
  /** Requests about what an earlier helper held: numbers of this one may be the same. */
  readonly strays: string[] = [];
  /** The life that gave a number. */
  readonly #givenIn = new Map<number, number>();
  readonly #attached = new Map<number, number>();
  readonly #gone = new Set<number>();
  #listeners: CaptureListener[] = [];
  #next = 1;
  #life = 1;
  #restarts = true;
  /** Ends that are noticed and not reported yet: the next helper waits for that. */
  #unreported = 0;
  #reported: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly underWay: UnderWay,
    private readonly chance: Chance,
  ) {}

  async request<M extends HelperMethod>(
    method: M,
    params: Requests[M]["params"],
    token?: Cancellation,
  ): Promise<Requests[M]["result"]> {
    const isAboutHeld = "attachmentId" in params || "captureId" in params;
    const isGoing = this.#unreported > 0;
    await this.#reported;
    if (isAboutHeld && isGoing) throw noAnswer();
    const life = this.#life;
    await this.underWay.wait();
    if (token?.isCancellationRequested === true) throw new Cancelled();
    const answer = life === this.#life && this.#restarts ? this.#done(method, params as never) : undefined;
    await this.underWay.wait();
    if (life !== this.#life || !this.#restarts) throw noAnswer();
    if (answer instanceof Error) throw answer;
    return answer as Requests[M]["result"];
  }

  listen(listener: CaptureListener): { dispose(): void } {
    this.#listeners.push(listener);
    return { dispose: () => (this.#listeners = this.#listeners.filter((other) => other !== listener)) };
  }

  vmGone(pid: number): void {
    this.#gone.add(pid);
    for (const [captureId, { pid: sampled }] of this.sampling) if (sampled === pid) this.#end(captureId, "targetGone");
  }

  /** @param restarts it comes back on request */
  helperGone(restarts = true): void {
    this.#life += 1;
    this.#restarts = restarts;
    this.sampling.clear();
    this.#attached.clear();
    this.#unreported += 1;
    this.#reported = Promise.all([this.#reported, this.underWay.wait()]).then(() => {
      this.#unreported -= 1;
      for (const listener of [...this.#listeners]) listener.helperGone("it is gone");
    });
  }

  #given(): number {
    this.#givenIn.set(this.#next, this.#life);
    return this.#next++;
  }

  #done(method: HelperMethod, params: { pid: number; attachmentId?: number; captureId?: number }): unknown {
    const { attachmentId = 0, captureId = 0 } = params;
    for (const held of [attachmentId, captureId])
      if (held !== 0 && this.#givenIn.get(held) !== this.#life) this.strays.push(method);
    switch (method) {
      case "extrospect/attach": {
        if (this.#gone.has(params.pid) || this.chance.below(8) === 0) return new HelperError("refused", "", "no", "");
        const given = this.#given();
        this.#attached.set(given, params.pid);
        return { attachmentId: given, target: { ...TARGET, pid: params.pid } };
      }
      case "extrospect/capture/start": {
        const pid = this.#attached.get(attachmentId);
        if (pid === undefined || this.#gone.has(pid)) return new HelperError("ended", "", "the VM is gone", "");
        const given = this.#given();
        this.sampling.set(given, { attachment: attachmentId, pid });
        return { captureId: given, file: `/none/${String(given)}.pb.gz`, engine: { name: "readv" } };
      }
      case "extrospect/capture/stop":
        if (!this.sampling.has(captureId)) return new HelperError("refused", "", "it has ended", "");
        this.#end(captureId, "stopped");
        return { captureId, reason: "stopped", problem: null, file: "", quality: qualityOf(1) };
      case "extrospect/detach":
        for (const [sampled, { attachment }] of this.sampling)
          if (attachment === attachmentId) this.sampling.delete(sampled);
        this.#attached.delete(attachmentId);
        return null;
      default:
        throw new Error(`${method} was not expected`);
    }
  }

  #end(captureId: number, reason: "stopped" | "targetGone"): void {
    this.sampling.delete(captureId);
    const [life, ended] = [this.#life, { captureId, reason, problem: null, file: "", quality: qualityOf(1) }];
    this.underWay.add(() => {
      if (life === this.#life) for (const listener of [...this.#listeners]) listener.ended(ended);
    });
  }
}

/** The parts of a session that the window shows, counted. */
class ModelStage implements SessionStage {
  readonly session: Session<ModelStage> = new Session<ModelStage>(this);
  readonly recordings: Recording[] = [];
  readonly ends = new Map<Member, RecordingEnd[]>();
  readonly counts = { begun: 0, complete: 0, ended: 0, note: 0, forget: 0 };
  isLive = false;

  constructor(private readonly world: World) {}

  begun({ members }: RecordingGroup): void {
    this.counts.begun += 1;
    this.isLive = true;
    void this.world.memory.begun({
      files: members.map((member) => runningFile(member, member.name)),
      durationSeconds: 0,
    });
  }

  changed(): void {
    assert.ok(this.isLive, "nothing changes of what is not in view");
  }

  grew(): void {
    assert.fail("the helper sends no samples here");
  }

  memberEnded(member: Member, end: RecordingEnd): Promise<unknown> {
    this.ends.set(member, [...(this.ends.get(member) ?? []), end]);
    return this.world.answered(end);
  }

  async complete(): Promise<void> {
    this.counts.complete += 1;
    await this.world.underWay.wait();
  }

  ended(): void {
    this.counts.ended += 1;
    this.isLive = false;
  }

  async note(): Promise<void> {
    assert.equal(this.isLive, false, "nothing is noted in a file that grows");
    this.counts.note += 1;
    await this.world.underWay.wait();
  }

  forgetMember({ recording }: Member): Promise<void> {
    return this.world.memory.memberEnded(recording.file);
  }

  outlived(): Promise<void> {
    return this.world.outlived();
  }

  forget(): Promise<void> {
    this.counts.forget += 1;
    return this.world.memory.ended(this.session.group.members[0]?.recording.file ?? "");
  }

  members(pids: readonly number[]): WantedMember[] {
    return pids.map((pid) => ({
      name: String(pid),
      recording: (listener, begin) => {
        const fileFor = async () => {
          await begin();
          return `/none/${String(pid)}.pb.gz`;
        };
        const recording = new Recording({ ...OPTIONS, pid, fileFor }, this.world.environment(), listener);
        this.recordings.push(recording);
        return recording;
      },
    }));
  }
}

/** What the editor keeps over a reload. */
function memento(): Memento {
  const kept = new Map<string, unknown>();
  return {
    get: (key) => kept.get(key),
    update: (key, value) => Promise.resolve(void kept.set(key, value)),
  };
}

/** Whether the window may be the cause of its end. */
function mayBeOfWindow({ session }: ModelStage): boolean {
  return session.group.members.some(({ end }) => end !== undefined && mayEndWithWindow(end.reason));
}

/** One window. */
class World {
  readonly underWay: UnderWay;
  readonly helper: ModelHelper;
  readonly sessions = new Sessions<ModelStage>();
  readonly stages: ModelStage[] = [];
  readonly memory = new RunningCaptureMemory(memento());
  /** Whether the window is there: messages of a closed one are not answered. */
  #isOpen = true;
  readonly #cancellers: (() => void)[] = [];
  readonly #questions: StartQuestions<ModelStage>;

  constructor(private readonly chance: Chance) {
    this.underWay = new UnderWay(chance);
    this.helper = new ModelHelper(this.underWay, chance);
    this.#questions = {
      mayEnd: async () => {
        await this.underWay.wait();
        return chance.below(4) > 0;
      },
      isBusy: () => {},
    };
  }

  environment(): ConstructorParameters<typeof Recording>[1] {
    return {
      helper: this.helper,
      newCapture,
      readRange: () => Promise.reject(new Error("nothing is left out")),
      remove: () => this.underWay.wait(),
      now: () => 0,
      later: (run) => this.underWay.add(run),
    };
  }

  answered({ reason }: RecordingEnd): Promise<unknown> {
    if (reason === "stopped") return Promise.resolve();
    // Some users leave a message where it is.
    return this.chance.below(2) === 0 ? new Promise(() => {}) : this.#whileOpen();
  }

  outlived(): Promise<void> {
    return this.#whileOpen();
  }

  happen(): void {
    const event = this.chance.below(20);
    if (event < 8) void this.#attach();
    else if (event < 11) void this.sessions.running?.stop();
    else if (event < 14) this.#close();
    else if (event < 16) this.helper.vmGone(1 + this.chance.below(6));
    else if (event < 18) this.#cancellers[this.chance.below(this.#cancellers.length)]?.();
    else if (event === 18) this.helper.helperGone();
  }

  /** The helper ends with its window, and no user is there to answer. @returns the stage that it ended */
  reload(): ModelStage | undefined {
    const { running } = this.sessions;
    this.#isOpen = false;
    this.helper.helperGone(false);
    return running !== undefined && running.group.running.length > 0 ? running.stage : undefined;
  }

  /** At any moment. */
  check(): void {
    assert.deepEqual(this.helper.strays, [], "a helper is requested nothing about what another one held");
    for (const stage of this.stages) {
      const { begun, ended, note } = stage.counts;
      assert.ok(begun <= 1 && ended <= begun && note <= ended, JSON.stringify(stage.counts));
      for (const ends of stage.ends.values()) assert.equal(ends.length, 1, "each end is reported once");
      for (const { phase } of stage.recordings)
        if (phase === "recording" || phase === "stopping") {
          assert.equal(this.sessions.current?.stage, stage, "what runs is of the window's one session");
          assert.notEqual(stage.session.phase, "ended", "a session that has ended owns nothing");
        }
    }
    assert.ok(this.stages.filter(({ isLive }) => isLive).length <= 1, "one capture grows");
  }

  /** When nothing is under way any more. */
  checkEnd(isOpen: boolean): void {
    assert.deepEqual([...this.helper.sampling.keys()], [], "nothing samples without an owner");
    assert.equal(this.sessions.running, undefined);
    for (const stage of this.stages) {
      const { begun, complete, ended, note, forget } = stage.counts;
      assert.deepEqual([complete, ended, note], [begun, begun, begun]);
      const { members } = stage.session.group;
      assert.deepEqual([...stage.ends.keys()].length, members.length, "each end is reported");
      if (isOpen || !mayBeOfWindow(stage)) assert.equal(forget, begun);
    }
  }

  async #attach(): Promise<void> {
    const pids = Array.from({ length: 1 + this.chance.below(3) }, () => 1 + this.chance.below(6));
    const stage = new ModelStage(this);
    let isCancelled = false;
    const token: Cancellation = {
      get isCancellationRequested() {
        return isCancelled;
      },
      onCancellationRequested: () => ({ dispose: () => {} }),
    };
    try {
      await this.sessions.alone(pids.join(), this.#questions, async (claim) => {
        // A picker, a host that is connected to, files that are fetched.
        await this.underWay.wait();
        await this.underWay.wait();
        if (this.chance.below(6) === 0) return;
        this.stages.push(stage);
        this.#cancellers.push(() => (isCancelled = true));
        await claim.begin(stage.session, stage.members(pids), token);
      });
    } catch (error) {
      assert.ok(error instanceof Cancelled, String(error));
    }
  }

  #whileOpen(): Promise<void> {
    return new Promise((resolve) => {
      this.underWay.add(() => {
        if (this.#isOpen) resolve();
      });
    });
  }

  /** Of any capture that was shown: it ends that one alone. */
  #close(): void {
    const shown = this.stages.filter(({ counts }) => counts.begun > 0);
    const stage = shown[this.chance.below(shown.length)];
    const others = this.stages.filter((other) => other !== stage).map(({ session }) => session.phase);
    if (stage?.isLive === true) void stage.session.stop();
    assert.deepEqual(
      this.stages.filter((other) => other !== stage).map(({ session }) => session.phase),
      others,
    );
  }
}

async function drained(world: World): Promise<void> {
  for (let turn = 0; !world.underWay.isEmpty || world.sessions.running !== undefined; turn += 1) {
    assert.ok(turn < 2000, "it comes to rest");
    if (world.underWay.isEmpty) void world.sessions.running?.stop();
    await world.underWay.goOn();
    world.check();
  }
  await settled();
}

/** @returns a window in which a lot has happened */
async function busy(seed: number): Promise<World> {
  const chance = new Chance(seed);
  const world = new World(chance);
  for (let event = 0; event < EVENTS; event += 1) {
    if (chance.below(3) === 0) world.happen();
    await world.underWay.goOn();
    world.check();
  }
  return world;
}

async function inEachRun(run: (seed: number) => Promise<void>): Promise<void> {
  for (let seed = 0; seed < RUNS; seed += 1)
    try {
      await run(seed);
    } catch (error) {
      if (error instanceof Error) error.message = `seed ${String(seed)}: ${error.message}`;
      throw error;
    }
}

test("each recording that runs has one owner, and each end is noted once", async () => {
  let begun = 0;
  await inEachRun(async (seed) => {
    const world = await busy(seed);
    await drained(world);
    world.checkEnd(true);
    begun += world.stages.reduce((sum, { counts }) => sum + counts.begun, 0);
  });
  assert.ok(begun > RUNS, `${String(begun)} sessions ran in ${String(RUNS)} windows`);
});

test("a window that returns reports the captures that ended with it, and nothing else", async () => {
  let [told, partly] = [0, 0];
  await inEachRun(async (seed) => {
    const world = await busy(seed);
    const ran = world.reload();
    await drained(world);
    world.checkEnd(false);
    const { files } = (await world.memory.take()) ?? { files: [] };
    const remembered = world.stages.find(({ session }) =>
      session.group.members.some(({ recording }) => recording.file === files[0]?.file),
    );
    const members = remembered?.session.group.members ?? [];
    assert.deepEqual(
      files.filter(({ hasEnded }) => hasEnded !== true).map(({ file }) => file),
      members
        .filter(({ end }) => end !== undefined && mayEndWithWindow(end.reason))
        .map(({ recording: { file } }) => file),
      "those are named that may have ended with the window",
    );
    assert.ok(remembered === undefined || mayBeOfWindow(remembered));
    // Not one that was stopped just before.
    if (ran !== undefined && mayBeOfWindow(ran)) assert.equal(remembered, ran);
    if (remembered !== undefined) told += 1;
    if (files.some(({ hasEnded }) => hasEnded === true)) partly += 1;
  });
  assert.ok(told > 0 && partly > 0, `${String(told)} were remembered, ${String(partly)} of them in part`);
});
