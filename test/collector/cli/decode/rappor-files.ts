/** Small data sets in google/rappor's formats: drawn from seeded coins, with the hash that its clients use. */

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRng, words } from '@murmuration/client/testing';
import { sampler } from '@murmuration/collector';

/** The parameters of a params file. */
export interface Parameters {
  readonly k: number;
  readonly h: number;
  readonly m: number;
  readonly p: number;
  readonly q: number;
  readonly f: number;
}

/** The bits of a string in a cohort: bytes of an MD5 digest, modulo k. */
function bitsOf(text: string, cohort: number, { k, h }: Parameters): readonly number[] {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(cohort);
  const digest = createHash('md5').update(head).update(text).digest();
  return Array.from({ length: h }, (_, i) => (digest[i] as number) % k);
}

/** The fields of a candidate's line in the map. */
export const mapRow = (text: string, parameters: Parameters): readonly (string | number)[] => [
  text,
  ...Array.from({ length: parameters.m }, (_, cohort) =>
    bitsOf(text, cohort, parameters).map((bit) => cohort * parameters.k + bit + 1),
  ).flat(),
];

/** Lines of counts: each report's string is drawn by its share, its cohort evenly, and then its bits. */
export function drawCounts(
  parameters: Parameters,
  strings: readonly string[],
  shares: readonly number[],
  reports: number,
  seed: number,
): number[][] {
  const { k, m, p, q, f } = parameters;
  const word = words(seededRng(seed));
  const chance = (): number => word() / 2 ** 32;
  const draw = sampler(shares, chance);
  const counts = Array.from({ length: m }, () => Array<number>(k + 1).fill(0));
  const hashed = strings.map((text) => Array.from({ length: m }, (_, cohort) => new Set(bitsOf(text, cohort, parameters))));
  const [inside, outside] = [q * (1 - f / 2) + p * (f / 2), p * (1 - f / 2) + q * (f / 2)];
  for (let i = 0; i < reports; i++) {
    const cohort = Math.floor(chance() * m);
    const own = hashed[draw()]?.[cohort];
    const row = counts[cohort] as number[];
    row[0] = (row[0] as number) + 1;
    for (let bit = 0; bit < k; bit++) if (chance() < (own?.has(bit) ? inside : outside)) row[bit + 1] = (row[bit + 1] as number) + 1;
  }
  return counts;
}

export const paramsText = ({ k, h, m, p, q, f }: Parameters): string => `k,h,m,p,q,f\n${[k, h, m, p, q, f].join()}\n`;
export const csvText = (rows: readonly (readonly (string | number)[])[]): string => rows.map((row) => `${row.join()}\n`).join('');

/** The three files of a data set. */
export interface Files {
  readonly params: string;
  readonly counts: string;
  readonly map: string;
}

/** Writes texts or bytes to files of a folder. */
export function writeFiles(folder: string, texts: { readonly [N in keyof Files]: string | Uint8Array }): Files {
  const files = { params: join(folder, 'params.csv'), counts: join(folder, 'counts.csv'), map: join(folder, 'map.csv') };
  for (const name of ['params', 'counts', 'map'] as const) writeFileSync(files[name], texts[name]);
  return files;
}

/** The options of the command that name files. */
export const optionsOf = ({ params, counts, map }: Files): readonly string[] => ['--params', params, '--counts', counts, '--map', map];
