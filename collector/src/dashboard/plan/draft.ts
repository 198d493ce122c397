// A question that is planned, as the address holds it: the names of its parameters are those of the API. What is left out has the API's defaults.

import type { MetricType, PlanAsked } from '../../api/shown.ts';

/** Types that are planned here. Utilities of a best option are too many for a form. */
export type PlannedType = Exclude<MetricType, 'best'>;

/** How the answers of a type are said: nothing, a number on a slider, or a text. */
export type Size =
  | { readonly kind: 'none' }
  | { readonly kind: 'slider'; readonly name: string; readonly usual: string; readonly steps: readonly number[] }
  | { readonly kind: 'text'; readonly name: string; readonly usual: string };

const ANSWERS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1_000] as const;

/** The answers of each type. */
export const SIZES: { readonly [T in PlannedType]: Size } = {
  flag: { kind: 'none' },
  choice: { kind: 'slider', name: 'Answers', usual: '8', steps: ANSWERS },
  choices: { kind: 'slider', name: 'Answers', usual: '8', steps: ANSWERS },
  joint: { kind: 'text', name: 'Answers of each list', usual: '3,2' },
  histogram: { kind: 'text', name: 'Edges of the ranges', usual: '0,100,300,1000' },
  text: { kind: 'none' },
  discover: { kind: 'slider', name: 'Longest text, in bytes', usual: '8', steps: [2, 4, 6, 8, 12, 16, 24, 32] },
  mean: { kind: 'text', name: 'Least and greatest number', usual: '0,100' },
  count: { kind: 'slider', name: 'Greatest count', usual: '20', steps: [5, 10, 20, 50, 100, 200, 500, 1_000] },
  distribution: { kind: 'text', name: 'Least and greatest number', usual: '0,100' },
};

export const CADENCES = { month: 'month', week: 'week', day: 'day', once: 'only once' } as const;
type Cadence = keyof typeof CADENCES;

/** Errors in points. */
export const ERRORS = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10] as const;
export const EPSILONS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8] as const;
export const WEEKS = [1, 2, 3, 4, 6, 8, 10, 13, 17, 21, 26, 39, 52, 78, 104] as const;
export const DEVICES: readonly number[] = [2, 3, 4, 5, 6]
  .flatMap((power) => [1, 1.5, 2, 3, 5, 7].map((digit) => digit * 10 ** power))
  .concat(10 ** 7 - 1);

/** A draft. Texts and numbers are as they were typed; devices are undefined where the app's own are meant. */
export interface Draft {
  readonly app: string | undefined;
  readonly type: PlannedType;
  readonly of: string;
  readonly atMost: number;
  readonly epsilon: number;
  readonly every: Cadence;
  /** In points. */
  readonly error: number;
  readonly devices: number | undefined;
  readonly after: number;
  readonly name: string;
  readonly description: string;
  /** In points, by the name of the metric. */
  readonly wishes: { readonly [metric: string]: number };
}

const known = <T extends object>(words: T, text: string | null): keyof T | undefined =>
  text !== null && Object.hasOwn(words, text) ? (text as keyof T) : undefined;

const numberIn = (text: string | null, usual: number): number => {
  const value = Number(text);
  return text !== null && Number.isFinite(value) && value > 0 ? value : usual;
};

/** Without the noise of doubles: 100 * 0.07 -> 7 */
const plain = (value: number): number => Number(value.toPrecision(9));

export function draftFrom(query: string): Draft {
  const pairs = new URLSearchParams(query);
  const type = known(SIZES, pairs.get('type')) ?? 'choice';
  const size = SIZES[type];
  const wishes = pairs.getAll('wish').flatMap((wish) => {
    const [metric = '', error = ''] = wish.split(':');
    return Number(error) > 0 ? [[metric, plain(100 * Number(error))] as const] : [];
  });
  return {
    app: pairs.get('app') ?? undefined,
    type,
    of: pairs.get('of') ?? (size.kind === 'none' ? '' : size.usual),
    atMost: numberIn(pairs.get('atMost'), 3),
    epsilon: numberIn(pairs.get('epsilon'), 1),
    every: known(CADENCES, pairs.get('every')) ?? 'month',
    error: plain(100 * numberIn(pairs.get('error'), 0.01)),
    devices: pairs.has('devices') ? numberIn(pairs.get('devices'), 1_000) : undefined,
    after: numberIn(pairs.get('after'), 4),
    name: pairs.get('name') ?? 'newQuestion',
    description: pairs.get('description') ?? '',
    wishes: Object.fromEntries(wishes),
  };
}

/** The request for a draft. */
export function askedFor({ app, type, of, atMost, epsilon, every, error, devices, after, name, description, wishes }: Draft): PlanAsked {
  return {
    app,
    type,
    ...(of !== '' && { of }),
    ...(type === 'choices' && { atMost }),
    epsilon,
    every,
    error: plain(error / 100),
    devices,
    after,
    name,
    ...(description !== '' && { description }),
    wishes: Object.fromEntries(Object.entries(wishes).map(([metric, points]) => [metric, plain(points / 100)])),
  };
}
