/** Warnings about risks that ε does not cover: participation, segments, storage. The threat model has the complete list. */

import { LARGE_EPSILON, lnUp, type MetricDocument, type SchemaDocument } from '@murmuration/shared';
import { presentationOf } from '../../estimation/questions.ts';
import { combinationsOf, type Linkability, linkabilityOf } from './linkability.ts';
import { percent, posteriorOf } from './posterior.ts';
import { type Spending, upTo3 } from './spending.ts';

/** A warning of the audit. */
export interface Warning {
  readonly kind: 'large-epsilon' | 'unlisted-sends-nothing' | 'participation-visible' | 'segments-in-clear' | 'linkable' | 'storage';
  /** The metrics or segments concerned. */
  readonly about: readonly string[];
  readonly words: string;
}

/** Above this share of linked batches, the audit warns. */
const LINKED = 0.01;

/** How often batches of two days are joined, and by what. */
export function linkageWords({ segments = {}, reports, assign }: SchemaDocument, { devices, linked, by }: Linkability): string {
  const shown = [
    ...Object.keys(segments),
    ...(reports === 'together' && assign ? ['the metrics that are asked'] : []),
    ...by.map((metric) => `the public part of ${metric}`),
  ];
  return `${(100 * linked).toPrecision(linked > 0.99 ? 3 : 2)} % of the batches of a day can be joined to the batch of their device of an earlier day, if ${devices.toLocaleString('en')} devices report on a day. It takes a guess among the batches that show the same: ${shown.join(', ') || 'nothing that stays'}.`;
}

function linkable(document: SchemaDocument, linkability: Linkability): readonly Warning[] {
  if (linkability.linked <= LINKED) return [];
  const alone = document.reports === 'together' ? ", or `reports: 'alone'`" : '';
  const words = `linkable: ${linkageWords(document, linkability)} ε does not bound this, because no answer is in it. Have fewer segments and cohorts, or more devices${alone}.`;
  return [{ kind: 'linkable', about: linkability.by, words }];
}

/** Warnings about reports with a large ε: one, for each metric that has one, and all of a month. */
function largeEpsilon({ metrics }: SchemaDocument, spending: Spending): readonly Warning[] {
  const large = spending.metrics.filter(({ report }) => Number(report.epsilon) > LARGE_EPSILON.report);
  const monthly: readonly Warning[] =
    Number(spending.month) > LARGE_EPSILON.month
      ? [
          {
            kind: 'large-epsilon',
            about: [],
            words: `large ε: above ${LARGE_EPSILON.month} a month all reports together hide little. Any 30 days spend ε ${upTo3(spending.month)}. Ask less, less often, or under \`assign\`.`,
          },
        ]
      : [];
  if (large.length === 0) return monthly;
  const each = large.map(({ metric, report: { odds } }) => {
    const most = posteriorOf(metrics[metric] as MetricDocument, odds);
    return `${metric} (ε ${lnUp(odds, 3)}${most ? `: the true answer with a probability of up to ${percent(most)}` : ''})`;
  });
  const words = `large ε: above ${LARGE_EPSILON.report} a report hides little. One report may tell ${each.join(', ')}. Ask with a smaller epsilon.`;
  return [{ kind: 'large-epsilon', about: large.map(({ metric }) => metric), words }, ...monthly];
}

/** The warnings for a schema. */
export function warningsOf(
  document: SchemaDocument,
  spending: Spending,
  linkability: Linkability = linkabilityOf(document),
): readonly Warning[] {
  const visible = Object.entries(document.metrics).flatMap(([name, { otherwise }]) => (otherwise === undefined ? [name] : []));
  const segments = Object.keys(document.segments ?? {});
  const participation: Warning = {
    kind: 'participation-visible',
    about: visible,
    words: `participation visible: that a device answers ${visible.join(', ')}, and on which day, is no secret. A metric may be recorded on an event; then its presence tells of the event. Give each an \`otherwise\`, or record it on a schedule, whatever happened.`,
  };
  const clear: Warning = {
    kind: 'segments-in-clear',
    about: segments,
    words: `segments are sent in clear: ${segments.join(', ')} put each device into one of ${combinationsOf(document)} groups, with no randomness. A segment may hold nothing private.`,
  };
  const lists = Object.entries(document.metrics).flatMap(([name, metric]) =>
    presentationOf(metric.type).isUnlistedSilent?.(metric) ? [name] : [],
  );
  const unlisted: Warning = {
    kind: 'unlisted-sends-nothing',
    about: lists,
    words: `unlisted answers send nothing: of ${lists.join(', ')} an answer, a part of one or an input that is not listed records nothing, so a report reveals by its presence that all was listed. Where users can cause one, give the list an \`other\`: \`other: true\` for choice and choices, an entry that the app maps to for joint and best.`,
  };
  const storage: Warning = {
    kind: 'storage',
    about: [],
    words:
      'storage bounds the promise: an installation is one life of the storage of one origin and app name. One whose storage was erased, each further one of a person, and a renamed app have a budget of their own; a clock that is set forward opens slots before their time.',
  };
  return [
    ...largeEpsilon(document, spending),
    ...(lists.length > 0 ? [unlisted] : []),
    ...(visible.length > 0 ? [participation] : []),
    ...(segments.length > 0 ? [clear] : []),
    ...linkable(document, linkability),
    storage,
  ];
}
