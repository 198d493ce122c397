/**
 * The ledger's theorem (docs/ledger.md) over every interleaving of two contexts on four days, with a crash at each step: one slot one report,
 * one epoch one first-stage symbol, no window over the budget of a version that reported in it. Counted by what was sent.
 */

import { choice, defineSchema, flag, permanent } from '@murmuration/client';
import { DAYS, type SchemaDocument, sumOf } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { BEGINNING, next, type Plan, type Sent, sentIn, type World } from './two-contexts.ts';

const about = { description: 'a question' };
const daily = { ...about, epsilon: 1, every: 'day' } as const;

const schema = (version: number, budget: SchemaDocument['budget'], metrics: object): SchemaDocument =>
  defineSchema({ app: 'notes', version, budget, metrics: metrics as never }).document;

const perDay = { epsilon: 1, per: 'day' } as const;
const perWeek = { epsilon: 7, per: 'week' } as const;
const one = schema(1, perDay, { a: flag(daily) });
const week = schema(1, perWeek, { a: flag({ ...daily, every: 'week' }) });
const kept = schema(1, { epsilon: 2, per: 'week' }, { a: permanent(flag(daily), { epsilon: 2, renew: 'week' }) });
const otherwise = schema(1, perDay, { a: flag({ ...daily, otherwise: false }) });
const both = schema(1, { epsilon: 2, per: 'day' }, { a: permanent(flag({ ...daily, otherwise: false }), { epsilon: 2, renew: 'week' }) });
const small = schema(2, { epsilon: 2, per: 'week' }, { a: flag({ ...daily, every: 'week' }), b: flag({ ...daily, every: 'week' }) });
const large = schema(1, { epsilon: 3, per: 'day' }, { a: flag(daily), b: flag({ ...daily, epsilon: 2 }) });
const other = schema(2, { epsilon: 2, per: 'day' }, { a: permanent(choice(['x', 'y', 'z'], daily), { epsilon: 2, renew: 'week' }) });

const anytime = { openings: 2, overnight: true } as const;
const byDay = { openings: 3, overnight: false } as const;
/** What is explored: the name, both contexts' schemas, four days as the clock shows them, the bound, and how many worlds there are. */
const PLANS = [
  ['daily', one, one, [0, 1, 2, 4], anytime, 20_330],
  ['daily, the clock set back and forth', one, one, [1, 0, 3, 2], anytime, 13_121],
  ['weekly', week, week, [0, 6, 7, 13], byDay, 28_932],
  ['permanent, renewed after a week', kept, kept, [0, 6, 7, 14], anytime, 21_160],
  ['otherwise', otherwise, otherwise, [0, 1, 2, 3], byDay, 14_432],
  ['permanent, with otherwise', both, both, [0, 1, 7, 8], byDay, 14_958],
  ['two versions with two budgets', large, small, [0, 1, 6, 7], anytime, 39_260],
  ['two versions with two laws', kept, other, [0, 1, 7, 8], anytime, 42_044],
] as const;

const slotOf = ({ metrics }: SchemaDocument, name: string): number => {
  const metric = metrics[name];
  return metric?.otherwise === undefined ? 0 : DAYS[metric.every];
};
const metricOf = ({ document, metric }: Sent) => document.metrics[metric] as SchemaDocument['metrics'][string];

/** ε that some reports revealed: reports of one symbol together what its epoch costs. */
const revealedBy = (reports: readonly Sent[]): number =>
  sumOf([...new Map(reports.map((report) => [report.symbol, (metricOf(report).permanent ?? metricOf(report)).epsilon])).values()]);

