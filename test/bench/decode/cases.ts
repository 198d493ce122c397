/**
 * Four sets that google/rappor's own C++ client made, with what its R decoder reported. They lie outside the repository, and nothing was tuned
 * to them. Total variation is as in its own comparison: over all strings, with those that are not reported at 0.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { DecodeInput } from '#collector/decoding/decode/evidence.ts';
import type { Part } from '../../kit/part.ts';
import { chancesOf } from '../../kit/simulated-set.ts';
import { type Design, designs } from './designs.ts';
import { FDR } from './trial.ts';

interface Case {
  readonly name: string;
  readonly input: DecodeInput;
  readonly candidates: readonly string[];
  readonly truth: ReadonlyMap<string, number>;
  readonly reference: ReadonlyMap<string, number>;
}

/** What was found in one case, or in all. */
interface Found {
  readonly right: number;
  readonly wrong: number;
  readonly distance: number;
}

const unquoted = (text: string): string => text.replace(/^"(.*)"$/, '$1');

function caseAt(folder: URL, name: string): Case {
  const rows = (file: string): readonly (readonly string[])[] =>
    readFileSync(new URL(`${name}/${file}`, folder), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(',').map(unquoted));
  const [, parameters] = rows('params.csv');
  const [cells, hashes, cohorts, p, q, f] = (parameters as readonly string[]).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const counted = rows('counts.csv').map((row) => row.map(Number));
  const map = rows('map.csv');
  const places = Uint16Array.from(
    map.flatMap((row) =>
      row.slice(1).map((text, at) => {
        const cohort = Math.floor(at / hashes);
        const first = 1 + cohort * hashes;
        return row.indexOf(text, first) < at + 1 ? cells : Number(text) - 1 - cohort * cells;
      }),
    ),
  );
  const shares = (file: string, column: number): ReadonlyMap<string, number> =>
    new Map(
      rows(file)
        .slice(1)
        .map((row) => [row[0] as string, Number(row[column])]),
    );
  return {
    name,
    input: {
      counts: {
        cohorts,
        cells,
        reports: Float64Array.from(counted, (row) => row[0] as number),
        counts: Float64Array.from(counted.flatMap((row) => row.slice(1))),
        ...chancesOf(p, q, f),
      },
      map: { candidates: map.length, hashes, places },
      fdr: FDR,
    },
    candidates: map.map(([string]) => string as string),
    truth: shares('truth.csv', 2),
    reference: shares('r_result.csv', 3),
  };
}

function distance(truth: ReadonlyMap<string, number>, shares: ReadonlyMap<string, number>): number {
  const all = new Set([...truth.keys(), ...shares.keys()]);
  return [...all].reduce((sum, string) => sum + Math.abs((truth.get(string) ?? 0) - (shares.get(string) ?? 0)), 0) / 2;
}

const foundIn = (truth: ReadonlyMap<string, number>, reported: ReadonlyMap<string, number>, whole = reported): Found => {
  const right = [...reported.keys()].filter((string) => (truth.get(string) ?? 0) > 0).length;
  return { right, wrong: reported.size - right, distance: distance(truth, whole) };
};

function decodedBy(design: Design, { input, candidates, truth }: Case): Found {
  const { isFound, estimate, distribution } = design(input);
  const of = (shares: Float64Array, isIn: (v: number) => boolean) =>
    new Map(candidates.flatMap((string, v) => (isIn(v) ? [[string, shares[v] as number] as const] : [])));
  return foundIn(
    truth,
    of(estimate, (v) => isFound[v] === 1),
    distribution && of(distribution, () => true),
  );
}

const [LEAST_RIGHT, MOST_WRONG] = [150, 8];
const text = ({ right, wrong, distance }: Found): string => `${right} / ${wrong}, ${distance.toFixed(3)}`;

/** All designs on the cases in this folder. */
export function cases(folder: URL): Part {
  const title = 'Four sets of google/rappor’s client: true / false strings, total variation of the whole distribution';
  if (!existsSync(folder)) return { title, failures: [], rows: [[`no data in ${folder.pathname}`]], result: undefined };
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const rows = names.map((name) => {
    const one = caseAt(folder, name);
    const by = Object.fromEntries(Object.entries(designs).map(([design, run]) => [design, decodedBy(run, one)]));
    return { name, by: { ...by, reference: foundIn(one.truth, one.reference) } as { readonly [design: string]: Found } };
  });
  const columns = [...Object.keys(designs), 'reference'];
  const sum = (design: string, of: 'right' | 'wrong'): number => rows.reduce((all, { by }) => all + (by[design] as Found)[of], 0);
  const [right, wrong] = [sum('decode', 'right'), sum('decode', 'wrong')];
  const further = rows.filter(({ by }) => (by['decode'] as Found).distance > (by['reference'] as Found).distance);
  return {
    title,
    failures: [
      ...(right < LEAST_RIGHT ? [`cases: expected at least ${LEAST_RIGHT} true strings, got ${right}`] : []),
      ...(wrong > MOST_WRONG ? [`cases: expected at most ${MOST_WRONG} false strings, got ${wrong}`] : []),
      ...further.map(({ name }) => `cases: expected a total variation of at most the reference's in ${name}`),
    ],
    rows: [
      ['', ...columns],
      ...rows.map(({ name, by }) => [name, ...columns.map((column) => text(by[column] as Found))]),
      ['all', ...columns.map((column) => `${sum(column, 'right')} / ${sum(column, 'wrong')}`)],
    ],
    result: rows,
  };
}
