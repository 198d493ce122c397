/**
 * A specimen of every mechanism: its laws, its production randomizers, and its channel and encoding as written in the definition. The
 * specimen of mechanism X is the export of specimens/X.ts; if it is missing, nothing here loads.
 */

import {
  inputsOf,
  isPrefixLaw,
  type Law,
  mechanismOf,
  mechanisms,
  type NumberLaw,
  type PrefixLaw,
  type ShareLaw,
} from '@murmuration/shared';
import { supportsOf } from '#collector/estimation/mechanisms/table.ts';
import { levelSupports } from '#collector/estimation/prefixes.ts';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { addSupports } from '#collector/estimation/tally.ts';
import type { NumberSpecimen, Specimen } from './specimens/specimen.ts';

/** The law of a mechanism whose reports describe all inputs together: a distribution, or the best of options. */
export type MatrixLaw = Exclude<Law, ShareLaw | NumberLaw | PrefixLaw>;

type Specimens = { readonly [M in ShareLaw['mechanism']]: Specimen<Extract<ShareLaw, { mechanism: M }>> };
type PrefixSpecimens = { readonly [M in PrefixLaw['mechanism']]: Specimen<Extract<PrefixLaw, { mechanism: M }>> };
type NumberSpecimens = { readonly [M in NumberLaw['mechanism']]: NumberSpecimen<Extract<NumberLaw, { mechanism: M }>> };
type MatrixSpecimens = { readonly [M in MatrixLaw['mechanism']]: Specimen<Extract<MatrixLaw, { mechanism: M }>> };

/** The export of a mechanism's file that has laws. */
async function specimenOf(name: string): Promise<unknown> {
  const exported: object = await import(`./specimens/${name}.ts`);
  const found = Object.values(exported).find((each) => typeof each === 'object' && each !== null && 'laws' in each);
  if (found === undefined) throw new TypeError(`test/conformance/specimens/${name}.ts: expected an export that is a specimen, got none`);
  return found;
}

const all = await Promise.all(
  Object.values(mechanisms).map(async ({ name, tells }) => ({ name, tells, specimen: await specimenOf(name) })),
);

const telling = (...what: readonly (typeof all)[number]['tells'][]): unknown =>
  Object.fromEntries(all.filter(({ tells }) => what.includes(tells)).map(({ name, specimen }) => [name, specimen]));

export const specimens = telling('shares') as Specimens;
export const prefixSpecimens = telling('prefixes') as PrefixSpecimens;
export const numberSpecimens = telling('mean') as NumberSpecimens;
export const matrixSpecimens = telling('distribution', 'inputs') as MatrixSpecimens;

/** Whether a law has a second stage. */
export const isPermanent = (law: object): boolean => (law as { readonly irr?: object }).irr !== undefined;

/**
 * The number of inputs of a law: for a list its answers, for strings the cells of the single cohort used in the proofs, for prefixes the
 * places. The string of a place has that place at all levels.
 */
export const inputsIn = (law: Law): number =>
  isPrefixLaw(law) ? mechanismOf(law).places(law) : (inputsOf(law) ?? mechanismOf(law).shape(law).cells);

/** The sums over cohorts of prefixes. */
function overLevels(law: PrefixLaw, tallies: Tallies, supports: (cells: Float64Array) => Float64Array): Tally {
  const cells = new Float64Array(inputsIn(law));
  let reports = 0;
  for (const tally of tallies.values()) {
    reports += tally.reports;
    supports(tally.cells).forEach((count, place) => {
      cells[place] = (cells[place] as number) + count;
    });
  }
  return { reports, cells };
}

/** The number of reports in a tally that support each input, as computed by the collector. */
export const supportsIn = (law: ShareLaw | PrefixLaw, tallies: Tallies): Tally =>
  isPrefixLaw(law)
    ? overLevels(law, tallies, (cells) => levelSupports(law, cells))
    : 'size' in law
      ? supportsOf(law, tallies)
      : (tallies.get(0) as Tally);

/** The same, computed from the definition. */
export function addSupportsIn(law: ShareLaw | PrefixLaw, tallies: Tallies): Float64Array {
  if (!isPrefixLaw(law)) return 'size' in law ? addSupports(law, tallies) : (tallies.get(0) as Tally).cells;
  const { supporting } = mechanismOf(law);
  return overLevels(law, tallies, (cells) =>
    Float64Array.from({ length: inputsIn(law) }, (_, place) =>
      supporting(law, place).reduce((sum, cell) => sum + (cells[cell] as number), 0),
    ),
  ).cells;
}
