/**
 * Other ways to estimate a distribution, for comparison: the square wave's EMS as published, PriPL-Tree and a Haar wavelet. They return the
 * shares of the cells that so many devices have each.
 */

import { listLaw, mechanismOf, type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import type { Rows } from '#collector/estimation/matrices.ts';
import { normSub } from '#collector/estimation/shrunk.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import type { Uniform } from '../../kit/coverage/drawing.ts';
import { rowsOf } from '../../kit/coverage/drawn.ts';
import { binomialAt, multinomialOf } from '../../kit/coverage/multinomial.ts';

type Having = readonly number[];

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0);

/** EM with smoothing of strength 1/4 (EMS): Li et al. 2020, algorithm 1, stopped when the log-likelihood changes by less than 10^-3. */
function emsOf(rows: Rows, counts: ArrayLike<number>): readonly number[] {
  const [size, outputs] = [rows.length, counts.length];
  let shares = Array.from({ length: size }, () => 1 / size);
  let before = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < 10_000; round++) {
    const chances = new Float64Array(outputs);
    rows.forEach((row, i) => {
      for (let j = 0; j < outputs; j++) chances[j] = (chances[j] as number) + (shares[i] as number) * (row[j] as number);
    });
    let likelihood = 0;
    for (let j = 0; j < outputs; j++) likelihood += (counts[j] as number) * Math.log(chances[j] as number);
    if (Math.abs(likelihood - before) < 1e-3) break;
    before = likelihood;
    const next = rows.map(
      (row, i) => (shares[i] as number) * sumOf(row.map((chance, j) => (chance * (counts[j] as number)) / (chances[j] as number))),
    );
    const whole = sumOf(next);
    shares = next.map((own, i) => ((next[i - 1] ?? own) + 2 * own + (next[i + 1] ?? own)) / (4 * whole));
  }
  return shares;
}

export const waveByEms = (law: SquareWaveLaw, tallies: Tallies): readonly number[] => emsOf(rowsOf(law), tallies.get(0)?.cells ?? []);

/** The estimates of a list's answers by the law of a list, without bias, and their variance: those of independent draws by its p and q. */
function listEstimates(having: Having, epsilon: number, uniform: Uniform) {
  const law = listLaw(having.length, epsilon);
  const { p, q } = mechanismOf(law).support(law);
  const reports = sumOf(having);
  return {
    values: having.map((count) => ((binomialAt(count, p, uniform()) + binomialAt(reports - count, q, uniform())) / reports - q) / (p - q)),
    variance: (q * (1 - q)) / ((p - q) ** 2 * reports),
  };
}

/** Divides devices at random into a part of this share, and the others. */
function divided(having: Having, share: number, uniform: Uniform): readonly [Having, Having] {
  const part = having.map((count) => binomialAt(count, share, uniform()));
  return [part, having.map((count, i) => count - (part[i] as number))];
}

/** The nodes of each level over segments: pairs of neighbours, from the segments up. Each node is its first segment and the one after its last. */
function levelsOver(segments: number): readonly (readonly (readonly [number, number])[])[] {
  const levels = [Array.from({ length: segments }, (_, i) => [i, i + 1] as const)];
  for (;;) {
    const below = levels[0] as readonly (readonly [number, number])[];
    if (below.length <= 2) return levels;
    levels.unshift(
      Array.from({ length: Math.ceil(below.length / 2) }, (_, i) => {
        const [first, last] = [below[2 * i], below[2 * i + 1] ?? below[2 * i]] as [readonly [number, number], readonly [number, number]];
        return [first[0], last[1]] as const;
      }),
    );
  }
}

