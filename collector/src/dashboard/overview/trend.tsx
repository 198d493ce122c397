// How an answer went, as small as a word: a line with the band of its intervals, and the last change in words.

import type { VNode } from 'preact';
import type { Metric } from '../../api/shown.ts';
import { type Asked, estimatesAddress, fetchSeries, useAnswer } from '../api.ts';
import { daysBetween } from '../format.ts';
import { labelOf } from '../judge.ts';
import { changeInWords, intervalOf, type Point, pointsOf } from './change.ts';
import { inTurn } from './near.ts';

const [WIDTH, HEIGHT, EDGE] = [132, 36, 3];

/** Runs of points without gaps, as places on the picture. */
function runsOf(points: readonly (Point | undefined)[]): readonly (readonly { x: number; y: number; low: number; high: number }[])[] {
  const known = points.flatMap((point) => point ?? []);
  const [least, most] = [Math.min(...known.map(({ low }) => low)), Math.max(...known.map(({ high }) => high))];
  const y = (value: number): number => EDGE + ((most - value) / (most - least || 1)) * (HEIGHT - 2 * EDGE);
  const runs: { x: number; y: number; low: number; high: number }[][] = [[]];
  points.forEach((point, i) => {
    if (point === undefined) runs.push([]);
    else {
      const x = EDGE + (i / (points.length - 1)) * (WIDTH - 2 * EDGE);
      runs.at(-1)?.push({ x, y: y(point.estimate), low: y(point.low), high: y(point.high) });
    }
  });
  return runs.filter((run) => run.length > 0);
}

const places = (list: readonly (readonly [x: number, y: number])[]): string =>
  list.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');

function Sparkline({ points }: { points: readonly (Point | undefined)[] }): VNode {
  const runs = runsOf(points);
  const last = runs.at(-1)?.at(-1);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      {runs.map((run) => (
        <g key={run[0]?.x}>
          <polygon
            points={places([...run.map(({ x, high }) => [x, high] as const), ...run.map(({ x, low }) => [x, low] as const).toReversed()])}
          />
          <polyline points={places(run.map(({ x, y }) => [x, y] as const))} />
        </g>
      ))}
      {last && <circle cx={last.x} cy={last.y} r={2.5} />}
    </svg>
  );
}

interface TrendProps {
  readonly metric: Metric;
  readonly asked: Asked;
  /** First and last day of the reports that are asked for. */
  readonly from: string;
  readonly to: string;
  /** The answer that the row is about; the largest where that is not known. */
  readonly label: string | undefined;
  readonly least: number;
}

export function Trend({ metric, asked, from, to, label, least }: TrendProps): VNode | null {
  const interval = intervalOf(daysBetween(from, to));
  const wanted = { ...asked, interval, top: label === 'true' ? 2 : 1 };
  const address = `${estimatesAddress(metric, asked)} ${interval}`;
  const { value, outdated } = useAnswer(metric, address, (signal) => inTurn(signal, () => fetchSeries(metric, wanted, signal)), least);
  if (value === null) return null;
  const points = pointsOf(value, label);
  const known = points.flatMap((point) => point ?? []);
  const [first] = known;
  if (first === undefined || known.length < 2) return null;
  const last = points.at(-1);
  const change = changeInWords(last, interval, value.unit, metric.unit);
  return (
    <div class={outdated ? 'ask-trend outdated' : 'ask-trend'}>
      <Sparkline points={points} />
      <p class="ask-change">
        {value.unit !== 'value' && <span class="ask-which">{labelOf(first, metric.type)}, </span>}
        {value.unit === 'value' ? `By ${interval}` : `by ${interval}`}
        {change && (last?.change?.isClear ? <strong>{change}</strong> : ` · ${change}`)}
      </p>
    </div>
  );
}
