/** What the estimates thread is asked, as plain data, and how it answers from the tallies. */

import type { PublishedMetric } from '../schemas/catalog.ts';
import type { Selection, TallyReader } from '../store/store.ts';
import { type EstimateSettings, estimate, type MetricEstimates, type Truth } from './estimates.ts';
import { type PackedAnswer, pack } from './packed-answer.ts';

/** A metric, and which of its reports are meant. */
export interface Selected {
  readonly metric: Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'document' | 'schemas'>;
  readonly range: Pick<Selection, 'from' | 'to' | 'segment'>;
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

export type Task = EstimatesTask;

/** The strings that are looked for in text metrics, by metric name. */
export type Candidates = ReadonlyMap<string, readonly string[]>;

/** The settings of an estimate of a metric. */
const settingsOf = ({ metric }: Selected, settings: TaskSettings, candidates: Candidates): EstimateSettings => ({
  ...settings,
  candidates: settings.candidates ?? candidates.get(metric.metric) ?? [],
});

/** Estimates one selection. */
async function estimatesOfSelected(
  reader: TallyReader,
  { metric, range }: Selected,
  settings: EstimateSettings,
  shares?: ReturnType<Truth>,
): Promise<MetricEstimates> {
  const evidence = await reader.read({ schemas: metric.schemas, metric: metric.metric, ...range });
  return estimate({ ...settings, metric, evidence, ...(shares && { shares }) });
}

/** Answers a task. */
export async function perform(task: Task, reader: TallyReader, candidates: Candidates): Promise<PackedAnswer> {
  const [selected] = task.of;
  const { answers, ...fields } = await estimatesOfSelected(reader, selected, settingsOf(selected, task.settings, candidates), task.shares);
  return pack('answers', answers, fields);
}
