/** What a schema's metrics will show with so many reports: error bars, what is told from zero, and what more would take. */

import type { Law, MetricDocument, SchemaDocument } from '@murmuration/shared';
import { type Asked, askedOf } from './asked.ts';
import { lawsAt } from './law-at.ts';
import { devicesFor, least, marginAt, smallestShare, standardErrorAt } from './precision.ts';

/** The share at which errors are stated. */
export const SHARE = 0.01;

const HUNDREDTHS = 1600; // ε is looked for up to 16, where the channel is all but open

/** What a law shows with one report of each device. */
export interface Precision {
  /** Of the estimate of a share of 1 %; of a number, of its mean at the worst numbers, over the width of the range. */
  readonly standardError: number;
  /** 1.96 standard errors: a share of 1 % reads as 1 % ± this. */
  readonly margin95: number;
  /** The smallest share that is told from zero, two-sided at 95 % with a power of 80 %; null when none is. */
  readonly smallestShare: number | null;
  /** How many devices it takes for the wanted margin, those that are not asked among them; null when no number does. */
  readonly devicesForError: number | null;
}

/** A metric's row of the plan. */
export interface MetricPlan extends Precision {
  readonly metric: string;
  readonly type: string;
  readonly mechanism: string;
  /** Of one report. */
  readonly epsilon: number;
  /** The share of devices that are asked it: 1, or less where metrics are assigned at random. */
  readonly asked: number;
  /** How many reports it gets then. */
  readonly reports: number;
  /** The ε of one report that it takes for the wanted margin, to a hundredth; null when up to 16, or up to ε∞, none does. */
  readonly epsilonForError: number | null;
  /** Of a permanent metric: ε∞, and what the same devices show however often they report. */
  readonly permanent?: Precision & { readonly epsilon: number; readonly renew: string };
}

function precisionOf(law: Law, reports: number, asked: number, error: number): Precision {
  const devices = devicesFor(law, error, SHARE);
  return {
    standardError: standardErrorAt(law, reports, SHARE),
    margin95: marginAt(law, reports, SHARE),
    smallestShare: smallestShare(law, reports),
    devicesForError: devices && Math.ceil(devices / asked),
  };
}

function epsilonFor(metric: MetricDocument, reports: number, error: number, devices: number): number | null {
  const most = Math.floor(Math.min(HUNDREDTHS, 100 * (metric.permanent?.epsilon ?? Number.POSITIVE_INFINITY)));
  const lawAt = lawsAt(metric, devices);
  const hundredths = least(1, most, (n) => {
    const law = lawAt(n / 100);
    return law !== undefined && marginAt(law, reports, SHARE) <= error;
  });
  return hundredths === null ? null : hundredths / 100;
}

/** The law of the stored symbol: what the mean of a device's reports tends to, as their number grows. */
function symbolOf(law: Law): Law {
  if (!('irr' in law)) return law;
  const { irr: _irr, ...first } = law;
  return first;
}

/**
 * The plan of every metric.
 *
 * @param devices how many report, each once on every metric that it is asked
 * @param error the wanted margin: half a 95 % interval at a share of 1 %, in [0, 1]
 */
export function planOf(schema: SchemaDocument, devices: number, error: number, { shares }: Asked = askedOf(schema)): readonly MetricPlan[] {
  return Object.entries(schema.metrics).map(([metric, document]): MetricPlan => {
    const { type, law, epsilon, permanent } = document;
    const asked = shares.get(metric) as number;
    const reports = Math.max(1, Math.round(devices * asked));
    return {
      metric,
      type,
      mechanism: law.mechanism,
      epsilon,
      asked,
      reports,
      ...precisionOf(law, reports, asked, error),
      epsilonForError: epsilonFor(document, reports, error, schema.devices),
      ...(permanent && { permanent: { ...permanent, ...precisionOf(symbolOf(law), reports, asked, error) } }),
    };
  });
}
