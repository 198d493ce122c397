/**
 * The grid: fleets of this project's own laws from 300 to 100,000 reports and from ε 1 to 8, beside an oracle that knows the shares of all other
 * listed strings, the law of the unlisted mass, the exact tail of each score and the number of strings that nobody has. The oracle's null
 * variance leaves out the candidate's own share.
 *
 * There are 504 settings. A run takes each `stride`-th of them: all levels of each factor in turn, where the stride shares no factor with 504.
 */

import { gather, observe, weighing } from '#collector/decoding/decode/cells.ts';
import { findings } from '#collector/decoding/decode/decode.ts';
import { exactLaw, logTailAt } from '#collector/decoding/decode/null-law.ts';
import { normalQuantile, Z95 } from '#collector/estimation/statistics/tails.ts';
import { FLEET_MECHANISMS, type FleetSet, type FleetSetting, fleetMapOf, fleetSet, SPECTRA } from '../../kit/fleet-set.ts';
import { type Part, percent } from '../../kit/part.ts';
import { FDR } from './trial.ts';

const REPORTS = [300, 1_000, 3_000, 10_000, 30_000, 100_000] as const;
const EPSILONS = [1, 2, 3, 4, 5, 6, 8] as const;

/** All settings, such that settings next to each other differ in each factor, as far as there are levels. */
const GRID: readonly FleetSetting[] = Array.from({ length: 504 }, (_, i) => {
  const [e, rest] = [i % 7, Math.floor(i / 7)];
  const [n, more] = [(rest + e) % 6, Math.floor(rest / 6)];
  const [s, m] = [(more + rest + e) % 6, (Math.floor(more / 6) + rest + e) % 2];
  return {
    mechanism: FLEET_MECHANISMS[m] as FleetSetting['mechanism'],
    epsilon: EPSILONS[e] as number,
    reports: REPORTS[n] as number,
    spectrum: SPECTRA[s] as FleetSetting['spectrum'],
  };
});

/** One set: true and false strings that were found and that the oracle finds, and covered truths. */
interface GridTrial {
  readonly setting: FleetSetting;
  readonly right: number;
  readonly wrong: number;
  readonly oracle: number;
  /** Intervals of found strings that hold the population's share. From one report on, an interval holds 0, too. */
  readonly covered: number;
  /** True if the interval of what is unexplained holds its truth. Absent where nothing is found. */
  readonly isRestHeld?: boolean;
  readonly seconds: number;
}

/** What the oracle finds of those that somebody has. */
function oracleOf({ counts, map, population, sampled, listed, unlisted }: FleetSet): number {
  const observed = observe(counts);
  const { width, shares } = observed;
  const { cohorts, cells, reports } = counts;
  const expected = new Float64Array(cohorts * width);
  for (let v = 0; v < listed; v++) {
    for (let c = 0; c < cohorts; c++) {
      const at = c * width + (map.places[v * cohorts + c] as number);
      expected[at] = (expected[at] as number) + (population[v] as number);
    }
  }
  const rest = unlisted.reduce((sum, share) => sum + share, 0) / cells;
  const added = (unlisted.reduce((sum, share) => sum + share ** 2, 0) / cells) * (1 - 1 / cells);
  const shareAt = (at: number): number => (expected[at] as number) + rest;
  const plus = (weight: number): number => weight / (1 + added * weight);
  const bare = weighing(counts, observed, shareAt, 1);
  const weights = bare.weights.map(plus);
  const g = weights.map((weight, at) => (weight === 0 ? 0 : weight * ((shares[at] as number) - shareAt(at))));
  const scores = new Float64Array(map.candidates);
  gather({ ...map, cohorts, width }, g, scores);
  for (let v = 0; v < listed; v++) {
    const own = population[v] as number;
    let score = 0;
    for (let c = 0; c < cohorts; c++) {
      if (reports[c] === 0) continue;
      const at = c * width + (map.places[v * cohorts + c] as number);
      const without = shareAt(at) - own;
      score += plus(bare.at(at, without)) * ((shares[at] as number) - without);
    }
    scores[v] = score;
  }
  const law = exactLaw(g, weights, width, 1);
  const pValues = scores.map((score) => Math.exp(logTailAt(law, score)));
  const nulls = sampled.reduce((sum, share) => sum + Number(share === 0), 0);
  const threshold = pValues.toSorted().reduce((most, p, i) => (nulls * p <= FDR * (i + 1) ? p : most), -1);
  return pValues.reduce((sum, p, v) => sum + Number(p <= threshold && (sampled[v] as number) > 0), 0);
}

