/**
 * Poisoning: liars send reports that nobody's answer led to, to make a string look frequent. Each moves the estimate by at most the law's
 * largest score. The watch sees reports that the law can't give, and says how far an estimate could have been moved. Liars who keep to the
 * law, or imitate it, are not seen.
 */

import { defineSchema, text } from '@murmuration/client';
import { estimatesOf, type Watch, watchOf } from '@murmuration/collector';
import { bigEndian, bitSupport, bloomBits, hashString, mechanismOf, type RapporLaw, toBase64url } from '@murmuration/shared';
import { randomizeRappor } from '../../client/src/randomizers/rappor.ts';
import { Accumulator } from '../../collector/src/storage/tallying/accumulator.ts';
import { type Picture, SEED, seededCoins, show } from './attack.ts';
import { percent } from './figure.ts';

const REPORTS = 50_000;
const SHARES = [0, 0.0002, 0.0004, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05];
/** The string to be promoted: every 20th honest device has it, the others share these evenly. */
const TARGET = 'example.org';
const OTHERS = Array.from({ length: 19 }, (_, i) => `page ${i + 1}`);

const { document } = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 1, per: 'month' },
  metrics: { home: text({ epsilon: 1, description: 'Which home page?' }) },
});
const law = document.metrics['home']?.law as RapporLaw;

/** How liars lie. */
export const LIES = ['answer', 'one bit', 'imitation'] as const;
type Lie = (typeof LIES)[number];

/** What the collector finds with a share of crafted reports. */
interface Poisoned {
  readonly share: number;
  readonly estimate: number;
  readonly standardError: number;
  readonly watch: Watch;
}

/** What came out. */
export interface Poisoning {
  readonly found: { readonly [lie in Lie]: readonly Poisoned[] };
}

/** A crafted report: its cohort, drawn as devices draw it, then bits. */
function crafted(lie: Lie, coins: ReturnType<typeof seededCoins>): Uint8Array {
  if (lie === 'answer') return randomizeRappor(law, TARGET, coins);
  const { bits, hashes, cohorts } = law;
  const cohort = coins.uniform(cohorts);
  const own = bloomBits(hashString(TARGET), cohort, hashes, bits);
  const { p, q } = bitSupport(law);
  // An imitation has as many ones as an honest report, of which the target's bit is always one.
  const draws = Array.from({ length: bits }, (_, bit) => coins.flip(Math.floor((bit === 0 ? p : q) * 2 ** 32)));
  const others = lie === 'one bit' ? 0 : Math.max(0, draws.filter(Boolean).length - 1);
  const set = new Set(own);
  while (set.size < 1 + others) set.add(coins.uniform(bits));
  const body = new Uint8Array(bits / 8);
  for (const bit of set) body[bit >> 3] = (body[bit >> 3] as number) | (1 << (bit & 7));
  return Uint8Array.of(...bigEndian(cohort, cohorts - 1), ...body);
}

/** What the collector makes of reports. */
function collect(reports: readonly string[]): Omit<Poisoned, 'share'> {
  const sums = new Accumulator(mechanismOf(law).shape(law));
  sums.addPayloads(reports);
  const [target] = estimatesOf(law, { tallies: sums.tallies(), perDevice: 1, candidates: [TARGET, ...OTHERS] });
  if (target === undefined) throw new RangeError('expected an estimate, got none');
  return {
    estimate: target.estimate,
    standardError: target.standardError,
    watch: watchOf(law, sums.tallies(), [{ day: 0, reports: sums.ones() }], 1),
  };
}

/** Carries the attack out. */
export function attack(seed: number): Poisoning {
  const coins = seededCoins(seed);
  const honest = Array.from({ length: REPORTS }, (_, i) =>
    toBase64url(randomizeRappor(law, i % 20 === 0 ? TARGET : (OTHERS[(i % 20) - 1] as string), coins)),
  );
  const poison = (lie: Lie): readonly Poisoned[] => {
    const lies = Array.from({ length: Math.max(...SHARES) * REPORTS }, () => toBase64url(crafted(lie, coins)));
    // Liars take the places of honest devices from the end, where the answers are as everywhere.
    return SHARES.map((share) => {
      const many = share * REPORTS;
      return { share, ...collect([...honest.slice(0, REPORTS - many), ...lies.slice(0, many)]) };
    });
  };
  return { found: { answer: poison('answer'), 'one bit': poison('one bit'), imitation: poison('imitation') } };
}

/** The honest share of the target. */
export const TRUTH = 1 / 20;

const NAMES = {
  answer: ['ours', 'liars answer it, and randomize'],
  'one bit': ['attacked', 'liars send only its bit'],
  imitation: ['other', 'liars imitate the law’s noise'],
} as const;

/** A p-value as an axis shows it. */
const LEAST = 1e-30;
const power = (tick: number): string =>
  tick === 1 ? '1' : `10${[...`${Math.round(Math.log10(tick))}`].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? '⁻').join('')}`;

/** Draws it. */
export function picture({ found }: Poisoning): Picture {
  const x = { title: 'crafted reports', low: 0, high: 0.05, ticks: [0, 0.01, 0.02, 0.03, 0.04, 0.05], label: percent };
  const lines = (value: (poisoned: Poisoned) => number) =>
    LIES.map((lie) => ({ name: NAMES[lie][1], role: NAMES[lie][0], points: found[lie].map((each) => [each.share, value(each)] as const) }));
  const perPercent = found.answer[0]?.watch.perPercent ?? 0;
  const honest = found.answer[0]?.estimate ?? 0;
  const crude = found['one bit'];
  const seen = crude.find(({ watch }) => watch.pValue < 1e-6);
  return {
    sentence:
      `One percent of crafted reports moves a share by at most ${Math.round(1000 * perPercent) / 10} points; the watch sees ` +
      `${Math.round((seen?.share ?? 1) * REPORTS)} crude ones in ${REPORTS.toLocaleString('en')}, and never liars who randomize, or who imitate the noise.`,
    charts: [
      {
        x,
        y: { title: 'estimated share of the string', low: 0, high: 0.25, ticks: [0, 0.05, 0.1, 0.15, 0.2, 0.25], label: percent },
        series: [
          ...lines(({ estimate }) => estimate),
          {
            name: 'the farthest that the watch states',
            role: 'bound',
            points: SHARES.map((share) => [share, honest + 100 * share * perPercent] as const),
          },
        ],
      },
      {
        x,
        y: {
          title: 'p-value of the watch',
          low: LEAST,
          high: 1,
          logarithmic: true,
          ticks: [1, 1e-6, 1e-12, 1e-18, 1e-24, LEAST],
          label: power,
        },
        series: [
          ...lines(({ watch }) => Math.max(LEAST, watch.pValue)),
          { name: 'alarm below this: 10⁻⁶', role: 'bound', points: [0, 0.05].map((share) => [share, 1e-6] as const) },
        ],
      },
    ],
  };
}

if (import.meta.main) show('poisoning', picture(attack(SEED)));
