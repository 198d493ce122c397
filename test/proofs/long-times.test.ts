/**
 * The most charges in a year and in ten: `timesIn` and, while versions replace each other, `mostIn`, against what the shipped ledger lets a
 * device report.
 */

import { defineSchema, flag, permanent as keep } from '@murmuration/client';
import { DAYS, type MetricDocument, PERIOD_DAYS, type Period, type SchemaDocument, timesIn } from '@murmuration/shared';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochs } from '#client/ledger/epochs.ts';
import { type Account, claim, nextDay } from '#client/ledger/ledger.ts';
import { mostIn } from '#collector/planning/audit/history.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { follow, revealedBy, sentOf, type Visit, versions, visits, windowsOf } from './device.ts';

type Kept = NonNullable<MetricDocument['permanent']>['renew'];

const PERIODS = Object.keys(PERIOD_DAYS) as Period[];
const permanent = (every: Period, renew: Kept): MetricDocument => ({
  type: 'flag',
  epsilon: 1,
  every,
  permanent: { epsilon: 2, renew },
  law: { mechanism: 'k-ary', size: 2, truth: 8, irr: { truth: 16 } },
});

/** The account after a report on a day; undefined where the ledger refuses it. */
function reported(metric: MetricDocument, account: Account | undefined, day: number, per: Period): Account | undefined {
  const accounts = account === undefined ? {} : { a: account };
  const next = claim({ metric: 'a', id: '', symbol: `${day}` }, metric, accounts, day, { epsilon: 2, per }, epochs);
  return typeof next === 'string' ? undefined : next;
}

/** The most epochs from which a device reports in `days` days, over every choice of the days on which it records, before them and in them. */
function mostEpochs(metric: MetricDocument, per: Period, days: number): number {
  const before = DAYS[metric.permanent?.renew ?? 'never'] + DAYS[per];
  let devices = new Map<string, { account: Account | undefined; begun: number; inLast: boolean }>([
    ['', { account: undefined, begun: 0, inLast: false }],
  ]);
  for (let day = -before; day < days; day++) {
    const after: typeof devices = new Map();
    const keep = (device: { account: Account | undefined; begun: number; inLast: boolean }): void => {
      const { account, inLast } = device;
      const key = `${account?.day} ${account?.epoch?.day} ${inLast}`;
      if ((after.get(key)?.begun ?? -1) < device.begun) after.set(key, device);
    };
    for (const device of devices.values()) {
      keep(device);
      if (!(nextDay(metric, device.account, day, { epsilon: 2, per }, epochs) <= day)) continue;
      const account = reported(metric, device.account, day, per);
      if (account === undefined) continue;
      const isCounted = device.inLast && account.epoch?.day === device.account?.epoch?.day;
      keep({ account, inLast: day >= 0, begun: device.begun + (day >= 0 && !isCounted ? 1 : 0) });
    }
    devices = after;
  }
  return Math.max(...[...devices.values()].map(({ begun }) => begun));
}

describe('epochs in so many days', () => {
  test.each<[Kept, Period, Period]>([
    ['week', 'day', 'day'],
    ['week', 'week', 'day'],
    ['week', 'day', 'week'],
    ['week', 'month', 'day'],
    ['week', 'day', 'month'],
    ['month', 'day', 'week'],
    ['month', 'week', 'week'],
    ['never', 'week', 'day'],
  ])('are as many as the ledger allows at most: renewed by the %s, silent for a %s, asked every %s', (renew, per, every) => {
    const metric = permanent(every, renew);
    if (renew === 'never') return expect(timesIn(metric, 3650, per)).toBe(1);
    for (const days of [1, 7, 8, 30, 45, 61]) expect([days, timesIn(metric, days, per)]).toEqual([days, mostEpochs(metric, per, days)]);
  });

  test('are two in a year of those renewed by the year, on days 0 to 364 and from day 394 on', () => {
    const metric = permanent('day', 'year');
    let account: Account | undefined;
    const epochs = new Map<number, number>();
    for (let day = 0; day < 759; day++) {
      const next = reported(metric, account, day, 'month');
      if (next === undefined) continue;
      account = next;
      epochs.set(day, account.epoch?.day as number);
    }
    expect([...new Set(epochs.values())]).toEqual([0, 394]);
    const touched = (first: number): number =>
      new Set([...epochs].flatMap(([day, epoch]) => (day >= first && day < first + 365 ? [epoch] : []))).size;
    expect(Math.max(...Array.from({ length: 394 }, (_, first) => touched(first)))).toBe(2);
    expect(timesIn(metric, DAYS.year, 'month')).toBe(2);
    expect(timesIn(permanent('day', 'month'), DAYS.year, 'day')).toBe(14);
    expect(timesIn(metric, DAYS.year, 'year')).toBe(1);
  });

  test('are never exceeded, and neither are slots, whatever is recorded when', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 1)), (days) => {
        const { metrics, budget } = (days[0] as Visit).version;
        for (const [name, metric] of Object.entries(metrics)) {
          const reports = sentOf(follow(days, (n) => `${n}`)).filter((report) => report.metric === name);
          for (const length of [1, 30, 100, 365])
            for (const window of windowsOf(reports, length))
              expect(new Set(window.map(({ symbol }) => symbol)).size).toBeLessThanOrEqual(timesIn(metric, length, budget.per));
        }
      }),
      { numRuns: 600, seed: 1 },
    );
  });
});

