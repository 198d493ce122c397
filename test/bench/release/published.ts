/** How often intervals of published estimates hold beside a number of reports with a standard deviation of 113. */

import { coveredIn, type Name } from '../../collector/release/published-fleet.ts';

const NAMES: readonly (readonly [Name, what: string, rounds: number])[] = [
  ['five', '5 answers, ε 1', 2_000],
  ['hundred', '128 answers, ε 1', 200],
  ['thousand', '1,000 answers, ε 2', 60],
  ['number', 'a mean, ε 1', 1_000],
];
const REPORTS = [3, 20, 200, 2_000];
/** A mean that is so many of its standard errors below 95 % is seen once in a million by chance. */
const SUSPICIOUS = 4.75;

/** A row for each type, and what is wrong. */
export function published(): { readonly rows: readonly (readonly string[])[]; readonly failures: readonly string[] } {
  const failures: string[] = [];
  const rows = NAMES.map(([name, what, rounds]) => [
    what,
    ...REPORTS.map((reports) => {
      const covered = coveredIn(name, reports, reports > 200 ? Math.ceil(rounds / 4) : rounds);
      const mean = covered.reduce((sum, each) => sum + each, 0) / covered.length;
      const spread = Math.sqrt(covered.reduce((sum, each) => sum + (each - mean) ** 2, 0)) / covered.length;
      if (mean < 0.95 - SUSPICIOUS * spread)
        failures.push(`published estimates: expected intervals that hold in 95 %, got ${mean} (${what}, ${reports} reports)`);
      return mean.toFixed(3);
    }),
  ]);
  return { rows: [['intervals that hold', ...REPORTS.map((reports) => `${reports} reports`)], ...rows], failures };
}