/** What is wrong with what was sent. */
function wrongWith(plan: Plan, world: World): string | undefined {
  if (world.wrong) return world.wrong;
  const sent = [...sentIn(plan, world, slotOf)].sort((one, other) => one.day - other.day);
  for (const [i, report] of sent.entries()) {
    const metric = metricOf(report);
    const before = sent.slice(0, i).filter((earlier) => earlier.metric === report.metric);
    const last = before.at(-1);
    if (last && report.day < last.day + DAYS[metric.every]) return 'two reports in a slot';
    if (!metric.permanent && metric.otherwise === undefined && before.some(({ symbol }) => symbol === report.symbol))
      return 'one answer in two slots';
    if (!metric.permanent) continue;
    const ofLaw = before.filter(({ document }) => document === report.document);
    const began = ofLaw.find(({ symbol }) => symbol === ofLaw.at(-1)?.symbol);
    const { renew } = metric.permanent;
    const isSame = began?.symbol === report.symbol;
    if (began && !isSame && before.every(({ document }) => document === report.document) && report.day < began.day + DAYS[renew])
      return 'two first-stage symbols in an epoch';
    if (began && isSame && metric.otherwise === undefined && report.day >= began.day + DAYS[renew])
      return 'an epoch that outlives its renewal';
  }
  for (const { budget } of new Set(sent.map(({ document }) => document))) {
    for (const { day: first } of sent) {
      const window = sent.filter(({ day }) => day >= first && day < first + DAYS[budget.per]);
      const promised = window.map(({ document }) => document.budget).filter(({ per }) => per === budget.per);
      const least = Math.min(...promised.map(({ epsilon }) => epsilon));
      if (revealedBy(window) > least) return `ε ${revealedBy(window)} in a window of ${least}`;
    }
  }
  return undefined;
}

/** A short name for each part of a world, the same for equal parts. */
function namer(): (part: unknown) => number {
  const byText = new Map<string, number>();
  const byObject = new WeakMap<object, number>();
  return (part) => {
    const known = typeof part === 'object' && part ? byObject.get(part) : undefined;
    if (known !== undefined) return known;
    const text = JSON.stringify(part) ?? '';
    const name = byText.get(text) ?? byText.size;
    byText.set(text, name);
    if (typeof part === 'object' && part) byObject.set(part, name);
    return name;
  };
}

/** Every world that can be reached: how many there are, the most reports that one of them sent, and the first thing that is wrong. */
function explore(plan: Plan): { readonly worlds: number; readonly most: number; readonly wrong: string | undefined } {
  const [seen, judged] = [new Set<string>(), new Set<number>()];
  const nameOf = namer();
  const isSame = plan.versions[0] === plan.versions[1];
  const open: World[] = [BEGINNING];
  let most = 0;
  for (let world = open.pop(); world; world = open.pop()) {
    const { visit, openings, stored, spill, stale, contexts, sent, wrong } = world;
    const [one, other] = contexts.map(nameOf) as [number, number];
    // Two contexts of one schema are alike.
    const both = isSame && one > other ? [other, one] : [one, other];
    const text = [visit, openings, nameOf(stored), nameOf(spill), nameOf(stale), ...both, nameOf(sent)].join();
    if (seen.has(text)) continue;
    seen.add(text);
    if (wrong || !judged.has(nameOf(sent))) {
      judged.add(nameOf(sent));
      const found = wrongWith(plan, world);
      if (found) return { worlds: seen.size, most, wrong: `${found}: ${Object.values(sent).join(' ')}` };
      most = Math.max(most, sentIn(plan, world, slotOf).length);
    }
    open.push(...next(plan, world));
  }
  return { worlds: seen.size, most, wrong: undefined };
}

const counted: number[] = [];
for (const [name, first, second, days, bound, count] of PLANS) {
  const hours = bound.overnight ? 'at any hour' : 'and closed by midnight';
  test(`${name}: ${count.toLocaleString('en')} worlds of two contexts, four days and ${bound.openings} openings, ${hours}, keep the promise`, () => {
    const { worlds, most, wrong } = explore({ versions: [first, second], days, ...bound });
    expect(wrong).toBeUndefined();
    expect(most).toBeGreaterThan(1);
    counted.push(worlds);
  });
}

test('the worlds are as many as the names say', () => {
  expect(counted).toEqual(PLANS.map(([, , , , , count]) => count));
});
