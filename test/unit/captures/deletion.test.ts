// Deleting: nothing is deleted without a yes, and nothing for good unless the question that got the yes stated that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteAfterAsking, type Disposal } from "../../../extension/src/captures/deletion.js";
import { ENGLISH } from "../recording/fakes.js";

type Trash = "works" | "fails" | "none";

interface File {
  readonly name: string;
  readonly trash: Trash;
  /** Deleting it for good fails. */
  readonly isStuck: boolean;
}

/** A disk that records its questions and the fate of each file. */
class Disk implements Disposal<File> {
  readonly fates = new Map<File, "trash" | "gone">();
  readonly questions: { readonly question: string; readonly yes: string; readonly detail: string }[] = [];

  constructor(private readonly answers: readonly boolean[]) {}

  hasTrash({ trash }: File): boolean {
    return trash !== "none";
  }

  moveToTrash(file: File): Promise<void> {
    assert.ok(this.answers[0], `${file.name} goes after a yes`);
    if (file.trash !== "works") return Promise.reject(new Error("no room"));
    this.fates.set(file, "trash");
    return Promise.resolve();
  }

  deleteForGood(file: File): Promise<void> {
    const last = this.questions.at(-1);
    assert.ok(this.answers[this.questions.length - 1], `${file.name} goes after a yes`);
    assert.equal(last?.yes, "Delete Permanently");
    assert.match(last.detail, /cannot be restored|cannot be moved to the trash/);
    if (file.isStuck) return Promise.reject(new Error("not permitted"));
    this.fates.set(file, "gone");
    return Promise.resolve();
  }

  isConfirmed(question: string, yes: string, detail: string): Promise<boolean> {
    this.questions.push({ question, yes, detail });
    return Promise.resolve(this.answers[this.questions.length - 1] ?? false);
  }
}

const file = (name: string, trash: Trash = "works", isStuck = false): File => ({ name, trash, isStuck });
const remove = (disk: Disk, files: readonly File[]) =>
  deleteAfterAsking({ files, question: "Delete them?", details: ["a, b."] }, disk, ENGLISH);

test("with a trash everything goes there after one question", async () => {
  const disk = new Disk([true]);
  const files = [file("a"), file("b")];
  assert.deepEqual(await remove(disk, files), { deleted: files, failed: [] });
  assert.deepEqual([...disk.fates.values()], ["trash", "trash"]);
  assert.deepEqual(disk.questions, [{ question: "Delete them?", yes: "Move to Trash", detail: "a, b." }]);
});

test("without a trash, as in a remote window, the question states that before any deletion", async () => {
  const refused = new Disk([false]);
  const files = [file("a", "none"), file("b", "none")];
  assert.deepEqual(await remove(refused, files), { deleted: [], failed: [] });
  assert.deepEqual([...refused.fates], []);
  assert.deepEqual(refused.questions, [
    {
      question: "Delete them?",
      yes: "Delete Permanently",
      detail: "There is no trash here: deleted files cannot be restored. a, b.",
    },
  ]);
  const disk = new Disk([true]);
  assert.deepEqual((await remove(disk, files)).deleted, files);
});

test("where the trash fails, a second question comes before those files go for good", async () => {
  const files = [file("a"), file("b", "fails"), file("c", "fails")];
  const kept = new Disk([true, false]);
  assert.deepEqual((await remove(kept, files)).deleted, files.slice(0, 1));
  assert.equal(kept.questions[1]?.question, "2 of 3 files cannot be moved to the trash. Delete them?");
  assert.equal(kept.questions[1].detail, "It cannot be moved to the trash: no room");
  const disk = new Disk([true, true]);
  assert.deepEqual((await remove(disk, files)).deleted, files);
  assert.deepEqual([...disk.fates.values()], ["trash", "gone", "gone"]);
});

test("whatever the files, the trash and the answers are, each file has the fate that was agreed to", async () => {
  for (let seed = 0; seed < 3 ** 3 * 2 ** 3 * 4; seed += 1) {
    let left = seed;
    const take = (kinds: number) => {
      const value = left % kinds;
      left = Math.floor(left / kinds);
      return value;
    };
    const files = ["a", "b", "c"].map((name) =>
      file(name, (["works", "fails", "none"] as const)[take(3)], take(2) === 1),
    );
    const answers = [take(2) === 1, take(2) === 1];
    const disk = new Disk(answers);
    const { deleted, failed } = await remove(disk, files);
    assert.deepEqual(new Set(deleted), new Set(disk.fates.keys()), "it answers what is gone");
    assert.ok(disk.questions.length <= 2);
    assert.equal(disk.questions.length === 2, answers[0] === true && files.some(({ trash }) => trash === "fails"));
    for (const one of files) {
      const isWanted = answers[0] === true && (one.trash !== "fails" || answers[1] === true);
      const isGone = isWanted && (one.trash === "works" || !one.isStuck);
      assert.equal(disk.fates.has(one), isGone, one.name);
      assert.equal(
        failed.some((each) => each.file === one),
        isWanted && !isGone,
        `${one.name} is named when it stays against the answer`,
      );
    }
  }
});
