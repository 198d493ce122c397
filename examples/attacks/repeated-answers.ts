/**
 * Repeated answers: a device that randomizes the same answer again every day gives it away. A permanent metric randomizes it once, stores what
 * came out, and makes every report of an epoch from that. A new epoch is a new answer, and is charged as one.
 */

import { defineSchema, flag, permanent } from '@murmuration/client';
import { fromBase64url, type KAryLaw, kAryLaw, MODULUS, wireName } from '@murmuration/shared';
import { emptyState } from '../../client/src/ledger/state.ts';
import { randomizeKAry } from '../../client/src/randomizers/k-ary.ts';
import { type Path, randomize, take } from '../../client/src/record.ts';
import { mostRight, type Picture, SEED, seededCoins, show } from './attack.ts';
import { percent, percentAtMost } from './figure.ts';

const FRESH_DEVICES = 2000;
const DEVICES = 800;
const DAYS = 365;
const EPSILON = 0.5;
const LOOKS = [1, 2, 3, 5, 7, 10, 14, 20, 30, 60, 70, 89, 119, 129, 148, 178, 188, 207, 237, 266, 296, 325, DAYS];

const ask = { epsilon: EPSILON, every: 'day', description: 'Is dark mode on?' } as const;
const budget = { epsilon: 2, per: 'month' } as const;
const { document, questions } = defineSchema({
  app: 'notes',
  version: 1,
  budget,
  metrics: { year: permanent(flag(ask), { epsilon: 1, renew: 'year' }), month: permanent(flag(ask), { epsilon: 1, renew: 'month' }) },
});
type Metric = keyof typeof questions;

/** ε∞ of an epoch. */
const KEPT = 1;

/** Devices whose answer is found from their reports up to a day, and the epochs that began until then. */
interface Found {
  readonly day: number;
  readonly right: number;
  readonly epochs: number;
}

/** Reports of one device, so many of which have said yes and no, in each epoch so far. */
type Epochs = { yes: number; no: number }[];

/** What came out. */
export interface RepeatedAnswers {
  readonly devices: { readonly fresh: number; readonly kept: number };
  /** Randomized again each day, with no ledger that would refuse it. */
  readonly fresh: readonly Found[];
  readonly year: readonly Found[];
  readonly month: readonly Found[];
}

/** Finds each device's answer from what came so far, at some days. `report` says what a device sends on a day, and whether an epoch begins. */
function find(
  devices: number,
  tells: (epochs: Epochs) => number,
  device: (answer: boolean) => (day: number) => { readonly yes: boolean; readonly begins: boolean } | undefined,
): readonly Found[] {
  const found = LOOKS.map((day) => ({ day, right: 0, epochs: 0 }));
  for (let i = 0; i < devices; i++) {
    const answer = i % 2 === 1;
    const report = device(answer);
    const epochs: Epochs = [];
    for (let day = 0, look = 0; day < DAYS; day++) {
      const sent = report(day);
      if (sent?.begins) epochs.push({ yes: 0, no: 0 });
      const epoch = epochs.at(-1);
      if (sent && epoch) epoch[sent.yes ? 'yes' : 'no']++;
      const at = found[look];
      if (at?.day !== day + 1) continue;
      look++;
      at.epochs = Math.max(at.epochs, epochs.length);
      if (tells(epochs) > 0 === answer) at.right++;
    }
  }
  return found;
}

/** ln of how much likelier yes is than no. In one epoch, reports follow from one symbol, which is the answer with probability truth/T. */
function likelihood({ truth, irr }: KAryLaw, epochs: Epochs): number {
  const [p, r] = [truth / MODULUS, (irr?.truth ?? MODULUS) / MODULUS];
  return epochs.reduce((sum, { yes, no }) => {
    const odds = Math.exp((yes - no) * Math.log(r / (1 - r)));
    return sum + Math.log((p * odds + (1 - p)) / ((1 - p) * odds + p));
  }, 0);
}

/** Randomizes again each day. */
function freshly(seed: number): readonly Found[] {
  const [coins, law] = [seededCoins(seed), kAryLaw(2, EPSILON)];
  const tells = ([all]: Epochs): number => (all?.yes ?? 0) - (all?.no ?? 0);
  return find(FRESH_DEVICES, tells, (answer) => (day) => ({ yes: randomizeKAry(law, Number(answer), coins)[0] === 1, begins: day === 0 }));
}

/** Answers a permanent metric each day, on the client's own path with its ledger. */
function kept(metric: Metric, seed: number): readonly Found[] {
  const coins = seededCoins(seed);
  let ids = 0;
  const path: Path = { questions, metrics: document.metrics, budget, ...coins, wire: wireName(document), newId: () => `${ids++}` };
  return find(
    DEVICES,
    (epochs) => likelihood(document.metrics[metric]?.law as KAryLaw, epochs),
    (answer) => {
      const state = emptyState();
      return (day) => {
        state.day = day;
        const claim = randomize(path, metric, answer);
        const report = typeof claim === 'string' ? claim : take(path, state, claim);
        if (typeof report === 'string') return undefined;
        return { yes: fromBase64url(report[1])[0] === 1, begins: state.accounts[metric]?.epoch?.day === day };
      };
    },
  );
}

/** Carries the attack out. */
export const attack = (seed: number): RepeatedAnswers => ({
  devices: { fresh: FRESH_DEVICES, kept: DEVICES },
  fresh: freshly(seed),
  year: kept('year', seed + 1),
  month: kept('month', seed + 2),
});

/** Draws it. */
export function picture({ devices, fresh, year, month }: RepeatedAnswers): Picture {
  const points = (found: readonly Found[], of: number) => found.map(({ day, right }) => [day, right / of] as const);
  const last = (found: readonly Found[], of: number): string => percent((found.at(-1)?.right ?? 0) / of);
  const epochs = month.at(-1)?.epochs;
  return {
    sentence:
      `A yes or no that is randomized again each day is found for ${last(fresh, devices.fresh)} of devices within a year, one that is kept ` +
      `for the year for ${last(year, devices.kept)}, and one that is renewed ${epochs} times, each time charged, for ` +
      `${last(month, devices.kept)}.`,
    charts: [
      {
        x: { title: 'days since the first report', low: 1, high: DAYS, logarithmic: true, ticks: [1, 3, 10, 30, 100, DAYS] },
        y: { title: 'devices whose answer is found', low: 0.4, high: 1, ticks: [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1], label: percent },
        series: [
          { name: `randomized again each day, ε ${EPSILON} a report, no budget`, role: 'attacked', points: points(fresh, devices.fresh) },
          { name: `permanent, renew 'month': ε∞ ${KEPT} each, ${epochs} in the year`, role: 'other', points: points(month, devices.kept) },
          { name: `permanent, renew 'year': ε∞ ${KEPT} in all`, role: 'ours', points: points(year, devices.kept) },
          {
            name: `the most that ε ${KEPT} allows: ${percentAtMost(mostRight(KEPT))}, of ${devices.kept.toLocaleString('en')} devices up to 3 points more or less by chance`,
            role: 'bound',
            points: [1, DAYS].map((day) => [day, mostRight(KEPT)] as const),
          },
        ],
      },
    ],
  };
}

if (import.meta.main) show('repeated-answers', picture(attack(SEED)));
