/** Over settings from all over the space: false discoveries, power, standard errors and coverage of what ships, by regime; and of each design. */

import { type Part, percent } from '../../kit/part.ts';
import { settingOf, simulated, UNLISTED, type Unlisted } from '../../kit/simulated-set.ts';
import { designs } from './designs.ts';
import { HEADING, rowOf, summaryOf } from './summary.ts';
import { oracleOf, trial } from './trial.ts';
import type { Verdict } from './verdict.ts';

interface Trial extends Verdict {
  readonly unlisted: Unlisted;
  /** Candidates over cells. */
  readonly density: number;
  readonly candidates: number;
  readonly reports: number;
}

const isFlagged = ({ label }: Trial): boolean => !label.startsWith('decoded');

function trials(names: readonly string[], sets: number, from: number): ReadonlyMap<string, readonly Trial[]> {
  const all = new Map(names.map((name) => [name, [] as Trial[]]));
  for (let seed = from; seed < from + sets; seed++) {
    const setting = settingOf(seed);
    const set = simulated(setting, seed);
    const oracle = oracleOf(set);
    const { candidates } = set.map;
    const density = candidates / (setting.cells * setting.cohorts);
    for (const [name, found] of all)
      found.push({
        ...trial(set, designs[name] as (typeof designs)[string], oracle),
        unlisted: setting.unlisted,
        density,
        candidates,
        reports: setting.reports,
      });
    if ((seed - from + 1) % 20 === 0) process.stderr.write(`${seed - from + 1} of ${sets} sets\n`);
  }
  return all;
}

/** The regimes, and what holds in each of those that are not flagged. */
const REGIMES: readonly (readonly [name: string, is: (trial: Trial) => boolean])[] = [
  ['all', () => true],
  ...UNLISTED.map((each) => [`unlisted: ${each}`, (trial: Trial) => trial.unlisted === each] as const),
  ['candidates < mk / 2', ({ density }) => density < 0.5],
  ['mk / 2 to 2 mk', ({ density }) => density >= 0.5 && density < 2],
  ['above 2 mk', ({ density }) => density >= 2],
  ['below 100,000 reports', ({ reports }) => reports < 1e5],
  ['above 1,000,000 reports', ({ reports }) => reports > 1e6],
  ['above 3,000 candidates', ({ candidates }) => candidates > 3000],
];
const [MOST_FDP, LEAST_POWER, LEAST_POWER_LISTED, SE_WITHIN] = [0.06, 0.75, 0.9, 0.05];
const [LEAST_COVERED, LEAST_COVERED_DENSE, MOST_COVERED] = [0.93, 0.92, 0.97];

/** In a regime of few sets chance alone can pass a limit: it fails where it does so by more than two of its standard errors. */
function failuresOf(name: string, found: readonly Trial[]): readonly string[] {
  if (found.length === 0) return [];
  const { fdp, fdpError, errorRatio, errorRatioError, covered, coveredError } = summaryOf(found);
  const chance = (error: number): number => (name === 'all' ? 0 : 2 * error);
  const failed: string[] = [];
  if (fdp > MOST_FDP + chance(fdpError))
    failed.push(`${name}: expected at most ${percent(MOST_FDP)} false discoveries, got ${percent(fdp)}`);
  if (Math.abs(errorRatio - 1) > SE_WITHIN + chance(errorRatioError))
    failed.push(`${name}: expected errors within ${percent(SE_WITHIN)} of their standard errors, got a ratio of ${errorRatio.toFixed(3)}`);
  const least = name.startsWith('candidates') ? LEAST_COVERED : LEAST_COVERED_DENSE;
  if (covered < least - chance(coveredError) || covered > MOST_COVERED + chance(coveredError))
    failed.push(`${name}: expected ${percent(least)} to ${percent(MOST_COVERED)} of intervals to cover, got ${percent(covered)}`);
  return failed;
}

function weaknessOf(name: string, found: readonly Trial[], aim: number): readonly string[] {
  const { power } = summaryOf(found);
  return power < aim ? [`${name}: expected a power of at least ${aim}, got ${power.toFixed(3)}`] : [];
}

/** What ships, by regime. Power over all sets counts the flagged ones, too. */
export function calibration(sets: number, seed: number): Part {
  const all = trials(['decode'], sets, seed).get('decode') ?? [];
  const open = all.filter((each) => !isFlagged(each));
  const regimes = REGIMES.map(([name, is]) => ({ name, found: open.filter(is) }));
  const flagged = all.filter(isFlagged);
  const groups = [
    ...regimes,
    ...['direct', 'linear', 'score'].map((fit) => ({ name: `fit: ${fit}`, found: open.filter(({ label }) => label.endsWith(fit)) })),
    { name: 'flagged', found: flagged },
    { name: 'unlisted: none, with flagged', found: all.filter(({ unlisted }) => unlisted === 'none') },
    { name: 'all with flagged', found: all },
  ].filter(({ found }) => found.length > 0);
  return {
    title: `Calibration: ${sets} simulated sets from seed ${seed} on, nominal 5 %; regimes without the ${flagged.length} flagged sets`,
    failures: [
      ...regimes.flatMap(({ name, found }) => failuresOf(name, found)),
      ...weaknessOf(
        'unlisted: none',
        open.filter(({ unlisted }) => unlisted === 'none'),
        LEAST_POWER_LISTED,
      ),
      ...weaknessOf('all, flagged ones too', all, LEAST_POWER),
    ],
    rows: [HEADING, ...groups.map(({ name, found }) => rowOf(name, summaryOf(found)))],
    result: { seed, sets: all, groups: groups.map(({ name, found }) => ({ name, ...summaryOf(found) })) },
  };
}

/** All designs on the same sets. */
export function comparison(sets: number, seed: number): Part {
  const all = trials(Object.keys(designs), sets, seed);
  const shipping = all.get('decode') ?? [];
  const open = (found: readonly Trial[]): readonly Trial[] => found.filter((_, i) => !isFlagged(shipping[i] as Trial));
  const rows = [...all].flatMap(([name, found]) => [rowOf(name, summaryOf(found)), rowOf(`${name}, none flagged`, summaryOf(open(found)))]);
  return {
    title: `Designs: ${sets} simulated sets from seed ${seed} on, nominal 5 %`,
    failures: [],
    rows: [HEADING, ...rows],
    result: { seed, designs: Object.fromEntries([...all].map(([name, found]) => [name, summaryOf(found)])) },
  };
}
