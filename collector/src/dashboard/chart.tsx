// Bars with whiskers on one axis, as a list that also reads well in a screen reader. Long lists show the top dozen first.
// Each row has its numbers as text, so the drawing itself is hidden from screen readers.

import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Answer, type Distribution, type MetricType, views } from '../api/shown.ts';
import { bucketInWords, count, decimalsFor, decimalsForValue, ends, endsOfValue, figure, margin, percent } from './format.ts';
import { axisFor, inOrder, keyOf, labelOf, length, position, type Axis as Scale } from './judge.ts';

// The scale below the bars: a figure under each line.
// Hidden from screen readers, which have every number in the rows.

export function Axis({ axis }: { axis: Scale }): VNode {
  return (
    <div class="axis" aria-hidden="true">
      <span class="axis-track">
        {axis.ticks.map((tick) => (
          <span key={tick.toFixed(6)} class="axis-tick" style={{ left: position(axis, tick) }}>
            {percent(tick, axis.decimals)}
          </span>
        ))}
      </span>
    </div>
  );
}

// Explains the marks of a chart, and only those that it shows,
// so that a card copied onto a slide still explains itself.

function Legend({ answers }: { answers: readonly Answer[] }): VNode {
  const filled = answers.some(({ low }) => low > 0);
  const open = answers.some(({ low }) => low <= 0);
  const truth = answers.some((answer) => answer.truth !== undefined);
  return (
    <p class="legend" aria-hidden="true">
      {filled && <Key mark="bar" text="estimate" />}
      {open && <Key mark="open" text="estimate that may be zero" />}
      <Key mark="whisker" text="95 % interval" />
      {truth && <Key mark="truth" text="true share of the reports (demo only)" />}
    </p>
  );
}

/** The legend of a chart of strings. */
export function StringsLegend({ found, others }: { found: readonly Answer[]; others: readonly Answer[] }): VNode {
  return (
    <p class="legend" aria-hidden="true">
      {found.length > 0 && <Key mark="bar" text="found" />}
      {found.length > 0 && <Key mark="whisker" text="95 % interval" />}
      {others.length > 0 && <Key mark="reach" text="not told apart from chance: at most this much" />}
      {[...found, ...others].some(({ truth }) => truth !== undefined) && <Key mark="truth" text="true share of the reports (demo only)" />}
    </p>
  );
}

export function Key({ mark, text }: { mark: string; text: string }): VNode {
  return (
    <span class="key">
      <span class={`key-mark key-${mark}`} />
      {text}
    </span>
  );
}

// Animates rows to their new positions when the order of a list changes, each from its previous position
// (FLIP: first, last, invert, play). People who prefer reduced motion see the new order at once.

const GLIDE: KeyframeAnimationOptions = { duration: 500, easing: 'cubic-bezier(0.2, 0, 0, 1)' };

export function useReordering(list: RefObject<HTMLElement | null>, order: string): void {
  const tops = useRef(new Map<Element, number>());
  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const now = new Map<Element, number>();
    for (const row of list.current?.children ?? []) {
      if (!(row instanceof HTMLElement)) continue;
      const top = row.offsetTop;
      const distance = (tops.current.get(row) ?? top) - top;
      if (distance !== 0 && !still) row.animate([{ transform: `translateY(${distance}px)` }, { transform: 'none' }], GLIDE);
      now.set(row, top);
    }
    tops.current = now;
  }, [order]);
}

// One answer: its name, a bar from zero to the estimate, whiskers from low to high, and the same in figures.
// A bar is hollow while its interval contains zero, because the answer may not occur at all.

interface BarRowProps {
  readonly answer: Answer;
  readonly label: string;
  readonly axis: Scale;
  readonly decimals: number;
  /** True if it is a string that was found: it is there, and if its interval reaches zero, the most that it can be is what is known. */
  readonly isFound?: boolean;
}

