// What needs a look, before any answer: questions whose reports may be fake, broken or missing, and those that never had one. Each is said
// once, with the question to open.

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Metric, Sign } from '../../api/shown.ts';
import { questionPath } from '../address.ts';
import { joined, outlookInWords, signInWords } from '../explain.ts';
import { type Filter, withFilter } from '../filter.ts';
import { count } from '../format.ts';
import { hasFew, keyOf, missingIn, nameOf, signsByMetric, withFinding } from './find.ts';

/** Items that are shown at first. */
const FEW = 4;

interface Item {
  readonly key: string;
  readonly metric: Metric;
  readonly said: string;
}

function itemsOf(metrics: readonly Metric[], signs: readonly Sign[]): readonly Item[] {
  const byMetric = signsByMetric(signs);
  const signed = metrics.flatMap((metric): readonly (Item & { readonly day: string })[] => {
    const [first, ...others] = joined(byMetric.get(keyOf(metric)) ?? []);
    if (first === undefined) return [];
    const more = others.length === 0 ? '' : ` ${others.length === 1 ? 'One more sign' : `${others.length} more signs`} before.`;
    return [{ key: keyOf(metric), metric, day: first.day, said: signInWords(first) + more }];
  });
  const missing = missingIn(metrics).map((metric) => ({
    key: `${keyOf(metric)} missing`,
    metric,
    said: 'No report has ever come, while other questions of this app have reports. Is it recorded?',
  }));
  return [...signed.toSorted((one, other) => (one.day < other.day ? 1 : -1)), ...missing];
}

interface LooksProps {
  readonly metrics: readonly Metric[];
  /** Null until they come. */
  readonly signs: readonly Sign[] | null;
  readonly filter: Filter;
}

export function Looks({ metrics, signs, filter }: LooksProps): VNode | null {
  const [all, setAll] = useState(false);
  if (signs === null) return <p class="looks-none">Looking for fake, broken and missing reports…</p>;
  const items = itemsOf(metrics, signs);
  if (items.length === 0)
    return (
      <p class="looks-none">
        No sign of fake, broken or missing reports. <Few metrics={metrics} filter={filter} />
      </p>
    );
  return (
    <section class="looks" aria-labelledby="looks">
      <h2 id="looks">Needs a look</h2>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list */}
      <ul role="list">
        {items.slice(0, all ? items.length : FEW).map(({ key, metric, said }) => (
          <li key={key} class="look">
            <a href={questionPath(metric, filter)}>{nameOf(metric)}</a>
            <p>{said}</p>
          </li>
        ))}
      </ul>
      {metrics.some(hasFew) && (
        <p class="looks-none">
          <Few metrics={metrics} filter={filter} />
        </p>
      )}
      {items.length > FEW && (
        <button type="button" class="quiet-button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${FEW}` : `Show all ${items.length}`}
        </button>
      )}
    </section>
  );
}

/** Questions with too few reports, and when the first will have enough. */
function Few({ metrics, filter }: Pick<LooksProps, 'metrics' | 'filter'>): VNode | null {
  const few = metrics.filter(hasFew);
  const weeksOf = ({ outlook }: Metric): number => outlook?.weeks ?? Number.POSITIVE_INFINITY;
  const [first, second] = few.toSorted((one, other) => weeksOf(one) - weeksOf(other));
  if (first === undefined) return null;
  const link = <a href={questionPath(first, filter)}>{nameOf(first)}</a>;
  if (second === undefined)
    return (
      <>
        {link} has too few reports yet: {outlookInWords(first)}
      </>
    );
  return (
    <>
      <a href={`./${withFinding(withFilter('', filter), { state: 'few' })}`}>{count(few.length)} questions</a> have too few reports
      {first.outlook?.weeks === null ? (
        ', and at this rate none will have enough.'
      ) : (
        <>
          {' yet. The first to have enough: '}
          {link} {outlookInWords(first)}
        </>
      )}
    </>
  );
}