describe('versions that replace each other', () => {
  test('never let a metric spend more than the audit states', () => {
    fc.assert(
      fc.property(visits(versions(PERIODS, 3)), (days) => {
        const all = [...new Set(days.map(({ version }) => version))];
        const reports = sentOf(follow(days, (n) => `${n}`));
        for (const name of ['a', 'b', 'c']) {
          const asked = all.flatMap(({ metrics, budget }) => {
            const metric = metrics[name];
            return metric ? [{ metric, per: budget.per, charge: BigInt(8 * (metric.permanent ?? metric).epsilon) }] : [];
          });
          const own = reports.filter(({ metric }) => metric === name);
          for (const length of [1, 30, 100, 365])
            for (const window of windowsOf(own, length)) expect(8 * revealedBy(window)).toBeLessThanOrEqual(Number(mostIn(asked, length)));
        }
      }),
      { numRuns: 600, seed: 2 },
    );
  });

  test('let a metric spend what each of its laws may, and one version what it may alone', () => {
    const of = (metric: MetricDocument, charge: bigint) => ({ metric, per: 'month' as const, charge });
    const kept = permanent('day', 'year');
    const changed: MetricDocument = { ...kept, law: { mechanism: 'k-ary', size: 2, truth: 9, irr: { truth: 16 } } } as MetricDocument;
    expect(mostIn([of(kept, 2n)], 365)).toBe(4n);
    expect(mostIn([of(kept, 2n), of(kept, 2n)], 365)).toBe(4n); // one law, one epoch
    expect(mostIn([of(kept, 2n), of(changed, 2n)], 365)).toBe(6n); // an epoch that ends on day 0, one from day 30, and one by the new law from day 60
    expect(mostIn([of(kept, 2n), of(changed, 2n), of(kept, 2n)], 365)).toBe(8n);
  });

  test('spend with twelve questions what the history states, to the last charge, and the last version alone does not', () => {
    const ask = { description: 'x' };
    /** The law of four permanent questions changes with each version, and four yearly questions get other names. */
    const version = (number: 1 | 2 | 3): SchemaDocument => {
      const four = [0, 1, 2, 3];
      return defineSchema({
        app: 'a',
        version: number,
        budget: { epsilon: 16, per: 'month' },
        metrics: Object.fromEntries([
          ...four.map((i) => [`kept${i}`, keep(flag({ ...ask, epsilon: 1.1 - number / 10, every: 'day' }), { epsilon: 2, renew: 'year' })]),
          ...four.map((i) => [`monthly${i}`, flag({ ...ask, epsilon: 1 })]),
          ...four.map((i) => [`yearly${number}${i}`, flag({ ...ask, epsilon: 1, every: 'year' })]),
        ]),
      }).document;
    };
    const [one, two, three] = [version(1), version(2), version(3)] as const;
    const days = Array.from({ length: 760 }, (_, day): Visit => {
      const now = day < 420 ? one : day < 450 ? two : three;
      return { day, version: now, records: Object.keys(now.metrics) };
    });
    const reports = sentOf(follow(days, (n) => `${n}`));
    const most = Math.max(...windowsOf(reports, DAYS.year).map(revealedBy));
    expect(most).toBe(96); // 4 epochs of each permanent question, 13 months, and 3 yearly questions, each four times
    const [all, last] = [spendingOf(three, [one, two]), spendingOf(three)].map(({ year }) => Math.round(Number(year)));
    expect([all, last]).toEqual([most, 72]);
  });
});
