// A model: starts, stops, restarts and ends in any order, with each step of a program done whenever the test wants.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProgramLives, StartGivenUp } from "../../../extension/src/helper/program-lives.js";

interface Life {
  readonly number: number;
  state: "made" | "answered" | "ending" | "ended";
}

/** A step that a program is at, which the test ends well or not. */
interface Step {
  readonly succeed: () => void;
  readonly fail: (() => void) | undefined;
}

/** The same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

class Model {
  readonly steps: Step[] = [];
  readonly made: Life[] = [];
  readonly lives = new ProgramLives<Life>({
    make: (signal) => {
      assert.equal(signal.aborted, false, "nothing is made without a request");
      assert.deepEqual(this.alive, [], "at most one program is there");
      return this.#step(() => {
        const life: Life = { number: this.made.length + 1, state: "made" };
        this.made.push(life);
        return life;
      });
    },
    greet: (life) => this.#step(() => void (life.state === "made" && (life.state = "answered"))),
    end: (life) => {
      assert.ok(life.state === "made" || life.state === "answered", "each is ended once");
      life.state = "ending";
      return this.#step(() => void (life.state = "ended"), false);
    },
  });

  get alive(): Life[] {
    return this.made.filter(({ state }) => state !== "ended");
  }

  #step<T>(value: () => T, mayFail = true): Promise<T> {
    return new Promise((resolve, reject) => {
      const step: Step = {
        succeed: () => {
          this.#done(step);
          resolve(value());
        },
        fail: mayFail
          ? () => {
              this.#done(step);
              reject(new Error("it failed"));
            }
          : undefined,
      };
      this.steps.push(step);
    });
  }

  #done(step: Step): void {
    this.steps.splice(this.steps.indexOf(step), 1);
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function run(seed: number): Promise<void> {
  const random = randomOf(seed);
  const model = new Model();
  const { lives } = model;
  const problems: unknown[] = [];
  const pending = new Set<Promise<unknown>>();
  const watched = (work: Promise<unknown>) => {
    const watching: Promise<unknown> = work
      .catch((error: unknown) => problems.push(error))
      .finally(() => pending.delete(watching));
    pending.add(watching);
  };
  /** Stops and starts that were given up, so far. */
  let givenUp = 0;
  const start = async () => {
    const before = givenUp;
    try {
      const life = await lives.running();
      if (before === givenUp) assert.ok(life.state !== "made", "each request gets one that has answered");
    } catch (error) {
      if (error instanceof StartGivenUp) assert.notEqual(before, givenUp, "only a stop gives up a start");
      else if (!(error instanceof Error && error.message === "it failed")) throw error;
    }
  };
  const stop = async () => {
    givenUp += 1;
    const there = model.alive;
    await lives.stop();
    assert.ok(
      there.every(({ state }) => state === "ended"),
      "what was there has ended after a stop",
    );
  };
  const actions = [
    start,
    start,
    stop,
    async () => {
      await stop();
      await start();
    },
    () => {
      givenUp += 1;
      lives.giveUpStart();
      return Promise.resolve();
    },
    async () => {
      const { latest } = lives;
      if (latest?.state !== "answered") return;
      const before = givenUp;
      if ((await lives.gone(latest)) && before === givenUp) await start();
    },
  ];
  for (let turn = 0; turn < 40; turn += 1) {
    const action = random(2) === 0 ? actions[random(actions.length)] : undefined;
    const step = model.steps[random(model.steps.length)];
    if (action !== undefined) watched(action());
    else if (random(4) === 0) step?.fail?.();
    else step?.succeed();
    // Some happen before the one before has had its effect.
    if (random(3) > 0) await settled();
  }
  await settled();
  for (let rest = 0; rest < 200 && (pending.size > 0 || model.steps.length > 0); rest += 1) {
    model.steps[0]?.succeed();
    await settled();
  }
  assert.deepEqual(problems, []);
  assert.equal(pending.size, 0, "no wait is without an end");
  assert.equal(model.alive.length, lives.isWanted ? 1 : 0, "what runs is wanted");
  if (lives.isWanted) assert.equal(await lives.running(), model.alive[0], "and is what is given out");
  const stopping = lives.stop();
  await settled();
  for (const step of [...model.steps]) step.succeed();
  await stopping;
  assert.deepEqual(model.alive, []);
}

test("starts, stops and ends in any order leave one program that is wanted, or none", async () => {
  for (let seed = 1; seed <= 500; seed += 1)
    await run(seed).catch((error: unknown) => {
      throw new Error(`seed ${String(seed)}: ${String(error)}`, { cause: error });
    });
});