/** Decodes a set, and compares. */
function gridTrial(setting: FleetSetting, map: ReturnType<typeof fleetMapOf>, seed: number): GridTrial {
  const set = fleetSet(setting, map, seed);
  const started = process.cpuUsage().user;
  const found = findings({ counts: set.counts, map, fdr: FDR });
  const seconds = (process.cpuUsage().user - started) / 1e6;
  let [right, wrong, covered, explained] = [0, 0, 0, 0];
  for (const [v, is] of found.isFound.entries()) {
    if (is !== 1) continue;
    const truth = set.population[v] as number;
    const low = found.low[v] as number;
    if ((set.sampled[v] as number) > 0) right++;
    else wrong++;
    covered += Number((low <= 1.001 / setting.reports ? 0 : low) <= truth && truth <= (found.high[v] as number));
    explained += truth;
  }
  const isRestHeld = Math.abs(1 - explained - found.unexplained) <= Z95 * found.unexplainedError;
  return { setting, right, wrong, oracle: oracleOf(set), covered, ...(found.found > 0 && { isRestHeld }), seconds };
}

/** A group of sets. */
interface Group {
  readonly sets: number;
  readonly fdp: number;
  readonly fdpError: number;
  readonly right: number;
  readonly wrong: number;
  readonly oracle: number;
  readonly power: number;
  readonly powerError: number;
  /** Where the oracle finds fewer than 2: by how many it finds more on average, and the standard error. */
  readonly behind: number;
  readonly behindError: number;
  readonly covered: number;
  readonly coveredError: number;
  readonly restHeld: number;
  readonly restSets: number;
  readonly seconds: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, x) => all + x, 0);

/** A ratio of sums with its standard error, of sets that are independent. */
function ratio(over: readonly number[], under: readonly number[]): readonly [value: number, error: number] {
  const value = sum(over) / sum(under);
  return [value, Math.sqrt(sum(over.map((each, i) => (each - value * (under[i] as number)) ** 2))) / sum(under)];
}

function groupOf(trials: readonly GridTrial[]): Group {
  const [fdp, fdpError] = ratio(
    trials.map(({ right, wrong }) => wrong / Math.max(1, right + wrong)),
    trials.map(() => 1),
  );
  const many = trials.filter(({ oracle }) => oracle >= 2);
  const few = trials.filter(({ oracle }) => oracle < 2);
  const [power, powerError] = ratio(
    many.map(({ right }) => right),
    many.map(({ oracle }) => oracle),
  );
  const [behind, behindError] = ratio(
    few.map(({ right, oracle }) => oracle - right),
    few.map(() => 1),
  );
  const [covered, coveredError] = ratio(
    trials.map((trial) => trial.covered),
    trials.map(({ right, wrong }) => right + wrong),
  );
  const rest = trials.filter(({ isRestHeld }) => isRestHeld !== undefined);
  return {
    sets: trials.length,
    fdp,
    fdpError,
    right: sum(trials.map(({ right }) => right)),
    wrong: sum(trials.map(({ wrong }) => wrong)),
    oracle: sum(trials.map(({ oracle }) => oracle)),
    power,
    powerError,
    behind,
    behindError,
    covered,
    coveredError,
    restHeld: rest.filter(({ isRestHeld }) => isRestHeld).length / rest.length,
    restSets: rest.length,
    seconds: sum(trials.map(({ seconds }) => seconds)),
  };
}

const isListed = ({ setting }: GridTrial): boolean => setting.spectrum !== 'half unlisted';

