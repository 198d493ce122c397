/**
 * `npm run bench -- looks`: how often verdicts are wrong at some look of 60 or 365 days, and of looks at 20 a doubling from 100 to 10^7
 * reports; how wide their intervals are; and how soon a real difference has its verdict. Tallies are drawn from their exact laws. A gate
 * fails where a rate that is as it should be would look so bad with a probability below `SIZE`. `--only` takes some of the parts, and
 * `--rounds` says how many metrics are simulated for each rate.
 */

import { parseArgs } from 'node:util';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { fromBigEndian, kAryLaw, type MetricDocument, mechanismOf, permanentKAryLaw } from '@murmuration/shared';
import { randomizeKAry } from '#client/randomizers/k-ary.ts';
import { basisOf } from '#collector/answers/estimates.ts';
import { difference } from '#collector/answers/rows.ts';
import { verdictOn } from '#collector/answers/verdict.ts';
import { interval, quantileInterval, sharesBelow } from '#collector/estimation/distribution.ts';
import type { Interval } from '#collector/estimation/estimate.ts';
import { distributionOf, estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { differenceInterval, intervalOf, intervalsOf, type Judged, type Judging, judgedOf } from '#collector/estimation/sequences.ts';
import { criticalValue } from '#collector/estimation/statistics/looks.ts';
import { Z95 } from '#collector/estimation/statistics/tails.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { type Drawn, drawnCases } from '../../kit/coverage/drawn.ts';
import { binomialAt, multinomialOf } from '../../kit/coverage/multinomial.ts';
import { type ArrivingList, arriving, arrivingList, daily, geometric } from '../../kit/looks.ts';
import { type Part, type Ran, runParts } from '../../kit/part.ts';
import { type Uniform, uniforms } from '../../kit/random.ts';
import { atMost } from '../../proofs/statistics.ts';

/** Metrics that are simulated for each rate; a fourth of them where an estimate takes long. */
const ROUNDS = '400';
const SLOW = 1 / 4;
/** The chance of a gate's failure where a rate is just as it may be. */
const SIZE = 1e-4;
/** What a fixed factor on the interval would be: that of the sequence at the planned size. */
const FACTOR = 1.6;
const PLANNED = 100_000;

const SCHEDULES = {
  '60 days': daily(60, 2_000),
  '365 days': daily(365, 2_000),
  '20 a doubling, 100 to 10⁷': geometric(100, 1e7),
} as const;

const always: Judging = { looks: 'always', planned: PLANNED };
const once: Judging = { looks: 'once', planned: PLANNED };

const misses = ({ low, high }: Interval, truth: number): boolean => truth < low || high < truth;

/** Whether a metric was ever wrong: by fixed intervals, by these times a factor, by sequences. */
interface Ever {
  readonly fixed: boolean;
  readonly factor: boolean;
  readonly always: boolean;
}

/** What is looked at, once for each metric. */
type Look = (sizes: readonly number[], uniform: Uniform) => Ever;

/** The misses of one estimate at any of the looks. */
function everOf(judged: Iterable<Judged>, truth: number): Ever {
  const ever = { fixed: false, factor: false, always: false };
  for (const each of judged) {
    const { estimate, low, high } = each.estimate;
    ever.fixed ||= misses({ low, high }, truth);
    ever.factor ||= misses({ low: estimate - FACTOR * (estimate - low), high: estimate + FACTOR * (high - estimate) }, truth);
    ever.always ||= misses(intervalOf(each, always), truth);
  }
  return ever;
}

const reportsOf = (tallies: Tallies): number => (tallies.get(0) as { readonly reports: number }).reports;

function judgedList({ document }: ArrivingList, tallies: Tallies): readonly Judged[] {
  const reports = reportsOf(tallies);
  return judgedOf(document.law, estimatesOf(document.law, { tallies, perDevice: 1, people: reports, candidates: [] }), reports, {
    perDevice: 1,
    people: reports,
  });
}

/** The share of one answer of a list. */
const shareOf =
  (shares: readonly number[], epsilon: number, answer: number): Look =>
  (sizes, uniform) => {
    const list = arrivingList(shares, epsilon);
    const judged = Array.from(arriving(list, sizes, uniform), (tallies) => judgedList(list, tallies)[answer] as Judged);
    return everOf(judged, shares[answer] as number);
  };

/** The tallies of a law with a matrix at each of these sizes. */
function* arrivingCells({ shares, rows }: Drawn, sizes: readonly number[], uniform: Uniform): Generator<Tallies> {
  const cells = new Float64Array((rows[0] as readonly number[]).length);
  const chances = Array.from(cells, (_, cell) =>
    shares.reduce((sum, share, i) => sum + share * ((rows[i] as readonly number[])[cell] as number), 0),
  );
  let reports = 0;
  for (const size of sizes) {
    multinomialOf(size - reports, chances, uniform).forEach((count, cell) => {
      cells[cell] = (cells[cell] as number) + count;
    });
    reports = size;
    yield new Map([[0, { reports, cells: cells.slice() }]]);
  }
}

const drawnCase = (name: string): Drawn => drawnCases.find((each) => each.name === name) as Drawn;

/** The mean of numbers. */
const meanOf =
  (drawn: Drawn): Look =>
  (sizes, uniform) => {
    const judged = Array.from(arrivingCells(drawn, sizes, uniform), (tallies): Judged => {
      const reports = reportsOf(tallies);
      const [estimate] = estimatesOf(drawn.law, { tallies, perDevice: 1, people: reports, candidates: [] });
      return { estimate: estimate as Judged['estimate'], reports };
    });
    return everOf(judged, drawn.truths(drawn.shares)[0] as number);
  };

/** The median of a distribution, which lies in the cell where the shares reach one half. */
const medianOf =
  (drawn: Drawn): Look =>
  (sizes, uniform) => {
    const ever = { fixed: false, factor: false, always: false };
    let [sum, cell] = [0, 0];
    while (sum + (drawn.shares[cell] as number) < 0.5) sum += drawn.shares[cell++] as number;
    const truth = (cell + 0.5) / drawn.shares.length;
    for (const tallies of arrivingCells(drawn, sizes, uniform)) {
      const reports = reportsOf(tallies);
      const found = distributionOf(drawn.law as never, tallies, reports);
      if (found === undefined) continue;
      const below = sharesBelow(found).map((each): Judged => ({ estimate: interval(each), reports }));
      ever.fixed ||= misses(quantileInterval(intervalsOf(below, once), 0.5), truth);
      ever.always ||= misses(quantileInterval(intervalsOf(below, always), 0.5), truth);
    }
    return { ...ever, factor: ever.fixed };
  };

/** The difference between two groups with the same shares. */
const equalGroups =
  (shares: readonly number[], epsilon: number, answer: number): Look =>
  (sizes, uniform) => {
    const list = arrivingList(shares, epsilon);
    const ever = { fixed: false, factor: false, always: false };
    const other = arriving(list, sizes, uniform);
    for (const tallies of arriving(list, sizes, uniform)) {
      const [a, b] = [tallies, other.next().value as Tallies].map((each) => judgedList(list, each)[answer] as Judged) as [Judged, Judged];
      const apart = difference(a.estimate, b.estimate);
      ever.fixed ||= misses(apart, 0);
      ever.factor ||= misses(
        { low: apart.estimate - FACTOR * (apart.estimate - apart.low), high: apart.estimate + FACTOR * (apart.high - apart.estimate) },
        0,
      );
      ever.always ||= misses(differenceInterval({ a, b, difference: apart }, always), 0);
    }
    return ever;
  };

/** Whether an answer is announced as the leader that is not the only most frequent one. */
const tiedLead =
  (shares: readonly number[], epsilon: number): Look =>
  (sizes, uniform) => {
    const list = arrivingList(shares, epsilon);
    const labels = shares.map(String);
    const ever = { fixed: false, factor: false, always: false };
    for (const tallies of arriving(list, sizes, uniform)) {
      const judged = judgedList(list, tallies);
      const answers = { document: list.document, judged, labels, basis: { perDevice: 1, people: reportsOf(tallies) } };
      const [first, second] = judged.map(({ estimate }) => estimate).sort((a, b) => b.estimate - a.estimate);
      ever.fixed ||= (first?.low ?? 0) > Math.max(0, second?.high ?? 0); // intervals that do not overlap, as the page once judged
      ever.factor ||= verdictOn(answers, once).kind === 'lead';
      ever.always ||= verdictOn(answers, always).kind === 'lead';
    }
    return ever;
  };

/** Devices that report each day, with coins of their own or by a stored symbol; the estimate is about all users. */
const repeated =
  (document: Pick<MetricDocument, 'law' | 'every' | 'permanent'>, devices: number, share: number): Look =>
  (sizes, uniform) => {
    const { law } = document;
    if (law.mechanism !== 'k-ary') throw new RangeError(`expected k-ary response, got ${law.mechanism}`);
    const binomial = (trials: number, chance: number): number => binomialAt(trials, chance, uniform());
    const { p, q } = mechanismOf(law).support(law);
    const symbol = mechanismOf(law).support(law, 'permanent');
    const having = binomial(devices, share);
    const slope = (p - q) / (symbol.p - symbol.q);
    const isKept = document.permanent !== undefined;
    // The devices that say yes with one chance each day, and the others.
    const yes = isKept ? binomial(having, symbol.p) + binomial(devices - having, symbol.q) : having;
    const [ofYes, ofNo] = isKept ? [p + slope * (1 - symbol.p), q - slope * symbol.q] : [p, q];
    let count = 0;
    const judged = sizes.map((_, day): Judged => {
      count += binomial(yes, ofYes) + binomial(devices - yes, ofNo);
      const reports = devices * (day + 1);
      const { perDevice, people } = basisOf(document, { reports, from: 1, to: day + 1 }, 'population');
      const tallies = new Map([[0, { reports, cells: Float64Array.of(count, reports - count) }]]);
      const estimates = estimatesOf(law, { tallies, perDevice, people, candidates: [] });
      return judgedOf(law, estimates, reports, { perDevice, people })[0] as Judged;
    });
    return everOf(judged, share);
  };

/** A flag by the shipped randomizer, device by device. */
const shipped =
  (epsilon: number, share: number): Look =>
  (sizes, uniform) => {
    const law = kAryLaw(2, epsilon);
    const coins = createCoins(words(seededRng(Math.floor(uniform() * 2 ** 31))));
    const cells = Float64Array.of(0, 0);
    let reports = 0;
    const judged = sizes.map((size) => {
      for (; reports < size; reports++) {
        const cell = fromBigEndian(randomizeKAry(law, uniform() < share ? 0 : 1, coins));
        cells[cell] = (cells[cell] as number) + 1;
      }
      const tallies = new Map([[0, { reports, cells: cells.slice() }]]);
      return judgedOf(law, estimatesOf(law, { tallies, perDevice: 1, people: reports, candidates: [] }), reports, {
        perDevice: 1,
        people: reports,
      })[0] as Judged;
    });
    return everOf(judged, share);
  };

const CASES: readonly (readonly [name: string, look: Look, isSlow?: true])[] = [
  ['share of 50 %, ε 1', shareOf([0.5, 0.5], 1, 0)],
  ['share of 1 %, five answers, ε 1', shareOf([0.01, 0.5, 0.2, 0.19, 0.1], 1, 0)],
  ['share of 0.1 %, five answers, ε 6', shareOf([0.001, 0.5, 0.2, 0.199, 0.1], 6, 0)],
  ['mean of even numbers, ε 1', meanOf(drawnCase('mean, even, ε 1'))],
  ['mean of counts to 20, ε 4', meanOf(drawnCase('count to 20, ε 4'))],
  ['median, square wave, ε 1', medianOf(drawnCase('distribution, square-wave, ε 1')), true],
  ['difference of equal groups, ε 1', equalGroups([0.3, 0.7], 1, 0)],
];

const LEADS: readonly (readonly [name: string, look: Look])[] = [
  ['two answers, tied', tiedLead([0.5, 0.5], 1)],
  ['three answers, two tied at 48 %', tiedLead([0.48, 0.48, 0.04], 1)],
  ['three answers, all tied', tiedLead([1 / 3, 1 / 3, 1 / 3], 1)],
  ['five answers, two tied at 30 %', tiedLead([0.3, 0.3, 0.2, 0.1, 0.1], 1)],
  ['five answers, all tied', tiedLead([0.2, 0.2, 0.2, 0.2, 0.2], 1)],
];

const dailyFlag = { law: kAryLaw(2, 1), every: 'day' } as const;
const keptFlag = { law: permanentKAryLaw(2, 1, 2), every: 'day', permanent: { epsilon: 2, renew: 'year' } } as const;

const REPEATED: readonly (readonly [name: string, look: Look])[] = [
  ['2,000 devices each day, own coins', repeated(dailyFlag, 2_000, 0.3)],
  ['2,000 devices each day, stored symbol', repeated(keptFlag, 2_000, 0.3)],
];

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const part = (title: string, rows: readonly (readonly string[])[], failures: readonly string[]): Part => ({
  title,
  rows,
  failures,
  result: rows,
});

/** True if a count of events that may happen at most this often is not by chance. */
const isTooMany = (count: number, rounds: number, rate: number): boolean =>
  count > rate * rounds && 1 - atMost(count - 1, rounds, rate) < SIZE;

function rates(
  title: string,
  columns: readonly [fixed: string, factor: string, always: string],
  cases: readonly (readonly [name: string, look: Look, isSlow?: true])[],
  schedules: Readonly<Record<string, readonly number[]>>,
  most: number,
): Part {
  const [rows, failures]: [string[][], string[]] = [[['', 'looks', ...columns, 'metrics']], []];
  let seed = 1;
  for (const [name, look, isSlow] of cases)
    for (const [schedule, sizes] of Object.entries(schedules)) {
      const rounds = isSlow ? Math.ceil(SLOW * most) : most;
      const uniform = uniforms(seed++);
      const counts = { fixed: 0, factor: 0, always: 0 };
      for (let round = 0; round < rounds; round++) {
        const ever = look(sizes, uniform);
        for (const kind of ['fixed', 'factor', 'always'] as const) counts[kind] += Number(ever[kind]);
      }
      rows.push([name, schedule, ...[counts.fixed, counts.factor, counts.always].map((count) => percent(count / rounds)), String(rounds)]);
      if (isTooMany(counts.always, rounds, 0.05))
        failures.push(`${name}, ${schedule}: expected at most 5 %, got ${counts.always} of ${rounds}`);
    }
  return part(title, rows, failures);
}

/** The widths of the interval that holds at every look, over those of the fixed one. */
function widths(): Part {
  const sizes = [1 / 1000, 1 / 100, 1 / 10, 0.4, 1, 4, 10, 100, 1000];
  const ratios = sizes.map((size) => criticalValue(size) / Z95);
  const failures = sizes.flatMap((size, i) =>
    size >= 0.4 && size <= 4 && (ratios[i] as number) > 1.6
      ? [`width at ${size} of the planned size: expected at most 1.6, got ${ratios[i]}`]
      : [],
  );
  const rows = [
    ['reports over planned', ...sizes.map(String)],
    ['width', ...ratios.map((ratio) => ratio.toFixed(2))],
  ];
  return part('width of the interval of all looks over that of one', rows, failures);
}

/** How often two groups that differ have their verdict by the planned size, at 20 looks. A planned difference is found by 80 % of single looks. */
function power(rounds: number): Part {
  const planned = 20_000;
  const Z80 = 0.8416212335729143;
  const base = 0.3;
  const law = arrivingList([base, 1 - base], 1).document.law as ReturnType<typeof kAryLaw>;
  const { p, q } = mechanismOf(law).support(law);
  const chance = q + (p - q) * base;
  const error = Math.sqrt((2 * chance * (1 - chance)) / planned) / (p - q);
  const rows: string[][] = [['difference, in standard errors at the planned size', 'one look', 'all looks', 'metrics']];
  const failures: string[] = [];
  for (const [name, size] of [
    ['planned (2.80)', Z95 + Z80],
    ['twice the margin (3.92)', 2 * Z95],
    ['twice the planned (5.60)', 2 * (Z95 + Z80)],
  ] as const) {
    const uniform = uniforms(77);
    const lists = [base, base + size * error].map((share) => arrivingList([share, 1 - share], 1)) as [ArrivingList, ArrivingList];
    let [single, any] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const [one, other] = lists.map((list) =>
        [...arriving(list, daily(20, planned / 20), uniform)].map((tallies) => judgedList(list, tallies)[0] as Judged),
      ) as [Judged[], Judged[]];
      const clear = one.map((a, look) => {
        const b = other[look] as Judged;
        const apart = difference(a.estimate, b.estimate);
        return [misses(apart, 0), misses(differenceInterval({ a, b, difference: apart }, { looks: 'always', planned }), 0)] as const;
      });
      single += Number(clear.at(-1)?.[0]);
      any += Number(clear.some(([, isClear]) => isClear));
    }
    rows.push([name, percent(single / rounds), percent(any / rounds), String(rounds)]);
    if (size > 5 && isTooMany(rounds - any, rounds, 0.1)) failures.push(`${name}: expected at least 90 %, got ${any} of ${rounds}`);
  }
  return part('verdicts on a difference of two groups by the planned size', rows, failures);
}

