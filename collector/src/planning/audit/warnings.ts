/** Warnings about risks that ε does not cover: participation, segments, storage. The threat model has the complete list. */

import { lnUp, type MetricDocument, mechanismOf, type SchemaDocument } from '@murmuration/shared';
import { presentationOf } from '../../estimation/questions/table.ts';
import { percent, posteriorOf } from './posterior.ts';
import type { Spending } from './spending.ts';

/** A warning of the audit. */
export interface Warning {
  readonly kind: 'large-epsilon' | 'unlisted-sends-nothing' | 'participation-visible' | 'segments-in-clear' | 'few-in-a-group' | 'storage';
  /** The metrics or segments concerned. */
  readonly about: readonly string[];
  readonly words: string;
}

/** The number of groups that the segments distinguish. */
export const combinationsOf = ({ segments = {} }: SchemaDocument): number =>
  Object.values(segments).reduce((product, { length }) => product * length, 1);

/**
 * The devices that are expected in one group: those with the same segments and the same cohort, if all groups are equally large. The
 * collector keeps the sums of each group apart, by day.
 */
export function devicesInGroup(document: SchemaDocument, { law }: MetricDocument): number {
  return Math.floor(document.devices / (combinationsOf(document) * mechanismOf(law).shape(law).cohorts));
}

/** With fewer devices in a group than this, most days have none or one of them. */
const FEW = 30;

/** The metrics whose groups have so few devices that sums may be single reports. */
function fewInGroup(document: SchemaDocument): readonly Warning[] {
  const few = Object.entries(document.metrics).flatMap(([name, metric]) => {
    const devices = devicesInGroup(document, metric);
    return devices < FEW ? [{ name, devices }] : [];
  });
  if (few.length === 0) return [];
  const each = few.map(({ name, devices }) => `${name} (${devices < 1 ? 'less than one' : devices})`).join(', ');
  const words = `few devices in a group: of ${document.devices} expected devices, so many have the same segments and cohort: ${each}. A sum over so few is often a single report, and what protects it is ε alone. A permanent metric keeps its cohort for an epoch, so the sums of a small group follow its devices from day to day.`;
  return [{ kind: 'few-in-a-group', about: few.map(({ name }) => name), words }];
}

/** Above this ε, one report of a flag is the true answer nineteen times out of twenty. */
const LARGE = 3;

/** What one report with a large ε reveals, for each metric that has one. */
function largeEpsilon({ metrics }: SchemaDocument, spending: Spending): readonly Warning[] {
  const large = spending.metrics.filter(({ report }) => Number(report.epsilon) > LARGE);
  if (large.length === 0) return [];
  const each = large.map(({ metric, report: { odds } }) => {
    const most = posteriorOf(metrics[metric] as MetricDocument, odds);
    return `${metric} (ε ${lnUp(odds, 3)}${most ? `: the true answer with a probability of up to ${percent(most)}` : ''})`;
  });
  const words = `large ε: above ${LARGE} a report hides little. One report may tell ${each.join(', ')}. Ask with a smaller epsilon.`;
  return [{ kind: 'large-epsilon', about: large.map(({ metric }) => metric), words }];
}

/** The warnings for a schema. */
export function warningsOf(document: SchemaDocument, spending: Spending): readonly Warning[] {
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
    words: `segments are sent in clear: ${segments.join(', ')} put each device into one of ${combinationsOf(document)} groups, with no randomness. Nothing private may stand in one.`,
  };
  const lists = Object.entries(document.metrics).flatMap(([name, metric]) =>
    presentationOf(metric.type).isUnlistedSilent?.(metric) ? [name] : [],
  );
  const unlisted: Warning = {
    kind: 'unlisted-sends-nothing',
    about: lists,
    words: `unlisted answers send nothing: of ${lists.join(', ')} an answer, a part of one or an input that is not listed records nothing, so a report tells by being there that all was listed. Where users can cause one, give the list an \`other\`: \`other: true\` for choice and choices, an entry that the app maps to for joint and best.`,
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
    ...fewInGroup(document),
    storage,
  ];
}