export function BarRow({ answer, label, axis, decimals, isFound = false }: BarRowProps): VNode {
  const { estimate, low, high, truth } = answer;
  const title = `${label}: ${percent(estimate, decimals)}, 95 % interval ${ends(answer, decimals, 'to')}`;
  return (
    <li class={low <= 0 ? 'row row-open' : 'row'} title={title}>
      <span class="row-label" dir="auto">
        {label}
      </span>
      <span class="track" aria-hidden="true">
        <Lines axis={axis} />
        <span class="bar" style={{ left: position(axis, Math.min(0, estimate)), width: length(axis, Math.abs(estimate)) }} />
        {truth !== undefined && <span class="truth" style={{ left: position(axis, truth) }} />}
        <span class="whisker" style={{ left: position(axis, low), width: length(axis, high - low) }} />
      </span>
      <span class="row-value">
        {isFound && low <= 0 ? (
          <span class="row-estimate">at most {percent(high, decimals, Math.ceil)}</span>
        ) : (
          <>
            <span class="row-estimate">{percent(estimate, decimals)}</span>
            <span class="row-margin"> ± {margin(answer, decimals)}</span>
          </>
        )}
      </span>
    </li>
  );
}

/** The lines of the axis behind a row. */
export function Lines({ axis }: { axis: Scale }): VNode {
  return (
    <>
      {axis.ticks.map((tick) => (
        <span key={tick.toFixed(6)} class={Math.abs(tick) < 1e-9 ? 'line line-zero' : 'line'} style={{ left: position(axis, tick) }} />
      ))}
    </>
  );
}

const AT_FIRST = 12;

interface ChartProps {
  readonly answers: readonly Answer[];
  readonly type: MetricType;
  readonly title: string;
  /** Note about answers that are left out. */
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

// A distribution: a column for each cell, as high as its smoothed share, with the positions of its middle half and its
// mean and their intervals. Columns have no intervals; the table of details has shares that do.

const shapeOf = ({ smoothed, estimate }: Answer): number => smoothed ?? Math.max(0, estimate);

/** The ends of a column's band; none where the shares are not smoothed. */
const bandOf = ({ smoothedLow: low, smoothedHigh: high }: Answer): { readonly low: number; readonly high: number } | undefined =>
  low === undefined || high === undefined ? undefined : { low, high };

/** The columns. */
export function Density({
  answers,
  distribution,
  title,
}: {
  answers: readonly Answer[];
  distribution: Distribution;
  title: string;
}): VNode {
  const highest = Math.max(...answers.map((answer) => bandOf(answer)?.high ?? shapeOf(answer))) || 1;
  const tall = (share: number): string => `${(100 * share) / highest}%`;
  const { mean, quantiles } = distribution;
  const decimals = decimalsForValue(mean);
  return (
    <div class="density">
      <div class="density-columns" role="img" aria-label={`Estimated distribution: ${title}`}>
        {answers.map((answer) => {
          const band = bandOf(answer);
          const said = `${bucketInWords(answer.label)}: ${percent(shapeOf(answer), 1)}${band ? `, band ${ends(band, 1, 'to')}` : ''}`;
          return (
            <span key={answer.label} class="density-column" title={said}>
              <span class="density-bar" style={{ height: tall(shapeOf(answer)) }} />
              {band && <span class="density-band" style={{ bottom: tall(band.low), height: tall(band.high - band.low) }} />}
            </span>
          );
        })}
      </div>
      <p class="density-ends">
        <span>{bucketInWords(answers[0]?.label ?? '')}</span>
        <span>{bucketInWords(answers.at(-1)?.label ?? '')}</span>
      </p>
      {answers.some(bandOf) && (
        <p class="note">The lines on the columns show how far off they may be: 95&nbsp;% of the columns are within them.</p>
      )}
      <dl class="facts">
        <div>
          <dt>mean</dt>
          <dd>
            {figure(mean.estimate, decimals)}, 95&nbsp;% interval {endsOfValue(mean, decimals, 'to')}
          </dd>
        </div>
        {quantiles.map((quantile) => (
          <div key={quantile.level}>
            <dt>{percent(quantile.level, 0)} lie below</dt>
            <dd>
              {figure(quantile.estimate, decimals)}, 95&nbsp;% interval {endsOfValue(quantile, decimals, 'to')}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
