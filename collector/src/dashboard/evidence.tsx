// The evidence behind a metric's estimates: how many reports, which people and days they describe, how often one device may
// report, who asks and who is asked, and what is reported when nothing was answered. It also says where a filter does not apply.

import type { VNode } from 'preact';
import type { Estimates, Metric } from '../api/shown.ts';
import { marginOf, slotsIn, whomOf } from './explain.ts';
import type { Span } from './filter.ts';
import { count, dayRange, reportCount } from './format.ts';

interface EvidenceProps {
  readonly metric: Metric;
  readonly estimates: Pick<Estimates, 'reports' | 'from' | 'to' | 'among'> | null;
  /** Whether the filter leaves reports out. Without one, estimates may only be older than the list that counts the metric's reports. */
  readonly isFiltered: boolean;
  /** Segments in the filter that this metric does not have. */
  readonly missing: readonly string[];
  /** First and last day over all metrics. A metric's own days are shown only if they differ. */
  readonly span: Span | null;
}

export function Evidence({ metric, estimates, isFiltered, missing, span }: EvidenceProps): VNode {
  const used = estimates?.reports ?? metric.reports;
  const { from, to } = estimates ?? metric;
  const isPart = isFiltered && used < metric.reports;
  const ownDays = from !== span?.from || to !== span?.to;
  return (
    <p class="evidence">
      {isPart ? `${count(used)} of ${reportCount(metric.reports)}` : reportCount(used)}
      {estimates && used > 0 && <span title={marginOf(estimates.among)}> · estimates of {whomOf(estimates.among)}</span>}
      {from && to && ownDays && <span> · {dayRange(from, to)}</span>}
      {metric.unit && <span> · in {metric.unit}</span>}
      {metric.owner && <span> · asked by {metric.owner}</span>}
      {notesOf(metric, missing, from && to ? slotsIn(metric.every, from, to) : 1).map((note) => (
        <span key={note} class="evidence-note">
          {note}
        </span>
      ))}
    </p>
  );
}

function notesOf({ assign, otherwise }: Metric, missing: readonly string[], slots: number): readonly string[] {
  return [
    ...(slots > 1 ? [`In these days a device may answer up to ${count(slots)} times, and each report counts.`] : []),
    ...(otherwise === undefined ? [] : [`No answer counts as “${otherwise}”.`]),
    ...(assign ? ['Each device is asked a random part.'] : []),
    ...missing.map((name) => `Not split by ${name}.`),
  ];
}
