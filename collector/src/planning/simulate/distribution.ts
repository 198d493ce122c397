/** The distributions of simulated answers: Zipf, uniform, or a CSV file of weights. */

import { readFile } from 'node:fs/promises';
import { UsageError, unreadBecause } from '../../base/usage.ts';

/** Shares of `size` answers that sum to 1. */
export async function parseDistribution(text: string, size: number): Promise<readonly number[]> {
  const weights = await weightsOf(text, size);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

async function weightsOf(text: string, size: number): Promise<readonly number[]> {
  const zipf = /^zipf:(\d+(?:\.\d+)?)$/.exec(text)?.[1];
  if (zipf !== undefined) return Array.from({ length: size }, (_, i) => (i + 1) ** -Number(zipf));
  if (text === 'uniform') return Array.from({ length: size }, () => 1);
  if (!text.endsWith('.csv')) throw new UsageError(`--distribution: expected zipf:S, uniform or FILE.csv, got ${JSON.stringify(text)}`);
  const lines = await readFile(text, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--distribution ${text}: ${unreadBecause(error)}`);
  });
  const weights = lines
    .trim()
    .split(/\r?\n/)
    .map((line) => Number(line.split(',').at(-1)));
  const bad = weights.findIndex((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (bad >= 0 || weights.length !== size) {
    throw new UsageError(
      `--distribution ${text}: expected ${size} lines that end in a weight, got ${bad >= 0 ? `no weight in line ${bad + 1}` : weights.length}`,
    );
  }
  return weights;
}

/** Draws from shares by the alias method (Walker 1977, Vose 1991), with two uniforms per draw. */
export function sampler(shares: readonly number[], uniform: () => number): () => number {
  const size = shares.length;
  const cut = shares.map((share) => share * size);
  const alias = shares.map((_, i) => i);
  const small: number[] = [];
  const large: number[] = [];
  cut.forEach((weight, i) => {
    (weight < 1 ? small : large).push(i);
  });
  while (small.length > 0 && large.length > 0) {
    const [low, high] = [small.pop() as number, large.at(-1) as number];
    alias[low] = high;
    cut[high] = (cut[high] as number) - (1 - (cut[low] as number));
    if ((cut[high] as number) < 1) small.push(large.pop() as number);
  }
  return () => {
    const i = Math.floor(uniform() * size);
    return uniform() < (cut[i] as number) || alias[i] === i ? i : (alias[i] as number);
  };
}
