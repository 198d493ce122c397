/** The tasks of the estimates thread, as plain data, and their answers from the tallies. */

import { isPrefixLaw } from '@murmuration/shared';
import type { Evidence } from '../estimation/tally.ts';
import type { PublishedMetric } from '../schemas/catalog.ts';
import type { DayRange, PartsReader, Selection, TallyReader } from '../storage/store.ts';
import { association } from './association.ts';
import { compare } from './compare.ts';
import type { Wording } from './differences.ts';
import { type EstimateRequest, type EstimateSettings, estimate, type Truth } from './estimates.ts';
import { type PackedAnswer, pack } from './packed-answer.ts';
import { seriesOf } from './series.ts';
import { type Totals, totalKey } from './summary.ts';

/** A metric, and which of its reports are meant. */
export interface Selected {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document' | 'about' | 'devices' | 'schemas'>;
  readonly range: Pick<Selection, 'from' | 'to' | 'exclude' | 'segment'>;
}

/** How estimates are made. Without candidates, those of the collector are looked for. */
interface TaskSettings extends Omit<EstimateSettings, 'candidates'> {
  readonly candidates?: readonly string[];
}

/** The estimates of one selection. */
interface EstimatesTask {
  readonly kind: 'estimates';
  readonly of: readonly [Selected];
  readonly settings: TaskSettings;
  /** The true shares by label, known only in demonstrations. */
  readonly shares?: ReturnType<Truth>;
}

/** The estimates of each part of a selection. */
interface SeriesTask {
  readonly kind: 'series';
  readonly of: readonly [Selected];
  readonly settings: TaskSettings;
  readonly parts: readonly DayRange[];
  readonly top: number;
}

/** How a string goes with lists, in one selection. */
interface AssociationTask {
  readonly kind: 'association';
  readonly of: readonly [Selected];
  readonly settings: TaskSettings;
}

/** The differences between two selections. */
interface CompareTask {
  readonly kind: 'compare';
  readonly of: readonly [a: Selected, b: Selected];
  readonly settings: TaskSettings;
  readonly wording: Wording;
  /** True if the sides are the arms of an experiment. */
  readonly experiment: boolean;
  /** The level of all that it says, where it is one of several metrics. */
  readonly level?: number;
}

export type Task = EstimatesTask | SeriesTask | AssociationTask | CompareTask;

/** The strings that are looked for in text metrics, by metric name. */
export type Candidates = ReadonlyMap<string, readonly string[]>;

/** True if strings must be discovered before a task can be answered. */
export function searchesFirst({ kind, of: [{ metric }], settings }: Task, lists: Candidates): boolean {
  const { length } = settings.candidates ?? lists.get(metric.metric) ?? [];
  return (kind === 'series' || kind === 'compare') && isPrefixLaw(metric.document.law) && length === 0;
}

/** Reads what a selection holds. */
async function gather(
  reader: TallyReader,
  { metric, range }: Selected,
  settings: TaskSettings,
  lists: Candidates,
): Promise<EstimateRequest> {
  const evidence = await reader.read({ schemas: metric.schemas, metric: metric.metric, ...range });
  return { ...settings, candidates: settings.candidates ?? lists.get(metric.metric) ?? [], metric, evidence };
}

/** Answers a task. */
export async function perform(task: Task, reader: PartsReader, lists: Candidates): Promise<PackedAnswer> {
  const { settings } = task;
  if (task.kind === 'compare') {
    const [a, b] = task.of;
    const compared = compare(
      await gather(reader, a, settings, lists),
      await gather(reader, b, settings, lists),
      task.wording,
      task.experiment,
      task.level,
    );
    return pack('differences', compared.differences, compared.comparison);
  }
  const [selected] = task.of;
  if (task.kind === 'association') {
    const found = association(await gather(reader, selected, settings, lists));
    return pack('strings', found.strings, found.association);
  }
  if (task.kind === 'series') {
    const { metric, range } = selected;
    const { from: _from, to: _to, ...within } = range;
    const found = await reader.readParts({ schemas: metric.schemas, metric: metric.metric, ...within }, task.parts);
    const parts = task.parts.map((days, i) => ({ ...days, evidence: found[i] as Evidence }));
    const candidates = settings.candidates ?? lists.get(metric.metric) ?? [];
    const { series, points } = seriesOf({ ...settings, candidates, metric, parts, top: task.top });
    return pack('points', points, series);
  }
  const { answers, ...fields } = estimate({
    ...(await gather(reader, selected, settings, lists)),
    ...(task.shares && { shares: task.shares }),
  });
  return pack('answers', answers, fields);
}

/** Cache key of the answer to a task. */
interface Asked {
  readonly of: readonly Selected[];
}

/** The versions of the tallies of a task's metrics. */
export const versionsOf = ({ of }: Asked, totals: Totals): string =>
  JSON.stringify(of.map(({ metric }) => metric.schemas.map((schema) => totals.get(totalKey(schema, metric.metric))?.version)));

/** The task, and the versions of its metrics' tallies. */
export const keyOf = (task: Asked, totals: Totals): string => `${JSON.stringify(task)} ${versionsOf(task, totals)}`;
