/**
 * Three versions of one schema, of which the first sends reports together and the others alone, the same through a relay, one schema with
 * bulky reports, and two people whose answers are never the same.
 */

import { choice, count, type DeviceQuestions, defineSchema, flag, joint, permanent, type Schema, text } from '@murmuration/client';
import { unary } from '@murmuration/client/mechanisms';
import type { SchemaDocument } from '@murmuration/shared';
import { asBuilt } from '../../kit/resolved.ts';

const PLANS = ['answer-free', 'answer-pro', 'answer-team'] as const;
const VIEWS = [...PLANS, 'answer-none'] as const;
const about = { description: 'a question' };
const monthly = { epsilon: 1, ...about };
const daily = { ...monthly, every: 'day' } as const;
const weekly = { ...monthly, every: 'week' } as const;

const first = {
  app: 'notes',
  version: 1,
  budget: { epsilon: 16, per: 'month' },
  reports: 'together',
  metrics: {
    dark: flag(monthly),
    plan: choice(PLANS, weekly),
    both: joint({ plan: PLANS, dark: [true, false] }, { ...monthly, every: 'once' }),
    word: permanent(text(daily), { epsilon: 4, renew: 'month' }),
    clicked: flag({ ...about, epsilon: 0.25, every: 'week', otherwise: false }),
    view: permanent(choice(VIEWS, { ...weekly, otherwise: 'answer-none' }), { epsilon: 3, renew: 'month' }),
  },
} as const;

/** Shorter windows and a smaller budget; each device answers the metrics that fit. */
const second = {
  app: 'notes',
  version: 2,
  budget: { epsilon: 8, per: 'week' },
  assign: 'random',
  metrics: {
    dark: flag(weekly),
    plan: choice(PLANS, { ...about, epsilon: 0.5, every: 'day' }),
    both: joint({ plan: PLANS, dark: [true, false] }, { ...about, epsilon: 0.5, every: 'week' }),
    word: permanent(text({ ...about, epsilon: 0.5, every: 'day' }), { epsilon: 2, renew: 'week' }),
    clicked: flag({ ...about, epsilon: 0.5, every: 'day', otherwise: true }),
    view: permanent(choice(VIEWS, { ...about, epsilon: 0.5, every: 'day', otherwise: 'answer-none' }), { epsilon: 2, renew: 'week' }),
  },
} as const;

/** A larger budget, another law for every metric, one more metric, and one metric without `otherwise`, which it had before. */
const third = {
  app: 'notes',
  version: 3,
  budget: { epsilon: 36, per: 'month' },
  metrics: {
    dark: flag({ ...about, epsilon: 2 }),
    plan: choice([...PLANS, 'answer-new'], weekly),
    both: joint({ plan: PLANS, dark: [true, false] }, { ...about, epsilon: 2 }),
    word: permanent(text({ ...about, epsilon: 2, every: 'day' }), { epsilon: 5, renew: 'never' }),
    clicked: flag({ ...about, epsilon: 0.5, every: 'week' }),
    view: permanent(choice(VIEWS, { ...weekly, otherwise: 'answer-none' }), { epsilon: 4, renew: 'month' }),
    opened: count(100, { ...about, epsilon: 0.5, every: 'day' }),
  },
} as const;

const LINES = Array.from({ length: 40_000 }, (_, i) => `line ${i}`);
const BULKY = ['bulk0', 'bulk1', 'bulk2'];
const TINY = Array.from({ length: 12 }, (_, i) => `tiny${i}`);
const small = { ...about, epsilon: 0.125, every: 'day' } as const;

/** Many small reports a day, and some of 6,700 characters, so that the outbox reaches its limits within days. */
const bulk = {
  app: 'notes',
  version: 4,
  budget: { epsilon: 32, per: 'week' },
  metrics: Object.fromEntries([
    ...TINY.map((name) => [name, flag(small)]),
    ...BULKY.map((name) => [name, choice(LINES, { ...small, mechanism: unary() })]),
  ]) as DeviceQuestions,
};

const define = (spec: object): Schema<DeviceQuestions> => asBuilt(defineSchema(spec as never) as unknown as Schema<DeviceQuestions>);

/** The schemas that a device may run, version after version. */
export const families = {
  versions: [first, second, third].map(define),
  relayed: [first, second, third].map((spec) => define({ ...spec, reports: 'alone', relay: 'required' })),
  bulk: [define(bulk)],
};

const ASKED = ['dark', 'plan', 'both', 'word', 'opened', 'clicked', 'view'] as const;

/** The metrics that a step may record. */
export const METRICS = {
  versions: ASKED,
  relayed: ASKED,
  bulk: [...TINY, ...BULKY],
} as const;

/** The schema of a batch, by wire name. */
export const documents: ReadonlyMap<string, SchemaDocument> = new Map(
  Object.values(families).flatMap((schemas) => schemas.map(({ wire, document }) => [wire, document])),
);

/** Values that no device may store, send or report, as they appear in JSON. */
export const SENTINELS = [...VIEWS, 'answer-new', 'zephyrous', 'quixotic', 'line '];

/** A person's nth answer to a metric. The two people never give the same answer. */
export const people: readonly ((metric: string, nth: number) => unknown)[] = [
  (metric, nth) =>
    ({
      dark: true,
      plan: PLANS[nth % 2],
      both: { plan: PLANS[nth % 2], dark: true },
      word: `zephyrous ${nth}`,
      opened: nth % 9,
      clicked: true,
      view: VIEWS[nth % 2],
    })[metric] ?? (metric.startsWith('tiny') ? true : 'line 1'),
  (metric, nth) =>
    ({
      dark: false,
      plan: PLANS[2],
      both: { plan: PLANS[2], dark: nth % 2 === 0 },
      word: nth % 3 === 0 ? '' : 'quixotic '.repeat(nth % 2 === 0 ? 1 : 90),
      opened: 1e9 + nth,
      clicked: false,
      view: VIEWS[2 + (nth % 2)],
    })[metric] ?? (metric.startsWith('tiny') ? false : 'line 39999'),
];