/** The coverage of both intervals at one look. */
function coverage(most: number): Part {
  const rows: string[][] = [['', 'interval of one look', 'of all looks', 'metrics']];
  const failures: string[] = [];
  const rounds = 10 * most;
  for (const [name, look] of CASES.filter(([, , isSlow]) => !isSlow))
    for (const reports of [1_000, PLANNED]) {
      const uniform = uniforms(reports);
      let [fixed, all] = [0, 0];
      for (let round = 0; round < rounds; round++) {
        const ever = look([reports], uniform);
        fixed += Number(!ever.fixed);
        all += Number(!ever.always);
      }
      rows.push([`${name}, ${reports.toLocaleString('en')} reports`, percent(fixed / rounds), percent(all / rounds), String(rounds)]);
      if (isTooMany(rounds - fixed, rounds, 0.07))
        failures.push(`${name}: expected the fixed interval to cover at least 93 %, got ${fixed} of ${rounds}`);
      if (isTooMany(rounds - all, rounds, 0.05))
        failures.push(`${name}: expected the interval of all looks to cover at least 95 %, got ${all} of ${rounds}`);
    }
  return part('coverage at one look', rows, failures);
}

export async function looks(args: readonly string[]): Promise<Ran> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: 'widths,ever,repeated,shipped,leads,power,coverage' },
      rounds: { type: 'string', default: ROUNDS },
    },
  });
  const rounds = Number(values.rounds);
  if (!(Number.isSafeInteger(rounds) && rounds > 0)) throw new TypeError(`--rounds: expected a whole number above 0, got ${values.rounds}`);
  const intervals = ['fixed', 'fixed, 1.6 times as wide', 'all looks'] as const;
  const { '60 days': days, '365 days': year } = SCHEDULES;
  const parts: { readonly [name: string]: () => Part } = {
    widths,
    ever: () => rates('the interval misses the truth at some look', intervals, CASES, SCHEDULES, rounds),
    repeated: () => rates('the same devices every day', intervals, REPEATED, { '60 days': days, '365 days': year }, rounds),
    shipped: () =>
      rates('the shipped randomizer', intervals, [['flag of 30 %, ε 1', shipped(1, 0.3), true]], { '20 looks': daily(20, 200) }, rounds),
    leads: () =>
      rates(
        'an answer that is tied is announced as the leader',
        ['no overlap of fixed intervals', 'test of one look', 'all looks'],
        LEADS,
        { 'first day': days.slice(0, 1), ...SCHEDULES },
        rounds,
      ),
    power: () => power(rounds),
    coverage: () => coverage(rounds),
  };
  return runParts(parts, values.only, Object.keys(parts).join(','));
}
