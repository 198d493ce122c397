// Bars with whiskers on one axis, as a list that also reads well in a screen reader. Long lists show the top dozen first.
// Each row has its numbers as text, so the drawing itself is hidden from screen readers.

import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Answer, MetricType } from '../api/shown.ts';
import { views } from '../api/shown.ts';
import { axisFor } from './axis.ts';
import { BarRow } from './bar-row.tsx';
import { Axis } from './chart-axis.tsx';
import { count, decimalsFor } from './format.ts';
import { Legend } from './legend.tsx';
import { inOrder, keyOf, labelOf } from './order.ts';
import { useReordering } from './use-reordering.ts';

const AT_FIRST = 12;

interface ChartProps {
  readonly answers: readonly Answer[];
  readonly type: MetricType;
  readonly title: string;
  /** What the answers leave out. */
  readonly note?: string | undefined;
}

export function Chart({ answers, type, title, note }: ChartProps): VNode {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const ordered = inOrder(answers, type);
  // A histogram is never cut short. Thirteen answers are all shown, rather than hiding one behind a button.
  const folds = views[type] !== 'scale' && ordered.length > AT_FIRST + 1;
  const shown = all || !folds ? ordered : ordered.slice(0, AT_FIRST);
  useReordering(list, shown.map(keyOf).join('\n'));
  const axis = axisFor(shown, type);
  const decimals = decimalsFor(shown);
  return (
    <div class="chart">
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list */}
      <ul role="list" class="bars" aria-label={`Estimated shares with 95 % intervals: ${title}`} ref={list}>
        {shown.map((answer) => (
          <BarRow key={keyOf(answer)} answer={answer} label={labelOf(answer, type)} axis={axis} decimals={decimals} />
        ))}
      </ul>
      <Axis axis={axis} />
      <Legend answers={shown} />
      {note && <p class="note">{note}</p>}
      {folds && (
        <button type="button" class="quiet-button" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the top ${AT_FIRST}` : `Show all ${count(ordered.length)}`}
        </button>
      )}
    </div>
  );
}
