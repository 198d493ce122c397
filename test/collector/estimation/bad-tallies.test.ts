/** Tallies at the edge of what can come, for every mechanism: no reports, one, all equal, a billion; ε from 0.001 to 16. */

import { cellsOf, isDistributionLaw, isNumberLaw, type Law, mechanismOf } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { describe as describeDistribution, USUAL } from '#collector/answers/distribution.ts';
import { distributionOf, estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { marginAt } from '#collector/estimation/precision.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { matrixSpecimens, numberSpecimens, prefixSpecimens, specimens } from '../../conformance/specimens.ts';

const ENDS = [0.001, 16];

const all = { ...specimens, ...prefixSpecimens, ...numberSpecimens, ...matrixSpecimens };

/** The specimens of each mechanism, and the laws at both ends of ε. */
function lawsOf(mechanism: Law['mechanism']): readonly Law[] {
  const { laws, large, at } = all[mechanism];
  return [...laws, ...large, ...ENDS.map((epsilon) => at(epsilon))];
}

/** Whose reports have one cell each. */
const isOneCell = (law: Law): boolean => isNumberLaw(law) || law.mechanism === 'square-wave' || law.mechanism === 'exponential';

/** Tallies of so many reports in a cohort or in all, which all have the same cell, or as many each; of sets none, or every one. */
function talliesOf(law: Law): readonly Tallies[] {
  const { cohorts, cells } = mechanismOf(law).shape(law);
  const cellsWith = (reports: number): readonly Float64Array[] => [
    new Float64Array(cells).with(0, reports),
    new Float64Array(cells).with(cells - 1, reports),
    new Float64Array(cells).fill(reports / cells),
    ...(isOneCell(law) ? [] : [new Float64Array(cells), new Float64Array(cells).fill(reports)]),
  ];
  return [
    new Map(),
    ...[1, 2, 20, 1e9].flatMap((reports) =>
      cellsWith(reports).flatMap((tally) => [
        new Map([[0, { reports, cells: tally }]]),
        ...(cohorts === 1
          ? []
          : [new Map(Array.from({ length: Math.min(cohorts, 16) }, (_, at) => [at, { reports, cells: tally }] as const))]),
      ]),
    ),
  ];
}

/** How many people there are besides the reports. A search for strings takes long, so each tally of it has the next of the three. */
function peopleOf(law: Law, reports: number, serial: number): readonly (number | undefined)[] {
  const all = [undefined, reports, reports / 7];
  return law.mechanism === 'prefix-hashing' ? [all[serial % all.length]] : all;
}

/** Every number in a value, however deep. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

test.each(Object.keys(all) as Law['mechanism'][])('%s: every number is finite, and every interval holds its estimate', (mechanism) => {
  for (const law of lawsOf(mechanism)) {
    for (const [serial, tallies] of talliesOf(law).entries()) {
      const reports = [...tallies.values()].reduce((sum, tally) => sum + tally.reports, 0);
      for (const people of peopleOf(law, reports, serial)) {
        const asked = {
          tallies,
          perDevice: people === reports / 7 ? 7 : 1,
          candidates: ['a', ''],
          ...(people !== undefined && { people }),
        };
        const rows = estimatesOf(law, asked);
        expect(rows.length > 0).toBe(reports > 0);
        for (const { estimate, standardError, low, high } of rows) {
          const about = () => JSON.stringify({ law, people, reports, estimate, standardError, low, high }).slice(0, 400);
          expect([estimate, standardError, low, high].every(Number.isFinite), about()).toBe(true);
          expect(standardError >= 0 && low <= estimate && estimate <= high, about()).toBe(true);
        }
        if (!isDistributionLaw(law)) continue;
        const found = distributionOf(law, tallies, people);
        const described =
          found &&
          describeDistribution(
            {
              distribution: found,
              people: people ?? reports,
              shares: found.density().shares,
              range: [0, cellsOf(law)],
              reports,
              judging: { looks: 'always', planned: 1000 },
            },
            USUAL,
          );
        expect(numbersIn(described).every(Number.isFinite)).toBe(true);
      }
    }
    for (const reports of [1, 1e9]) expect(isNumberLaw(law) || Number.isFinite(marginAt(law, reports, 0.01))).toBe(true);
  }
});