/** Least squares by Gaussian elimination on the normal equations. */
function leastSquares(
  columns: readonly (readonly number[])[],
  y: readonly number[],
): { readonly fit: readonly number[]; readonly rss: number } {
  const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
  const rows = columns.map((a) => [...columns.map((b) => dot(a, b)), dot(a, y)]);
  const size = columns.length;
  rows.forEach((pivot, i) => {
    for (const row of rows.slice(i + 1)) {
      const factor = (row[i] as number) / (pivot[i] as number);
      for (let k = i; k <= size; k++) row[k] = (row[k] as number) - factor * (pivot[k] as number);
    }
  });
  const solved = Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    const row = rows[i] as readonly number[];
    solved[i] = ((row[size] as number) - sumOf(solved.map((x, k) => (k > i ? x * (row[k] as number) : 0)))) / (row[i] as number);
  }
  const fit = y.map((_, at) => sumOf(columns.map((column, i) => (column[at] as number) * (solved[i] as number))));
  return { fit, rss: sumOf(fit.map((value, i) => (value - (y[i] as number)) ** 2)) };
}

/** A continuous line of segments that bends between cells `bends`: 1, x, and (x - b)+ of each. */
function polyline(y: readonly number[], bends: readonly number[]) {
  const over = (from: number) => y.map((_, x) => Math.max(0, x - from));
  return leastSquares([y.map(() => 1), over(-1), ...bends.map((bend) => over(bend - 0.5))], y);
}

/** A segment's first cell. */
const MOST_SEGMENTS = 16;

/**
 * PriPL-Tree: Wang, Ye, Hu, Meng 2024 (VLDB), in one dimension. A fifth of the devices answer by the square wave; segments of a continuous
 * line are fitted to its EMS histogram, one bend at a time where the squared error is largest, until a bend gains less than 1 %. The others
 * answer at a level of a binary tree over the segments, here by this library's law for a list of its nodes. The levels and the first
 * histogram are brought to agree by inverse variances, and the slopes inside of segments stay.
 */
export function priplTree(having: Having, epsilon: number, uniform: Uniform): readonly number[] {
  const size = having.length;
  const [first, rest] = divided(having, 0.2, uniform);
  const rows = rowsOf(squareWaveLaw(size, epsilon));
  const counts = new Float64Array((rows[0] as readonly number[]).length);
  first.forEach((count, cell) => {
    multinomialOf(count, rows[cell] as readonly number[], uniform).forEach((more, output) => {
      counts[output] = (counts[output] as number) + more;
    });
  });
  const histogram = emsOf(rows, counts);
  let bends: readonly number[] = [];
  let line = polyline(histogram, bends);
  while (bends.length + 1 < MOST_SEGMENTS) {
    const edges = [0, ...bends, size];
    const errors = edges
      .slice(1)
      .map((to, i) => sumOf(histogram.slice(edges[i], to).map((y, k) => (y - (line.fit[(edges[i] as number) + k] as number)) ** 2)));
    const worst = errors.indexOf(Math.max(...errors));
    const [from, to] = [edges[worst] as number, edges[worst + 1] as number];
    const tried = Array.from({ length: Math.max(0, to - from - 1) }, (_, i) => {
      const next = [...bends, from + 1 + i].sort((a, b) => a - b);
      return { next, found: polyline(histogram, next) };
    });
    const best = tried.reduce<(typeof tried)[number] | undefined>((a, b) => (a && a.found.rss <= b.found.rss ? a : b), undefined);
    if (best === undefined || line.rss / best.found.rss < 1.01) break;
    [bends, line] = [best.next, best.found];
  }
  const edges = [0, ...bends, size];
  const within = (shares: readonly number[], segment: number): readonly number[] => shares.slice(edges[segment], edges[segment + 1]);
  const segments = edges.length - 1;
  // The frequencies of segments: those of all levels by least squares, gradually from the top as for consistency in a tree.
  const levels = levelsOver(segments);
  let left = rest;
  const perLevel = levels.map((nodes, l) => {
    const [own, others] = divided(left, 1 / (levels.length - l), uniform);
    left = others;
    const inNodes = nodes.map(([a, b]) => sumOf(own.slice(edges[a], edges[b])));
    return nodes.length === 1 ? undefined : listEstimates(inNodes, epsilon, uniform);
  });
  const prior = Array.from({ length: segments }, (_, s) => sumOf([...within(histogram, s)]));
  const priorVariance = (perLevel.at(-1)?.variance ?? 1) * 4;
  const columns = Array.from({ length: segments }, (_, s) => {
    const scaled = levels.flatMap((nodes, l) => nodes.map(([a, b]) => (a <= s && s < b ? 1 / Math.sqrt(perLevel[l]?.variance ?? 1e9) : 0)));
    return [...scaled, ...prior.map((_, i) => (i === s ? 1 / Math.sqrt(priorVariance) : 0))];
  });
  const right = [
    ...levels.flatMap((nodes, l) =>
      nodes.map((_, i) => (perLevel[l] ? (perLevel[l].values[i] as number) / Math.sqrt(perLevel[l].variance) : 0)),
    ),
    ...prior.map((share) => share / Math.sqrt(priorVariance)),
  ];
  const frequencies = segments === 1 ? [1] : normSub(solution(columns, right));
  return frequencies.flatMap((frequency, s) => {
    const shape = within(line.fit, s).map((share) => Math.max(0, share));
    const whole = sumOf(shape);
    return shape.map((share) => (whole > 0 ? (frequency * share) / whole : frequency / shape.length));
  });
}

