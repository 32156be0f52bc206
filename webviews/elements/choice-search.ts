// Which choices a typed text leaves.

export interface Choice {
  readonly value: string;
  readonly isGroup: boolean;
  readonly samples: number;
}

/** Groups before others, those that start with the text before those that contain it; otherwise the order stays. */
export function findChoices(choices: readonly Choice[], typed: string, most: number): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  const rank = ({ value, isGroup }: Choice) => {
    const at = wanted === "" ? 0 : value.toLowerCase().indexOf(wanted);
    return at < 0 ? -1 : (isGroup ? 0 : 2) + (at === 0 ? 0 : 1);
  };
  return choices
    .map((choice, index) => ({ choice, index, rank: rank(choice) }))
    .filter(({ rank: ranked }) => ranked >= 0)
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .slice(0, most)
    .map(({ choice }) => choice);
}
