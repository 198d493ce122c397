/** What a schema's metrics will show with so many reports: error bars, what is told from zero, and what more would take. */

import type { Law, MetricDocument, QuestionType, SchemaDocument } from '@murmuration/shared';
import { wordsOf } from '../questions/table.ts';
import { type AskedShares, askedOf } from './asked.ts';
import { lawsAt } from './law-at.ts';
import { devicesFor, least, marginAt, smallestShare, standardErrorAt } from './precision.ts';
import { type Cohorts, cohortsForError, lawsFor } from './strings.ts';

/** The share at which errors are stated, where none is asked for. */
export const SHARE = 0.01;

const HUNDREDTHS = 1600; // ε is looked for up to 16, where the channel is all but open

/** Strings that are looked for, where nobody says how many: a list of candidates is often so long. */
const CANDIDATES = 1000;

/** What a law shows with one report of each device. */
export interface Precision {
  /** Of the estimate of the share, among all users; of a number, of its mean at the worst numbers, over the width of the range. */
  readonly standardError: number;
  /** 1.96 standard errors: a share reads as itself ± this. */
  readonly margin95: number;
  /** The smallest share that is told from zero with a power of 80 %, as many answers tested at 95 % together as there are; null when none is. */
  readonly smallestShare: number | null;
  /** How many devices it takes for the wanted margin, those that are not asked among them; null when no number does. */
  readonly devicesForError: number | null;
}

/** A metric's row of the plan. */
export interface MetricPlan extends Precision {
  readonly metric: string;
  readonly type: QuestionType;
  readonly mechanism: string;
  /** Of one report. */
  readonly epsilon: number;
  /** The share of devices that are asked it: 1, or less where metrics are assigned at random. */
  readonly asked: number;
  /** How many answers are tested: a flag has one, a text as many as there are candidates. */
  readonly tested: number;
  /** How many reports it gets then. */
  readonly reports: number;
  /** The ε of one report that it takes for the wanted margin, to a hundredth; null when up to 16, or up to ε∞, none does. */
  readonly epsilonForError: number | null;
  /** Of a text: the `devices` of a schema whose cohorts make the wanted margin possible with the fewest devices, where they are more cohorts than it has; null when none do. */
  readonly suggested?: Cohorts | null;
  /** Of a permanent metric: ε∞, and what the same devices show however often they report. */
  readonly permanent?: Precision & { readonly epsilon: number; readonly renew: string };
}

/** What is wanted: half a 95 % interval at a share. */
export interface Wanted {
  readonly error: number;
  readonly share: number;
}

/** How many answers are tested together. */
export const testedOf = ({ type, law }: MetricDocument): number => wordsOf(type).tested ?? ('size' in law ? law.size : CANDIDATES);

/** What a law shows with so many devices, of which a share is asked. */
export function precisionOf(law: Law, reports: number, asked: number, tested: number, { error, share }: Wanted): Precision {
  const devices = devicesFor(law, error, share);
  return {
    standardError: standardErrorAt(law, reports, share),
    margin95: marginAt(law, reports, share),
    smallestShare: smallestShare(law, reports, tested),
    devicesForError: devices && Math.ceil(devices / asked),
  };
}

function epsilonFor(metric: MetricDocument, reports: number, { error, share }: Wanted, devices: number): number | null {
  const most = Math.floor(Math.min(HUNDREDTHS, 100 * (metric.permanent?.epsilon ?? Number.POSITIVE_INFINITY)));
  const lawAt = lawsAt(metric, devices);
  const hundredths = least(1, most, (n) => {
    const law = lawAt(n / 100);
    return law !== undefined && marginAt(law, reports, share) <= error;
  });
  return hundredths === null ? null : hundredths / 100;
}

/** More cohorts, where they would help; undefined where the metric has enough, or is no text. */
function suggestionFor(metric: MetricDocument, asked: number, { error, share }: Wanted, devices: number): Cohorts | null | undefined {
  const at = lawsFor(metric, devices);
  if (at === undefined) return undefined;
  const found = cohortsForError(at, error, share);
  if (found === null) return null;
  return found.cohorts > at(devices).cohorts ? { ...found, devices: Math.ceil(found.devices / asked) } : undefined;
}

/** The law of the stored symbol: what the mean of a device's reports tends to, as their number grows. */
export function symbolOf(law: Law): Law {
  if (!('irr' in law)) return law;
  const { irr: _irr, ...first } = law;
  return first;
}

/**
 * The plan of every metric.
 *
 * @param devices how many report, each once on every metric that it is asked
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
