// Figures of a change as text, and where they lie on a small axis. Nothing of a document in here.

import type { Measure } from "../../contract/editor-module.generated.js";
import { bounded } from "../../contract/bounded.js";
import { decimal, signedPercent } from "../../contract/figures.js";
import { LANGUAGE, percent } from "../words/figures.js";

/** The ends of the axis: a quarter, and four times as much. */
const DOUBLINGS = 2;

export function number(value: number, most: number, least = most): string {
  return decimal(value, LANGUAGE, most, least);
}

/** A value in the unit of the measure: `12.3%`, `45.1 µs`. */
export function valueText(value: number, measure: Measure): string {
  return measure === "work" ? `${number(value, 1)} µs` : percent(value, 100);
}

/** `+18.2%`; empty where a side has nothing. */
export function changeText(changePercent: number): string {
  return Number.isNaN(changePercent) ? "" : signedPercent(changePercent, LANGUAGE);
}

/** From 0 to 1 along the axis, on which twice as much is as far from the middle as half as much. @param changePercent -100 or more */
export function placeOnAxis(changePercent: number): number {
  return bounded(0.5 + Math.log2(1 + Math.max(changePercent, -100) / 100) / (2 * DOUBLINGS), 0, 1);
}
