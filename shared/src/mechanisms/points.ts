/**
 * Points and hyperplanes over GF(q). A vector of t coordinates is stored as its code: the whole number whose base-q digits are the
 * coordinates, with coordinate 0 as the lowest digit. A point of PG(t-1, q) is a line through the origin. Its code is that of the vector on
 * it whose leading digit is 1. Points are numbered in ascending order of their codes. The pairing of two vectors is Σ u_i v_(t-1-i), and
 * the hyperplane of v is the set of u that pair with it to 0. A hyperplane has q^(t-1) of the q^t vectors, and those of two different
 * points share q^(t-2).
 */

import type { Field } from '../arithmetic/field.ts';

/** The number of points of PG(t-1, q): 1 + q + .. + q^(t-1). */
export function pointCount(order: number, dimension: number): number {
  let count = 0;
  for (let i = 0; i < dimension; i++) count = count * order + 1;
  return count;
}

/** q^t. */
export const vectorCount = (order: number, dimension: number): number => pointCount(order, dimension) * (order - 1) + 1;

/** The code of a point. Points with more coordinates follow those with fewer. */
export function pointCode(order: number, index: number): number {
  let power = 1;
  for (; index >= power; power *= order) index -= power;
  return power + index;
}

/** The place and the digit of the leading coordinate of a non-zero vector. */
function leading(order: number, code: number): { readonly at: number; readonly power: number; readonly digit: number } {
  let [at, power] = [0, 1];
  for (; power * order <= code; power *= order) at++;
  return { at, power, digit: Math.floor(code / power) };
}

/** The number of the point that a non-zero vector lies on. */
export function pointIndex({ order, inverse, multiply }: Field, code: number): number {
  const { at, power, digit } = leading(order, code);
  let normal = code;
  if (digit !== 1) {
    const scale = inverse(digit);
    normal = 0;
    for (let unit = 1; unit <= power; unit *= order) normal += multiply(scale, Math.floor(code / unit) % order) * unit;
  }
  return normal - power + pointCount(order, at);
}

/** Σ u_i v_(t-1-i). */
export function pairing({ order, add, multiply }: Field, dimension: number, u: number, v: number): number {
  let sum = 0;
  let unit = vectorCount(order, dimension - 1);
  for (; u > 0; u = Math.floor(u / order)) {
    sum = add(sum, multiply(u % order, Math.floor(v / unit) % order));
    unit /= order;
  }
  return sum;
}

/**
 * The vector that pairs with a point's code v to `value`. All its coordinates are those of `rest`, except the one that v's leading 1 pairs
 * with.
 */
export function vectorPairing(field: Field, dimension: number, v: number, rest: number, value: number): number {
  const { order, add, negative } = field;
  const unit = vectorCount(order, dimension - 1 - leading(order, v).at);
  const others = Math.floor(rest / unit) * unit * order + (rest % unit);
  return others + add(value, negative(pairing(field, dimension, others, v))) * unit;
}

/** A design on which answers can be placed. */
export interface Design {
  readonly order: number;
  readonly dimension: number;
  /** The number of cells of its tally. */
  readonly cells: number;
  /** The mean variance over answers, times the number of reports. */
  readonly variance: number;
}

/**
 * The chooser's rule: among the designs within 3 % of the least variance, the one with the fewest cells; among equals, the least variance.
 */
export function fewestCells(designs: readonly Design[]): Design | undefined {
  const most = 1.03 * Math.min(...designs.map(({ variance }) => variance));
  const [best] = designs.filter(({ variance }) => variance <= most).sort((a, b) => a.cells - b.cells || a.variance - b.variance);
  return best;
}

/** The least dimension, at least two, with at least `points` points. */
export function dimensionFor(order: number, points: number): number {
  let dimension = 2;
  while (pointCount(order, dimension) < points) dimension++;
  return dimension;
}
