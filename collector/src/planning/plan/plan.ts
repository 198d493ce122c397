/**
 * Forecast of what the metrics of a schema will show with a given number of reports: error bars, detectable shares, and the number of devices or the ε
 * needed for a wanted margin.
 */

import { chargesOf, type Law, type MetricDocument, type QuestionType, type SchemaDocument, sumOf } from '@murmuration/shared';
import {
  type Cohorts,
  cohortsForError,
  devicesFor,
  lawsFor,
  least,
  marginAt,
  smallestShare,
  standardErrorAt,
} from '../../estimation/precision.ts';
import { presentationOf } from '../../estimation/questions.ts';
import { type AskedShares, askedOf } from './asked.ts';
import { lawsAt } from './law-at.ts';

/** The share at which errors are stated by default. */
export const SHARE = 0.01;

const HUNDREDTHS = 1600; // ε is searched up to 16, where the report is almost never changed

/** Default number of candidate strings; lists of candidates are often this long. */
const CANDIDATES = 1000;

/** The precision of a law with one report of each device. */
export interface Precision {
  /** For a share: of its estimate among all users. For a number: of its mean, in the worst case, relative to the width of the range. */
  readonly standardError: number;
  /** 1.96 standard errors: the ± of a 95 % interval. */
  readonly margin95: number;
  /**
   * The smallest share that is distinguished from zero with a power of 80 %, when all answers are tested together at 95 %; null when there
   * is none.
   */
  readonly smallestShare: number | null;
  /** The devices needed for the wanted margin, including those that are not asked; null when no number is enough. */
  readonly devicesForError: number | null;
}

/** A metric's row of the plan. */
export interface MetricPlan extends Precision {
  readonly metric: string;
  readonly type: QuestionType;
  readonly mechanism: string;
  /** The ε of one report. */
  readonly epsilon: number;
  /** The share of devices that are asked it: 1, or less when metrics are assigned at random. */
  readonly asked: number;
  /** The number of answers that are tested: one for a flag, the number of candidates for a text. */
  readonly tested: number;
  /** The resulting number of reports. */
  readonly reports: number;
  /** The ε of one report needed for the wanted margin, to a hundredth; null when none up to 16, or up to ε∞, is enough. */
  readonly epsilonForError: number | null;
  /**
   * For a text: the `devices` of a schema whose cohorts reach the wanted margin with the fewest devices, if that is more cohorts than it
   * has; null when no number of cohorts is enough.
   */
  readonly suggested?: Cohorts | null;
  /** For a permanent metric: ε∞, and the precision that the same devices reach however often they report. */
  readonly permanent?: Precision & { readonly epsilon: number; readonly renew: string };
}

/** The wanted margin: half a 95 % interval at a share. */
export interface Wanted {
  readonly error: number;
  readonly share: number;
}

/** The number of answers that are tested together. */
export const testedOf = ({ type, law }: Pick<MetricDocument, 'type' | 'law'>): number =>
  presentationOf(type).tested ?? ('size' in law ? law.size : CANDIDATES);

/** The precision of a law with this many devices, of which a share is asked. */
export function precisionOf(law: Law, reports: number, asked: number, tested: number, { error, share }: Wanted): Precision {
  const devices = devicesFor(law, error, share);
  return {
    standardError: standardErrorAt(law, reports, share),
    margin95: marginAt(law, reports, share),
    smallestShare: smallestShare(law, reports, tested),
    devicesForError: devices && Math.ceil(devices / asked),
  };
}

/**
 * The least ε of one report, to a hundredth, with which so many reports reach the wanted margin; null when none is enough.
 *
 * @param devices those that the schema expects
 * @param perPerson how many of the reports one device may have sent
 */
export function epsilonFor(
  metric: MetricDocument,
  reports: number,
  { error, share }: Wanted,
  devices: number,
  perPerson = 1,
): number | null {
  const most = Math.floor(Math.min(HUNDREDTHS, 100 * (metric.permanent?.epsilon ?? Number.POSITIVE_INFINITY)));
  const lawAt = lawsAt(metric, devices);
  const hundredths = least(1, most, (n) => {
    const law = lawAt(n / 100);
    return law !== undefined && marginAt(law, reports, share, perPerson) <= error;
  });
  return hundredths === null ? null : hundredths / 100;
}

/** More cohorts, if they would help; undefined when the metric has enough or is not a text. */
function suggestionFor(metric: MetricDocument, asked: number, { error, share }: Wanted, devices: number): Cohorts | null | undefined {
  const at = lawsFor(metric, devices);
  if (at === undefined) return undefined;
  const found = cohortsForError(at, error, share);
  if (found === null) return null;
  return found.cohorts > at(devices).cohorts ? { ...found, devices: Math.ceil(found.devices / asked) } : undefined;
}

/** The law of the stored symbol: the limit for the mean of a device's reports as their number grows. */
export function symbolOf(law: Law): Law {
  if (!('irr' in law)) return law;
  const { irr: _irr, ...first } = law;
  return first;
}

/**
 * The plan of every metric.
 *
 * @param devices the number of devices; each reports once on every metric that it is asked
 * @param error the wanted margin: half a 95 % interval at the share, in [0, 1]
 */
export function planOf(
  schema: SchemaDocument,
  devices: number,
  error: number,
  { shares }: AskedShares = askedOf(schema),
  share: number = SHARE,
): readonly MetricPlan[] {
  const wanted = { error, share };
  return Object.entries(schema.metrics).map(([metric, document]): MetricPlan => {
    const { type, law, epsilon, permanent } = document;
    const asked = shares.get(metric) as number;
    const reports = Math.max(1, Math.round(devices * asked));
    const tested = testedOf(document);
    const suggested = suggestionFor(document, asked, wanted, schema.devices);
    return {
      metric,
      type,
      mechanism: law.mechanism,
      epsilon,
      asked,
      tested,
      reports,
      ...precisionOf(law, reports, asked, tested, wanted),
      epsilonForError: epsilonFor(document, reports, wanted, schema.devices),
      ...(suggested !== undefined && { suggested }),
      ...(permanent && { permanent: { ...permanent, ...precisionOf(symbolOf(law), reports, asked, tested, wanted) } }),
    };
  });
}

/** Splitting ε, as the alternative to splitting devices. */
export interface Splitting {
  /** The factor for each ε. */
  readonly scale: number;
  /** The factors by which margins would be wider: the least and the greatest over all metrics that have a law at the smaller ε. */
  readonly wider: readonly [least: number, most: number];
}

/** Undefined when everything fits without scaling. Permanent metrics are left out, because they have two ε. */
export function splittingOf(
  { metrics, budget, devices }: SchemaDocument,
  plans: readonly MetricPlan[],
  reports: number,
  share: number,
): Splitting | undefined {
  const scale = budget.epsilon / sumOf(chargesOf(metrics, budget.per).map(({ charge }) => charge));
  const ratios = plans.flatMap(({ metric, margin95, epsilon, permanent }) => {
    const document = metrics[metric];
    const law = document && !permanent && lawsAt(document, devices)(epsilon * scale);
    return law ? [marginAt(law, reports, share) / margin95] : [];
  });
  return scale < 1 && ratios.length > 0 ? { scale, wider: [Math.min(...ratios), Math.max(...ratios)] } : undefined;
}
