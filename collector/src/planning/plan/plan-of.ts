/** A plan: the forecast of a new question, and the cost of wishes for those that there are. All that it is made from is plain data. */

import type { QuestionType, SchemaDocument } from '@murmuration/shared';
import { type Forecast, forecastOf, type Planned, type trafficOf, usualShare } from './forecast.ts';
import { askingFrom } from './question.ts';
import { type Wishes, wishesOf } from './wishes.ts';

/** The forecast, and the cost of the wishes, if there are any. */
export type PlanOf = Forecast & { readonly wishes?: Wishes };

/** A question to plan, and the app that would ask it. */
export interface PlanTask {
  /** The newest schema of the app, and its metrics. */
  readonly document: SchemaDocument;
  readonly metrics: Parameters<typeof trafficOf>[0];
  readonly type: QuestionType;
  /** Its answers, as the option of this type takes them. */
  readonly of: string;
  readonly atMost: number;
  readonly epsilon: number;
  readonly planned: Omit<Planned, 'asking'>;
  /** The wished error by the name of the metric. */
  readonly wishes: ReadonlyMap<string, number>;
}

/** Makes a plan. @throws {UsageError | RangeError} when there is no such question, law or metric */
export function planOf({ document, metrics, type, of, atMost, epsilon, planned, wishes }: PlanTask): PlanOf {
  const asking = askingFrom(type, of, { epsilon, ...(type === 'choices' && { atMost }) });
  const forecast = forecastOf(document, metrics, { ...planned, asking });
  const wanted = new Map([...wishes].map(([name, error]) => [name, { error, share: usualShare(document.metrics[name]) }] as const));
  return { ...forecast, ...(wishes.size > 0 && { wishes: wishesOf(document, wanted, forecast.devices) }) };
}