/** The coefficients of least squares. */
function solution(columns: readonly (readonly number[])[], y: readonly number[]): readonly number[] {
  const { fit } = leastSquares(columns, y);
  // Rows at the end hold one coefficient each.
  const scale = columns.map((column, s) => column[column.length - columns.length + s] as number);
  return fit.slice(-columns.length).map((value, s) => value / (scale[s] as number));
}

/** The Hadamard function j at k. */
function sign(j: number, k: number): number {
  let both = j & k;
  let odd = 0;
  for (; both !== 0; both &= both - 1) odd ^= 1;
  return odd === 0 ? 1 : -1;
}

/**
 * A Haar wavelet: a device draws a layer and sends a random bit of the Hadamard transform of its coefficient there, which is 1 or -1 at one
 * node (Cormode, Kulkarni, Srivastava 2019, HaarHRR). Zhao et al. 2025 (arXiv 2509.19661) give low layers more devices: a layer of twice the
 * nodes has 1/√2 of the devices. From the root on, a node's share is divided by its coefficient, to at least 0 on each side.
 */
export function haarWavelet(having: Having, epsilon: number, uniform: Uniform): readonly number[] {
  const size = having.length;
  const layers = Math.log2(size);
  const weights = Array.from({ length: layers }, (_, l) => 2 ** (-l / 2));
  const kept = (Math.exp(epsilon) - 1) / (Math.exp(epsilon) + 1);
  let left = having;
  let shares: readonly number[] = [1];
  for (let l = 0; l < layers; l++) {
    const [own, others] = divided(left, (weights[l] as number) / sumOf(weights.slice(l)), uniform);
    left = others;
    const nodes = 2 ** l;
    const half = size / nodes / 2;
    const count = (at: number): number => sumOf(own.slice(at * half, (at + 1) * half));
    const devices = sumOf(own);
    const coefficients = Array.from({ length: nodes }, (_, k) => (count(2 * k) - count(2 * k + 1)) / devices);
    const asked = multinomialOf(
      devices,
      Array.from({ length: nodes }, () => 1 / nodes),
      uniform,
    );
    const seen = asked.map((reports, j) => {
      const mean = sumOf(coefficients.map((coefficient, k) => sign(j, k) * coefficient));
      return reports === 0 ? 0 : ((2 * binomialAt(reports, (1 + kept * mean) / 2, uniform()) - reports) / kept) * (1 / devices);
    });
    shares = shares.flatMap((share, k) => {
      const found = Math.min(share, Math.max(-share, sumOf(seen.map((value, j) => value * sign(j, k)))));
      return [(share + found) / 2, (share - found) / 2];
    });
  }
  return shares;
}
