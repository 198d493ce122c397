/**
 * Linking: all reports of an epoch come from one stored symbol, so they resemble each other. Anyone who keeps single reports can say which ones
 * are of one device, although no report names it. Local differential privacy does not promise otherwise: it hides the answer. A new epoch
 * has a new symbol and a new cohort, and cuts the link.
 */

import { defineSchema, permanent, text } from '@murmuration/client';
import { bitSupport, type Law, MODULUS, type RapporLaw, toBase64url } from '@murmuration/shared';
import { type Picture, SEED, seededCoins, show } from './attack.ts';
import { percent } from './figure.ts';

/** Devices, and among how many of them one is looked for. */
const DEVICES = 4096;
const CROWDS = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, DEVICES];
/** Values of a segment, all equally frequent. */
const SEGMENTS = 3;

/** ε of one report, and ε∞ of an epoch. */
export const EPSILON = 1;
const KEPT = 2;

const { document, questions } = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: KEPT, per: 'month' },
  metrics: {
    home: permanent(text({ epsilon: EPSILON, every: 'day', description: 'Which home page?' }), { epsilon: KEPT, renew: 'month' }),
  },
});

/** Searches for devices, so many of which were found. */
export interface Linked {
  readonly crowd: number;
  readonly searches: number;
  readonly right: number;
}

/** What came out. */
export interface Linking {
  readonly cohorts: number;
  /** How much two reports of one epoch speak for one device, on average and in bits: by their cohort, and by what else is in them. */
  readonly information: { readonly cohort: number; readonly rest: number };
  /** Two reports of one epoch, without and with the device's segment, and of two epochs. */
  readonly epoch: readonly Linked[];
  readonly segment: readonly Linked[];
  readonly renewed: readonly Linked[];
}

/** ln of how much likelier each pair of bits is in two reports of one symbol than in reports of two, for a bit that is not the answer's. */
function weights({ zero, irr }: RapporLaw): { readonly logs: readonly number[]; readonly information: number } {
  const stored = zero / MODULUS;
  const [one, none] = [(irr?.one ?? MODULUS) / MODULUS, (irr?.zero ?? 0) / MODULUS];
  const { q } = bitSupport({ one: zero, zero, ...(irr && { irr }) });
  const pairs = [0, 1, 2].map((ones) => {
    const given = (chance: number): number => chance ** ones * (1 - chance) ** (2 - ones);
    return { together: stored * given(one) + (1 - stored) * given(none), apart: q ** ones * (1 - q) ** (2 - ones) };
  });
  const logs = pairs.map(({ together, apart }) => Math.log(together / apart));
  const information = pairs.reduce(
    (sum, { together }, ones) => sum + (ones === 1 ? 2 : 1) * together * ((logs[ones] as number) / Math.LN2),
    0,
  );
  return { logs, information };
}

