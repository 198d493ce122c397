/**
 * Whether intervals of a year of monthly epochs cover. The shipped ledger says on which days a device reports and begins an epoch, the
 * shipped randomizers say what; devices begin on different days, so that the range cuts epochs off at both its ends.
 */

import { type DeviceQuestion, defineSchema, flag, mean, permanent, text } from '@murmuration/client';
import { stringHashing } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type Law, type MetricDocument, toBase64url } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { epochs } from '#client/ledger/epochs.ts';
import { type Account, claim } from '#client/ledger/ledger.ts';
import { repeatsIn } from '#collector/answers/estimates.ts';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { deviceOf, folderOf } from '#collector/planning/simulate/simulation.ts';
import { range } from '../../proofs/channel.ts';
import { atMost, upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

const FALSE_ALARM = 1e-6;
const DEVICES = 40;
const ROUNDS = 400 * EFFORT;
/** Cut-off epochs leave the squared error a little below what is stated, but not below this share of it. */
const LEAST = 0.85;
const YEAR = 365;
const budget = { epsilon: 40, per: 'month' } as const;

/** The days of a year's range on which a device reports that began so many days before it, in groups that repeat one symbol. */
function epochsIn(metric: MetricDocument, before: number): readonly number[] {
  const reports = new Map<number, number>();
  let account: Account | undefined;
  for (const day of range(before + YEAR)) {
    const claimed = claim({ metric: 'asked', id: String(day), symbol: '' }, metric, account ? { asked: account } : {}, day, budget, epochs);
    if (typeof claimed === 'string') continue;
    account = claimed;
    const begun = claimed.epoch?.day ?? 0;
    if (day >= before) reports.set(begun, (reports.get(begun) ?? 0) + 1);
  }
  return [...reports.values()];
}

const ask = { epsilon: 1, description: 'asked' } as const;
const permanence = { epsilon: 1.5, renew: 'month' } as const;
const cases: readonly (readonly [name: string, question: DeviceQuestion<never>, values: readonly unknown[], repeats: number])[] = [
  ['flags of every day', permanent(flag({ ...ask, every: 'day' }), permanence), [1, 0], 30],
  ['strings of every week', permanent(text({ ...ask, every: 'week', mechanism: stringHashing() }), permanence), ['a', 'b'], 5],
  // All with the same number: of different ones the estimator's variance is above the true one.
  ['means of every week', permanent(mean([0, 1], { ...ask, every: 'week' }), permanence), [1 / 3, 1 / 3], 5],
];

test.each(cases)('intervals of %s cover over a year of monthly epochs, and are not too wide', (_name, question, values, repeats) => {
  const { document } = defineSchema({ app: 'a', version: 1, budget, metrics: { asked: question } });
  const metric = document.metrics['asked'] as MetricDocument;
  const law = metric.law as Law;
  const perDevice = repeatsIn(YEAR, metric);
  expect(perDevice).toBe(repeats);
  const schedules = range(DEVICES).map((device) => epochsIn(metric, (59 * device) % 118));
  const holders = range(DEVICES).map((device) => Number(device % 3 > 0));
  const reportsOf = (epochsOf: readonly number[]): number => epochsOf.reduce((sum, reports) => sum + reports, 0);
  const total = schedules.reduce((sum, schedule) => sum + reportsOf(schedule), 0);
  const ofFirst = schedules.reduce((sum, schedule, device) => sum + (holders[device] === 0 ? reportsOf(schedule) : 0), 0);
  const truth = { flag: 1 - ofFirst / total, text: ofFirst / total, mean: 1 / 3 }[metric.type as string] as number;
  const coins = createCoins(words(seededRng(11)));
  const { randomize, respond } = deviceOf(question, law, coins);
  let [covered, statistic] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const folder = folderOf(law);
    for (const [device, schedule] of schedules.entries()) {
      for (const reports of schedule) {
        const symbol = toBase64url(randomize(values[holders[device] as number]));
        for (let report = 0; report < reports; report++) folder.addReport(respond(symbol));
      }
    }
    const rows = estimatesOf(law, { tallies: folder.tallies(), perDevice, candidates: ['a'] });
    const { estimate, standardError, low, high } = rows[0] as Estimate;
    covered += Number(low <= truth && truth <= high);
    statistic += ((estimate - truth) / standardError) ** 2;
  }
  const tails = [atMost(covered, ROUNDS, 0.95), 1 - atMost(covered - 1, ROUNDS, 0.95)];
  expect(2 * Math.min(...tails)).toBeGreaterThan(FALSE_ALARM);
  expect(upperTail({ statistic, degrees: ROUNDS })).toBeGreaterThan(FALSE_ALARM);
  expect(1 - upperTail({ statistic: statistic / LEAST, degrees: ROUNDS })).toBeGreaterThan(FALSE_ALARM);
});
