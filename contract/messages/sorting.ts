/** By which column a table is sorted. */
export interface Sorting {
  readonly columnId: string;
  readonly descending: boolean;
}
