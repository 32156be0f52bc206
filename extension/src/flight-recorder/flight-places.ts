// Which VMs are watched: each once, and no more at a time than a window can bear. No vscode in here.

/** Why a VM cannot be watched now. */
export type Refusal<Watched> =
  | { readonly why: "watched"; readonly watched: Watched }
  /** A watch of it is starting: the prompt for a condition is open, or the helper attaches. */
  | { readonly why: "starting" }
  | { readonly why: "full" };

interface Place<Watched> {
  readonly key: string;
  /** Undefined until the VM is watched. */
  watched: Watched | undefined;
  /** Its end was requested: the files that it still writes block no other. */
  isGivenUp: boolean;
}

/**
 *     free --start()--> taken --hold()--> watched --end()--> free
 *     taken --began nothing, failed--> free
 */
export class FlightPlaces<Watched> {
  readonly #places: Place<Watched>[] = [];

  constructor(private readonly most: number) {}

  get watched(): Watched[] {
    return this.#places.flatMap(({ watched }) => (watched === undefined ? [] : [watched]));
  }

  /** The one that watches this VM; not one that is ending, where another one has its place. */
  find(key: string): Watched | undefined {
    return this.#places.findLast((place) => place.key === key && place.watched !== undefined)?.watched;
  }

  /**
   * Takes the place of a VM before any wait, so that two that begin at once cannot both have it. The place is free
   * again when `begin` ends without a call of `hold`.
   * @param key which VM it is
   * @param begin watches it; `hold` marks it as watched from now on
   * @param refused shows the reason; true when the obstacle was removed, for another try
   * @returns undefined when it was refused
   */
  async start<Begun>(
    key: string,
    begin: (hold: (watched: Watched) => void) => Promise<Begun>,
    refused: (refusal: Refusal<Watched>) => Promise<boolean>,
  ): Promise<Begun | undefined> {
    for (let refusal = this.#refusal(key); refusal !== undefined; refusal = this.#refusal(key)) {
      if (!(await refused(refusal))) return undefined;
    }
    const place: Place<Watched> = { key, watched: undefined, isGivenUp: false };
    this.#places.push(place);
    try {
      return await begin((watched) => {
        place.watched = watched;
      });
    } finally {
      if (place.watched === undefined) this.#leave(place);
    }
  }

  /**
   * Marks that its end was requested, so that another one can have its place; it counts as watched until it has ended.
   */
  giveUp(watched: Watched): void {
    const place = this.#placeOf(watched);
    if (place !== undefined) place.isGivenUp = true;
  }

  /** It is no longer watched. */
  end(watched: Watched): void {
    this.#leave(this.#placeOf(watched));
  }

  #refusal(key: string): Refusal<Watched> | undefined {
    const taken = this.#places.filter(({ isGivenUp }) => !isGivenUp);
    const same = taken.find((place) => place.key === key);
    if (same !== undefined)
      return same.watched === undefined ? { why: "starting" } : { why: "watched", watched: same.watched };
    return taken.length < this.most ? undefined : { why: "full" };
  }

  #placeOf(watched: Watched): Place<Watched> | undefined {
    return this.#places.find((place) => place.watched === watched);
  }

  #leave(place: Place<Watched> | undefined): void {
    const at = place === undefined ? -1 : this.#places.indexOf(place);
    if (at >= 0) this.#places.splice(at, 1);
  }
}
