/**
 * Two servers beside each other, in alternating slices of time. What a shared machine gives changes over minutes, so it is the same for both
 * halves of a pair, and the ratio within a pair keeps only what differs between the servers.
 */

import { median } from '../../kit/quantile.ts';
import { closedLoop } from './load.ts';
import type { ServerProcess } from './process.ts';

/** A closed loop of so many connections, in so many pairs of slices of so many seconds. */
export interface Load {
  readonly pairs: number;
  readonly seconds: number;
  readonly connections: number;
}

type Sides = readonly [a: readonly number[], b: readonly number[]];

/** Requests of each slice, by server. */
export interface Pairs {
  /** Per CPU second of the server's process. */
  readonly cpu: Sides;
  /** Per second. */
  readonly wall: Sides;
}

/** Pairs that only warm up. */
const WARMING = 5;

/** Runs one slice and gives requests per CPU second and per second. */
async function slice(server: ServerProcess, next: () => Buffer, { connections, seconds }: Load): Promise<readonly [number, number]> {
  const before = await server.usage();
  const { acknowledged, refused, seconds: took } = await closedLoop(server.port, connections, next, seconds);
  const after = await server.usage();
  if (refused > 0) throw new Error(`expected every request to be acknowledged, got ${refused} refusals`);
  return [acknowledged / (after.cpu - before.cpu), acknowledged / took];
}

/** Measures two servers in pairs of slices. Each second pair is in the other order, so that a drift within pairs cancels. */
export async function inPairs(servers: readonly [ServerProcess, ServerProcess], next: () => Buffer, load: Load): Promise<Pairs> {
  const cpu: [number[], number[]] = [[], []];
  const wall: [number[], number[]] = [[], []];
  for (let pair = -WARMING; pair < load.pairs; pair++) {
    for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const [perCpu, perSecond] = await slice(servers[side], next, load);
      if (pair < 0) continue;
      cpu[side].push(perCpu);
      wall[side].push(perSecond);
    }
  }
  return { cpu, wall };
}

/**
 * The median of the ratios b / a within pairs, and its 95 % interval: the order statistics of the sign test, normal approximation, which
 * asks nothing of the ratios but that they are drawn alike (Conover, Practical Nonparametric Statistics, section 3.2).
 */
export function ratioOf([a, b]: Sides): { readonly middle: number; readonly low: number; readonly high: number } {
  const ratios = a.map((x, i) => (b[i] as number) / x).toSorted((x, y) => x - y);
  const rank = Math.max(0, Math.floor(ratios.length / 2 - 0.98 * Math.sqrt(ratios.length)));
  return { middle: median(ratios), low: ratios[rank] as number, high: ratios[ratios.length - 1 - rank] as number };
}
