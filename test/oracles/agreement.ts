// Two tellings of the same thing, item by item.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";

/** Differences that are printed. */
const SHOWN = 12;

/**
 * Fails unless both have the same keys and the same value for each; prints how many were compared.
 * @param t where the count is printed
 */
export function assertAgree(
  t: TestContext,
  what: string,
  expected: ReadonlyMap<string, string>,
  seen: ReadonlyMap<string, string>,
): void {
  const differences: string[] = [];
  for (const [key, value] of expected) {
    const other = seen.get(key);
    if (other !== value) differences.push(`${key}: expected ${value}, seen ${other ?? "nothing"}`);
  }
  for (const [key, value] of seen) {
    if (!expected.has(key)) differences.push(`${key}: expected nothing, seen ${value}`);
  }
  t.diagnostic(`${what}: expected ${expected.size}, seen ${seen.size}, different ${differences.length}`);
  assert.ok(expected.size > 0, `${what}: there is nothing to compare`);
  assert.equal(
    differences.length,
    0,
    `${what}: ${differences.length} differences\n${differences.slice(0, SHOWN).join("\n")}`,
  );
}

/** A map of one entry per item; a key that comes twice is a mistake. */
export function byKey<Item>(
  items: Iterable<Item>,
  key: (item: Item) => string,
  value: (item: Item) => string,
): Map<string, string> {
  const map = new Map<string, string>();
  for (const item of items) {
    const name = key(item);
    assert.ok(!map.has(name), `${name} is there twice`);
    map.set(name, value(item));
  }
  return map;
}
