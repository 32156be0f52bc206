// The same work several times beside each other, until all of it has ended. No vscode in here.

/**
 * The first failure ends the others.
 * @param signal ends all of them
 * @throws what the first to fail has thrown, once all have ended
 */
export async function besideEachOther(
  count: number,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  let first: { readonly error: unknown } | undefined;
  const watched = async () => {
    try {
      await work(either);
    } catch (error) {
      first ??= { error };
      failure.abort();
    }
  };
  await Promise.all(Array.from({ length: count }, watched));
  if (first !== undefined) throw first.error;
}

/**
 * Work on each item, on at most so many at once. The first failure ends the rest.
 * @returns the results, in the order of the items
 */
export async function eachBesideOthers<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const waiting = items.entries();
  const results: Result[] = [];
  const workOnSome = async (either: AbortSignal): Promise<void> => {
    // All take from one iterator: each item is worked on once.
    for (const [index, item] of waiting) {
      either.throwIfAborted();
      results[index] = await work(item);
    }
  };
  await besideEachOther(Math.min(most, items.length), workOnSome, signal);
  return results;
}
