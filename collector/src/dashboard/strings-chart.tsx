// Bars of the strings that were found, then in grey the most that each of the others can be; below them what no found string explains.
// Long lists show the top dozen first.

import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Answer, Estimate, MetricType, Strings } from '../api/shown.ts';
import { axisFor, length, position, type Axis as Scale } from './axis.ts';
import { BarRow, Lines } from './bar-row.tsx';
import { Axis } from './chart-axis.tsx';
import { count, decimalsFor, margin, percent } from './format.ts';
import { StringsLegend } from './legend.tsx';
import { keyOf, labelOf } from './order.ts';
import { shownOf } from './strings.ts';
import { useReordering } from './use-reordering.ts';

const AT_FIRST = 12;

interface StringsChartProps {
  readonly strings: Strings;
  readonly type: MetricType;
  readonly title: string;
}

export function StringsChart({ strings, type, title }: StringsChartProps): VNode {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const { found, others, rest } = shownOf(strings);
  const total = found.length + others.length;
  const folds = total > AT_FIRST + 1;
  const most = all || !folds ? total : AT_FIRST;
  const [shown, unclear] = [found.slice(0, most), others.slice(0, Math.max(0, most - found.length))];
  const rows = [...shown, ...unclear];
  useReordering(list, rows.map(keyOf).join('\n'));
  const axis = axisFor(rows, type);
  const decimals = decimalsFor(rows);
  const ofAll = `${count(total)} of ${count(strings.candidates)}`;
  return (
    <div class="chart">
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list */}
      <ul role="list" class="bars" aria-label={`Strings and their estimated shares with 95 % intervals: ${title}`} ref={list}>
        {shown.map((answer) => (
          <BarRow key={keyOf(answer)} answer={answer} label={labelOf(answer, type)} axis={axis} decimals={decimals} isFound />
        ))}
        {unclear.length > 0 && <li class="row-divide">Not told apart from chance</li>}
        {unclear.map((answer) => (
          <UnclearRow key={keyOf(answer)} answer={answer} label={labelOf(answer, type)} axis={axis} decimals={decimals} />
        ))}
      </ul>
      <Axis axis={axis} />
      <StringsLegend found={shown} others={unclear} />
      {rest && found.length > 0 && <Rest rest={rest} note={leftOver(strings, type)} />}
      {folds && (
        <button type="button" class="quiet-button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the top ${AT_FIRST}` : total < strings.candidates ? `Show ${ofAll}` : `Show all ${count(total)}`}
        </button>
      )}
    </div>
  );
}

/** A string that may well not be there: no bar, and the most that it can be. */
function UnclearRow({ answer, label, axis, decimals }: { answer: Answer; label: string; axis: Scale; decimals: number }): VNode {
  const { high, truth } = answer;
  const most = `at most ${percent(high, decimals, Math.ceil)}`;
  return (
    <li class="row row-unclear" title={`${label}: not told apart from chance, ${most}`}>
      <span class="row-label" dir="auto">
        {label}
      </span>
      <span class="track" aria-hidden="true">
        <Lines axis={axis} />
        {truth !== undefined && <span class="truth" style={{ left: position(axis, truth) }} />}
        <span class="reach" style={{ left: position(axis, 0), width: length(axis, high) }} />
      </span>
      <span class="row-value">
        <span class="row-margin">{most}</span>
      </span>
    </li>
  );
}

/** What strings are not found. */
function leftOver({ found, candidates }: Strings, type: MetricType): string {
  if (type === 'discover') return 'Strings that are each too rare to be told apart from chance.';
  return found < candidates ? 'Strings that are on no list, and listed ones that are too rare to find.' : 'Strings that are on no list.';
}

/** What none of the found strings explains. */
function Rest({ rest, note }: { rest: Estimate; note: string }): VNode {
  const decimals = decimalsFor([rest]);
  return (
    <p class="rest">
      Everything else: <strong>{percent(rest.estimate, decimals)}</strong> ± {margin(rest, decimals)}
      <span class="rest-note">{note}</span>
    </p>
  );
}