/** The regimes: all, and each level of each factor. */
function regimesOf(trials: readonly GridTrial[]): readonly (readonly [name: string, trials: readonly GridTrial[]])[] {
  const by = (name: (setting: FleetSetting) => string): readonly (readonly [string, readonly GridTrial[]])[] =>
    [...new Set(trials.map(({ setting }) => name(setting)))]
      .sort()
      .map((level) => [level, trials.filter(({ setting }) => name(setting) === level)]);
  return [
    ['all', trials],
    ['all is listed', trials.filter(isListed)],
    ...by(({ epsilon }) => `ε ${epsilon}`),
    ...REPORTS.map((reports) => [`${reports} reports`, trials.filter(({ setting }) => setting.reports === reports)] as const),
    ...by(({ mechanism }) => mechanism),
    ...by(({ spectrum }) => spectrum),
  ].filter(([, found]) => found.length > 0) as readonly (readonly [string, readonly GridTrial[]])[];
}

const [MOST_FDP, MOST_FDP_OF_A_REGIME, LEAST_POWER, LEAST_POWER_UNLISTED, MOST_BEHIND] = [0.055, 0.08, 0.85, 0.7, 0.5];
const [LEAST_COVERED, MOST_COVERED] = [0.93, 0.97];

/** The gates that do not hold, each tested with this probability of a failure where it just holds. */
export function gridFailures(trials: readonly GridTrial[], level: number): readonly string[] {
  const failed: string[] = [];
  const regimes = regimesOf(trials);
  const limit = (count: number): number => normalQuantile(level / count);
  for (const [name, found] of regimes) {
    const group = groupOf(found);
    const [most, far] = name === 'all' ? [MOST_FDP, limit(1)] : [MOST_FDP_OF_A_REGIME, limit(regimes.length)];
    if (group.fdp > most + far * group.fdpError) failed.push(`${name}: expected at most ${percent(most)} false, got ${percent(group.fdp)}`);
  }
  const all = groupOf(trials);
  for (const [name, found, least] of [
    ['all', trials, LEAST_POWER],
    ['all is listed', trials.filter(isListed), LEAST_POWER],
    ['half unlisted', trials.filter((trial) => !isListed(trial)), LEAST_POWER_UNLISTED],
  ] as const) {
    const { power, powerError } = groupOf(found);
    if (power < least - limit(3) * powerError) failed.push(`${name}: expected a power of at least ${least}, got ${power.toFixed(3)}`);
  }
  if (all.behind > MOST_BEHIND + limit(1) * all.behindError)
    failed.push(`few to find: expected at most ${MOST_BEHIND} fewer than the oracle, got ${all.behind.toFixed(2)}`);
  const far = limit(2) * all.coveredError;
  if (all.covered < LEAST_COVERED - far || all.covered > MOST_COVERED + far)
    failed.push(`expected ${percent(LEAST_COVERED)} to ${percent(MOST_COVERED)} of intervals to cover, got ${percent(all.covered)}`);
  return failed;
}

/** Each `stride`-th setting from `first` on, one set each. */
export function gridTrials(first: number, stride: number, seed: number, onTrial?: (trial: GridTrial) => void): readonly GridTrial[] {
  return GRID.flatMap((setting, i) => {
    if (i % stride !== first % stride) return [];
    const trial = gridTrial(setting, fleetMapOf(setting), seed + i);
    onTrial?.(trial);
    return [trial];
  });
}

const three = (x: number): string => (Number.isFinite(x) ? x.toFixed(3) : '');

/** The table. */
export function grid(stride: number, seed: number): Part {
  const trials = gridTrials(0, stride, seed, ({ setting, right, wrong, oracle, seconds }) => {
    process.stderr.write(`${Object.values(setting).join(', ')}: ${right} / ${wrong}, oracle ${oracle}, ${seconds.toFixed(1)} s\n`);
  });
  const rows = regimesOf(trials).map(([name, found]) => ({ name, ...groupOf(found) }));
  return {
    title: `Grid: ${trials.length} of ${GRID.length} settings, one set each, from seed ${seed} on, nominal 5 %`,
    failures: gridFailures(trials, 0.01),
    rows: [
      ['', 'sets', 'true', 'false', 'oracle', 'FDP', '+-', 'power', '+-', 'behind', 'covered', '+-', 'rest held', 'CPU s'],
      ...rows.map((row) => [
        row.name,
        ...[row.sets, row.right, row.wrong, row.oracle].map(String),
        ...[row.fdp, row.fdpError, row.power, row.powerError, row.behind, row.covered, row.coveredError, row.restHeld].map(three),
        row.seconds.toFixed(0),
      ]),
    ],
    result: { seed, trials, rows },
  };
}