/** A report taken apart. */
interface Seen {
  readonly cohort: string;
  readonly bits: Uint8Array;
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** The device of those that are left whose report resembles a report most. Reports of other cohorts come last. */
function resembling(one: Seen, crowd: readonly Seen[], isLeft: (device: number) => boolean, logs: readonly number[]): number {
  let [best, most] = [crowd.findIndex((_, device) => isLeft(device)), Number.NEGATIVE_INFINITY];
  crowd.forEach((other, device) => {
    if (other.cohort !== one.cohort || !isLeft(device)) return;
    let [both, either] = [0, 0];
    for (let i = 0; i < one.bits.length; i++) {
      const [a, b] = [one.bits[i] as number, other.bits[i] as number];
      both += ONES[a & b] as number;
      either += ONES[a ^ b] as number;
    }
    const none = 8 * one.bits.length - both - either;
    const score = none * (logs[0] as number) + either * (logs[1] as number) + both * (logs[2] as number);
    if (score > most) [best, most] = [device, score];
  });
  return best;
}

/** Looks for the device of each report of one day among those of another day, in crowds of each size. */
function link(first: readonly Seen[], second: readonly Seen[], logs: readonly number[], segments: number): readonly Linked[] {
  return CROWDS.map((crowd) => {
    // In small crowds all devices are looked for, in large ones some.
    const step = Math.max(1, Math.floor(crowd / 256));
    let [searches, right] = [0, 0];
    for (let start = 0; start < DEVICES; start += crowd) {
      const members = second.slice(start, start + crowd);
      for (let device = 0; device < crowd; device += step) {
        searches++;
        const found = resembling(first[start + device] as Seen, members, (other) => other % segments === device % segments, logs);
        if (found === device) right++;
      }
    }
    return { crowd, searches, right };
  });
}

/**
 * Carries the attack out.
 *
 * @param homes how many home pages devices have. With one, nothing but the symbol tells them apart
 */
export function attack(seed: number, homes = 1): Linking {
  const law = document.metrics['home']?.law as RapporLaw;
  const { randomizers, respondStored } = questions.home;
  const coins = seededCoins(seed);
  const draw = randomizers.rappor as (law: Law, input: string, coins: unknown) => Uint8Array;
  const epoch = (): readonly Uint8Array[] => Array.from({ length: DEVICES }, (_, device) => draw(law, `page ${device % homes}`, coins));
  const bytes = law.cohorts > 1 ? Math.ceil(Math.log2(law.cohorts) / 8) : 0;
  const report = (symbols: readonly Uint8Array[]): readonly Seen[] =>
    symbols.map((symbol) => {
      const sent = respondStored?.(law, toBase64url(symbol), coins) as Uint8Array;
      return { cohort: sent.subarray(0, bytes).join(), bits: sent.subarray(bytes) };
    });
  const symbols = epoch();
  const [today, tomorrow, renewed] = [report(symbols), report(symbols), report(epoch())];
  const { logs, information } = weights(law);
  return {
    cohorts: law.cohorts,
    information: { cohort: Math.log2(law.cohorts), rest: law.bits * information },
    epoch: link(today, tomorrow, logs, 1),
    segment: link(today, tomorrow, logs, SEGMENTS),
    renewed: link(today, renewed, logs, 1),
  };
}
/** Draws it. */
export function picture({ cohorts, information, epoch, segment, renewed }: Linking): Picture {
  const SHOWN = 1024;
  const at = (found: readonly Linked[]): string => {
    const { right, searches } = found.find(({ crowd }) => crowd === SHOWN) as Linked;
    return percent(right / searches);
  };
  const points = (found: readonly Linked[]) => found.map(({ crowd, right, searches }) => [crowd, right / searches] as const);
  const all = Math.round(10 * (information.cohort + information.rest)) / 10;
  return {
    sentence:
      `Among ${SHOWN.toLocaleString('en')} devices, a report is linked to the next one of its device in ${at(epoch)} of cases while the symbol ` +
      `is kept, because cohort and bits are worth ${all} bits on average, and in ${at(renewed)} once it is renewed, which is chance.`,
    charts: [
      {
        x: { title: 'devices among which one is looked for', low: 2, high: DEVICES, logarithmic: true, ticks: [2, 8, 32, 128, 512, 2048] },
        y: { title: 'reports that are linked', low: 0, high: 1, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1], label: percent },
        series: [
          { name: `same epoch, and a segment of ${SEGMENTS} values known`, role: 'other', points: points(segment) },
          {
            name: `same epoch: ${cohorts} cohorts and 128 bits, ε ${EPSILON} a report, ε∞ ${KEPT}`,
            role: 'attacked',
            points: points(epoch),
          },
          { name: 'after the symbol was renewed', role: 'ours', points: points(renewed) },
          { name: 'chance', role: 'bound', points: CROWDS.map((crowd) => [crowd, 1 / crowd] as const) },
        ],
      },
    ],
  };
}

if (import.meta.main) show('linking', picture(attack(SEED)));
