/** Three versions of one schema, and two people whose answers to it are never the same. */

import { choice, count, defineSchema, flag, joint, permanent, text } from '@murmuration/client';
import type { SchemaDocument } from '@murmuration/shared';

const PLANS = ['answer-free', 'answer-pro', 'answer-team'] as const;
const about = { description: 'a question' };
const monthly = { epsilon: 1, ...about };
const daily = { ...monthly, every: 'day' } as const;
const weekly = { ...monthly, every: 'week' } as const;

const first = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 12, per: 'month' },
  metrics: {
    dark: flag(monthly),
    plan: choice(PLANS, weekly),
    both: joint({ plan: PLANS, dark: [true, false] }, { ...monthly, every: 'once' }),
    word: permanent(text(daily), { epsilon: 4, renew: 'month' }),
  },
});

/** Shorter windows and a smaller budget. */
const second = defineSchema({
  app: 'notes',
  version: 2,
  budget: { epsilon: 8, per: 'week' },
  metrics: {
    dark: flag(weekly),
    plan: choice(PLANS, { ...about, epsilon: 0.5, every: 'day' }),
    both: joint({ plan: PLANS, dark: [true, false] }, { ...about, epsilon: 0.5, every: 'week' }),
    word: permanent(text({ ...about, epsilon: 0.5, every: 'day' }), { epsilon: 2, renew: 'week' }),
  },
});

/** A larger budget, another law for every metric, and one more metric. */
const third = defineSchema({
  app: 'notes',
  version: 3,
  budget: { epsilon: 32, per: 'month' },
  metrics: {
    dark: flag({ ...about, epsilon: 2 }),
    plan: choice([...PLANS, 'answer-new'], weekly),
    both: joint({ plan: PLANS, dark: [true, false] }, { ...about, epsilon: 2 }),
    word: permanent(text({ ...about, epsilon: 2, every: 'day' }), { epsilon: 5, renew: 'never' }),
    opened: count(100, { ...about, epsilon: 0.5, every: 'day' }),
  },
});

export const schemas = [first, second, third] as const;
export const METRICS = ['dark', 'plan', 'both', 'word', 'opened'] as const;

/** The schema of a batch, by its name on the wire. */
export const documents: ReadonlyMap<string, SchemaDocument> = new Map(schemas.map(({ wire, document }) => [wire, document]));

/** Values that no device may store, send or tell, as they stand in JSON. */
export const SENTINELS = [...PLANS, 'answer-new', 'zephyrous', 'quixotic'];

/** What a person answers to a metric the nth time. The two never agree. */
export const people: readonly ((metric: (typeof METRICS)[number], nth: number) => unknown)[] = [
  (metric, nth) =>
    ({ dark: true, plan: PLANS[nth % 2], both: { plan: PLANS[nth % 2], dark: true }, word: `zephyrous ${nth}`, opened: nth % 9 })[metric],
  (metric, nth) =>
    ({
      dark: false,
      plan: PLANS[2],
      both: { plan: PLANS[2], dark: nth % 2 === 0 },
      word: nth % 3 === 0 ? '' : 'quixotic '.repeat(nth % 2 === 0 ? 1 : 90),
      opened: 1e9 + nth,
    })[metric],
];
