/** Three releases of one schema, with metrics that hide whether they were recorded, and randomizers whose coins the machine throws. */

import {
  choice,
  type DeviceQuestion,
  type DeviceQuestions,
  defineSchema,
  flag,
  permanent,
  type Rng,
  type Schema,
} from '@murmuration/client';
import { createCoins, words } from '@murmuration/client/testing';
import { asBuilt } from '../../kit/resolved.ts';

const ask = { epsilon: 0.5, description: 'a question' };
const PLANS = ['free', 'pro', 'team', 'none'] as const;

export type Release = Schema<DeviceQuestions>;

const plain = {
  dark: flag({ ...ask, every: 'week' }),
  plan: choice(PLANS, { ...ask, every: 'day' }),
  kept: permanent(flag({ ...ask, every: 'day' }), { epsilon: 1, renew: 'week' }),
};
const seen = flag({ ...ask, every: 'day', otherwise: false });
const view = permanent(choice(PLANS, { ...ask, every: 'day', otherwise: 'none' }), { epsilon: 1, renew: 'week' });
const of = (version: number, printed: DeviceQuestion<boolean>, per: 'week' | 'month', reports?: 'together' | 'alone') =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 60, per },
    metrics: { ...plain, printed, seen, view },
    ...(reports && { reports }),
    ...(reports === 'alone' && { relay: 'required' }),
  }) as unknown as Release;

/** The second has lost an `otherwise`, the third asks more often. */
const direct = [
  of(1, flag({ ...ask, every: 'week', otherwise: false }), 'month', 'together'),
  of(2, flag({ ...ask, every: 'week' }), 'month'),
  of(3, flag({ ...ask, every: 'day', otherwise: true }), 'week', 'together'),
].map(asBuilt);
/** The same through a relay. */
const relayed = [
  of(1, flag({ ...ask, every: 'week', otherwise: false }), 'month', 'alone'),
  of(2, flag({ ...ask, every: 'week' }), 'month', 'alone'),
  of(3, flag({ ...ask, every: 'day', otherwise: true }), 'week', 'alone'),
].map(asBuilt);
const bases = [...direct, ...relayed];

/** The metrics that hide it in some release, and all, with an answer to each. */
export const HIDDEN = ['printed', 'seen', 'view'];
export const ANSWERS: readonly (readonly [metric: string, answers: readonly unknown[]])[] = [
  ['dark', [true, false]],
  ['plan', PLANS],
  ['kept', [true, false]],
  ['printed', [true, false]],
  ['seen', [true, false]],
  ['view', PLANS],
];

export const hides = ({ document }: Release, metric: string): boolean => document.metrics[metric]?.otherwise !== undefined;
/** Whether a batch of this schema on the wire hides it. */
export const hidesIn = (wire: unknown, metric: string): boolean => bases.some((each) => each.wire === wire && hides(each, metric));

/** The releases, with coins of their own for each metric. */
export function releases(rngOf: (metric: string) => Rng, isRelayed: boolean): readonly Release[] {
  const fair = (metric: string, question: DeviceQuestion<never>): DeviceQuestion<never> => {
    const coins = () => createCoins(words(rngOf(metric)));
    const { randomizers, respondStored } = question;
    return {
      ...question,
      randomizers: Object.fromEntries(
        Object.entries(randomizers).map(([name, draw]) => [name, (law: never, input: never) => draw(law, input, coins())]),
      ),
      ...(respondStored && { respondStored: (law, symbol) => respondStored(law, symbol, coins()) }),
    };
  };
  return (isRelayed ? relayed : direct).map((base) => ({
    ...base,
    questions: Object.fromEntries(Object.entries(base.questions).map(([metric, question]) => [metric, fair(metric, question)])),
  }));
}
