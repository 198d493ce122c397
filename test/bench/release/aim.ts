/**
 * AIM, beside the synthetic tables that are released: McKenna, Mullins, Sheldon, Miklau 2022, "AIM: An Adaptive and Iterative Mechanism for
 * Differentially Private Synthetic Data", algorithm 4. It measures whole marginals with Gaussian noise, chosen by the exponential mechanism,
 * and fits the table of the largest entropy to them. The fit is over all cells in place of a graphical model, which has the same optimum.
 * Draws are in floating point, so this is for comparison only.
 */

import { seededRng, words } from '@murmuration/client/testing';

/** A marginal: its columns, the entry of each cell, and its weight among all marginals. */
interface Marginal {
  readonly size: number;
  readonly entryOf: Int32Array;
  readonly weight: number;
}

interface Measured {
  readonly marginal: Marginal;
  readonly values: Float64Array;
  readonly deviation: number;
}

/** The marginals of one and of two columns. */
function marginalsOver(sizes: readonly number[], cells: number): readonly Marginal[] {
  const columns = sizes.map((_, i) => i);
  const sets = [...columns.map((i) => [i]), ...columns.flatMap((i) => columns.slice(i + 1).map((j) => [i, j]))];
  const valueIn = (cell: number, column: number): number => {
    const stride = sizes.slice(column + 1).reduce((product, size) => product * size, 1);
    return Math.floor(cell / stride) % (sizes[column] as number);
  };
  return sets.map((set) => ({
    size: set.reduce((product, column) => product * (sizes[column] as number), 1),
    entryOf: Int32Array.from({ length: cells }, (_, cell) =>
      set.reduce((entry, column) => entry * (sizes[column] as number) + valueIn(cell, column), 0),
    ),
    weight: sets.reduce((sum, other) => sum + other.filter((column) => set.includes(column)).length, 0),
  }));
}

function valuesOf({ size, entryOf }: Marginal, cells: ArrayLike<number>): Float64Array {
  const values = new Float64Array(size);
  entryOf.forEach((entry, cell) => {
    values[entry] = (values[entry] as number) + (cells[cell] as number);
  });
  return values;
}

const distance = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] as number)), 0);

/** Weights that sum to 1 from their logarithms. */
function normalized(logs: Float64Array): Float64Array {
  const most = logs.reduce((largest, log) => Math.max(largest, log), Number.NEGATIVE_INFINITY);
  const weights = logs.map((log) => Math.exp(log - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** A table that is fitted to measurements by mirror descent with a line search. */
class Fitted {
  readonly #measured: Measured[] = [];
  #logs: Float64Array;
  #shares: Float64Array;
  #step = 0;

  constructor(cells: number) {
    this.#logs = new Float64Array(cells);
    this.#shares = normalized(this.#logs);
  }

  /** The number of records: of each measurement the sum, weighed by its variance. */
  #total(): number {
    let [sum, weights] = [0, 0];
    for (const { values, deviation } of this.#measured) {
      const weight = 1 / (deviation ** 2 * values.length);
      sum += weight * values.reduce((all, value) => all + value, 0);
      weights += weight;
    }
    return Math.max(1, sum / weights);
  }

  weights(): Float64Array {
    const total = this.#total();
    return this.#shares.map((share) => share * total);
  }

  add(measured: Measured): void {
    this.#measured.push(measured);
  }

  fit(steps: number): void {
    const total = this.#total();
    const lossOf = (shares: Float64Array): number =>
      this.#measured.reduce((loss, { marginal, values, deviation }) => {
        const fitted = valuesOf(marginal, shares);
        return loss + fitted.reduce((sum, share, i) => sum + (total * share - (values[i] as number)) ** 2, 0) / (2 * deviation ** 2);
      }, 0);
    let loss = lossOf(this.#shares);
    if (this.#step === 0) this.#step = ((this.#measured[0] as Measured).deviation / total) ** 2;
    for (let step = 0; step < steps; step++) {
      const slope = new Float64Array(this.#shares.length);
      for (const { marginal, values, deviation } of this.#measured) {
        const slopes = valuesOf(marginal, this.#shares).map(
          (share, i) => (total * (total * share - (values[i] as number))) / deviation ** 2,
        );
        marginal.entryOf.forEach((entry, cell) => {
          slope[cell] = (slope[cell] as number) + (slopes[entry] as number);
        });
      }
      this.#step *= 2;
      for (let halvings = 0; halvings < 25; halvings++, this.#step /= 2) {
        const logs = this.#logs.map((log, cell) => log - this.#step * (slope[cell] as number));
        const shares = normalized(logs);
        const next = lossOf(shares);
        const fall = shares.reduce((sum, share, cell) => sum + (slope[cell] as number) * ((this.#shares[cell] as number) - share), 0);
        if (loss - next < fall / 2) continue;
        [this.#logs, this.#shares, loss] = [logs, shares, next];
        break;
      }
    }
  }
}

/** The weights of all cells under ρ, for sensitivity 1. */
export function aim(counts: readonly number[], sizes: readonly number[], rho: number, seed: number): Float64Array {
  const word = words(seededRng(seed));
  const uniform = (): number => (word() + 0.5) / 2 ** 32;
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const marginals = marginalsOver(sizes, counts.length);
  const truths = marginals.map((marginal) => valuesOf(marginal, counts));
  const heaviest = Math.max(...marginals.map(({ weight }) => weight));
  const table = new Fitted(counts.length);
  const rounds = 16 * sizes.length;
  let [deviation, epsilon, used] = [Math.sqrt(rounds / (2 * 0.9 * rho)), Math.sqrt((8 * 0.1 * rho) / rounds), 0];
  const bias = ({ size }: Marginal): number => Math.sqrt(2 / Math.PI) * deviation * size;
  const measure = (at: number): void => {
    const values = (truths[at] as Float64Array).map((value) => value + deviation * normal());
    table.add({ marginal: marginals[at] as Marginal, values, deviation });
    used += 1 / (2 * deviation ** 2);
  };
  for (let column = 0; column < sizes.length; column++) measure(column);
  table.fit(60);
  while (used < rho * (1 - 1e-9)) {
    const left = rho - used;
    if (left <= 2 * (1 / (2 * deviation ** 2) + epsilon ** 2 / 8))
      [epsilon, deviation] = [Math.sqrt(8 * 0.1 * left), Math.sqrt(1 / (2 * 0.9 * left))];
    used += epsilon ** 2 / 8;
    const before = table.weights();
    const scores = marginals.map((marginal, i) => {
      const score = marginal.weight * (distance(truths[i] as Float64Array, valuesOf(marginal, before)) - bias(marginal));
      return (epsilon * score) / (2 * heaviest) - Math.log(-Math.log(uniform()));
    });
    const chosen = scores.indexOf(Math.max(...scores));
    const marginal = marginals[chosen] as Marginal;
    measure(chosen);
    table.fit(25);
    if (distance(valuesOf(marginal, table.weights()), valuesOf(marginal, before)) <= bias(marginal)) {
      epsilon *= 2;
      deviation /= 2;
    }
  }
  table.fit(150);
  return table.weights();
}
