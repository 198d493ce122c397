// Finding questions among many: by words of the question, its name, its answers or its owner, by type and by state. The page's address holds
// what was looked for.

import type { Metric, MetricType, Sign } from '../../api/shown.ts';
import { daysBetween } from '../format.ts';

/** Types of questions, in words. */
export const TYPES: Readonly<Record<MetricType, string>> = {
  flag: 'yes or no',
  choice: 'one of a list',
  choices: 'several of a list',
  best: 'best option',
  joint: 'answers together',
  histogram: 'ranges of numbers',
  text: 'text',
  discover: 'text without a list',
  mean: 'average',
  count: 'average count',
  distribution: 'distribution',
};

/** States of questions, in words. */
export const STATES = { look: 'needs a look', few: 'too few reports', reports: 'has reports', none: 'no reports yet' } as const;
type State = keyof typeof STATES;

/** Words, type, state and owner that are looked for. An empty text stands for everything. */
export interface Finding {
  readonly q: string;
  readonly type: string;
  readonly state: string;
  readonly owner: string;
}

const PARTS = ['q', 'type', 'state', 'owner'] as const;

export function findingFromQuery(query: string): Finding {
  const pairs = new URLSearchParams(query);
  const [q = '', type = '', state = '', owner = ''] = PARTS.map((part) => pairs.get(part) ?? '');
  return { q, type, state, owner };
}

/** A query with these parts of a finding instead of its own, and with everything else that it had. */
export function withFinding(query: string, finding: Partial<Finding>): string {
  const pairs = new URLSearchParams(query);
  for (const [part, value] of Object.entries(finding)) {
    if (value === '') pairs.delete(part);
    else pairs.set(part, value);
  }
  return pairs.size === 0 ? '' : `?${pairs}`;
}

export const nameOf = ({ description, metric }: Pick<Metric, 'description' | 'metric'>): string => description || metric;

/** A key of a metric among those of all apps. */
export const keyOf = ({ app, metric }: Pick<Metric, 'app' | 'metric'>): string => `${app} ${metric}`;

/** Signs by the key of their metric. */
export function signsByMetric(signs: readonly Sign[]): ReadonlyMap<string, readonly Sign[]> {
  const all = new Map<string, readonly Sign[]>();
  for (const sign of signs) all.set(keyOf(sign), [...(all.get(keyOf(sign)) ?? []), sign]);
  return all;
}

/** True if the collector foresees when there will be enough reports, and they are too few now. */
export const hasFew = ({ outlook }: Pick<Metric, 'outlook'>): boolean => outlook?.isEnough === false;

function stateOf(metric: Pick<Metric, 'reports' | 'outlook'>, signs: readonly Sign[]): State {
  const { reports } = metric;
  if (signs.length > 0) return 'look';
  if (hasFew(metric)) return 'few';
  return reports > 0 ? 'reports' : 'none';
}

/** Days of reports of an app after which a question without any is missing, and not late. */
const WEEK = 7;

/** Questions of apps whose other questions have had reports for a week. */
export function missingIn(metrics: readonly Metric[]): readonly Metric[] {
  const days = (app: string): number => {
    const all = metrics.filter((metric) => metric.app === app).flatMap(({ from, to }) => (from && to ? [[from, to] as const] : []));
    const [first] = all.map(([from]) => from).toSorted();
    const last = all
      .map(([, to]) => to)
      .toSorted()
      .at(-1);
    return first && last ? daysBetween(first, last) : 0;
  };
  const known = new Map([...new Set(metrics.map(({ app }) => app))].map((app) => [app, days(app)]));
  const isOver = ({ expires }: Metric): boolean => expires !== undefined && expires < new Date().toISOString().slice(0, 10);
  return metrics.filter((metric) => metric.reports === 0 && !isOver(metric) && (known.get(metric.app) ?? 0) >= WEEK);
}

/** Without case and accents. */
const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const texts = new WeakMap<Metric, string>();

/** Everything by which a metric is found. */
function textOf(metric: Metric): string {
  let text = texts.get(metric);
  if (text === undefined) {
    const { app, metric: name, description, owner = '', answers = [], type } = metric;
    text = folded([description, name, app, owner, TYPES[type], ...answers].join('\n'));
    texts.set(metric, text);
  }
  return text;
}

/** The owners of metrics, in order. */
export const ownersOf = (metrics: readonly Metric[]): readonly string[] =>
  [...new Set(metrics.flatMap(({ owner }) => owner ?? []))].toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));

/** The metrics that are looked for: they have every word, and the type, state and owner. */
export function foundIn(
  metrics: readonly Metric[],
  { q, type, state, owner }: Finding,
  signs: ReturnType<typeof signsByMetric>,
): readonly Metric[] {
  const words = folded(q).split(/\s+/).filter(Boolean);
  return metrics.filter(
    (metric) =>
      (type === '' || metric.type === type) &&
      (owner === '' || metric.owner === owner) &&
      (state === '' || stateOf(metric, signs.get(keyOf(metric)) ?? []) === state) &&
      words.every((word) => textOf(metric).includes(word)),
  );
}

/** A finding without the values that nothing here has, and those values in words: an old link may name them. */
export function knownPart(finding: Finding, metrics: readonly Metric[]): { readonly finding: Finding; readonly gone: readonly string[] } {
  const isKnown = {
    type: finding.type === '' || Object.hasOwn(TYPES, finding.type),
    state: finding.state === '' || Object.hasOwn(STATES, finding.state),
    owner: finding.owner === '' || ownersOf(metrics).includes(finding.owner),
  };
  const parts = ['type', 'state', 'owner'] as const;
  const gone = parts.filter((part) => !isKnown[part]);
  return {
    finding: { ...finding, ...Object.fromEntries(gone.map((part) => [part, ''])) },
    gone: gone.map((part) => `${part}: ${finding[part]}`),
  };
}
