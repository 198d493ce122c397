/** What every answer says about its metric and the reports that it rests on. */

import { dayText } from '@murmuration/shared';
import type { Evidence } from '../estimation/tally.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';

/** A metric, and the reports that are counted. */
export interface About {
  readonly app: string;
  readonly metric: string;
  readonly version: number;
  readonly type: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly reports: number;
  readonly from: string | null;
  readonly to: string | null;
  /** Estimates from fewer reports than this are not shown. That is for readability: two answers subtracted give one device's report. */
  readonly minimum: number;
}

/** What an answer is made from, as far as it says so. */
interface Source {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document'>;
  readonly evidence: Evidence;
  readonly minimum: number;
}

const dayOrNull = (day: number | null): string | null => (day === null ? null : dayText(day));

/** The part that all answers have in common. */
export function aboutOf({ metric: published, evidence, minimum }: Source): About {
  const { app, metric, version, document } = published;
  const { type, law, epsilon } = document;
  const { reports, from, to } = evidence;
  const { mechanism } = law;
  return { app, metric, version, type, mechanism, epsilon, reports, from: dayOrNull(from), to: dayOrNull(to), minimum };
}
