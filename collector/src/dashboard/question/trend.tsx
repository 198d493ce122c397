// Estimates over time as a picture: a line with the band of its 95 % intervals for each answer, one above the other on one scale. A comparison draws
// both sides. A click on a day leaves it out; the slider below the picture does the same by keyboard and by touch.

import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Series } from '../../api/shown.ts';
import { DAY_MS } from '../../base/days.ts';
import { Key } from '../chart.tsx';
import { dayRange, figure, percent, shortDay, wrapped } from '../format.ts';
import { type Axis, axisOver, labelOf } from '../judge.ts';
import { keyOf, LANE, type Marked, marksOn, type PlacedMark, placed } from './marks.ts';
import {
  answerAt,
  type Drawn,
  type Line as Followed,
  linesOf,
  MarkList,
  type PointAnswer,
  pointsOf,
  Reading,
  type SeriesPoint,
} from './reading.tsx';
import { daysIn, type Sides } from './view.ts';

interface TrendProps extends Marked {
  /** One series, or the two that are compared, b first. */
  readonly drawn: Drawn;
  /** Set where two periods are compared. */
  readonly sides: Sides | null;
  /** Leaves days out, or puts them back. Absent where that can't be chosen. */
  readonly onToggle?: (days: readonly string[]) => void;
}

// Geometry. Days lie along; a point that stands for a week or a month lies in its middle.

const LEFT = 52;
const RIGHT = 14;
/** Room above the lowest lane of labels. */
const TOP = 22;
/** Room between two panels, and for each line of the name of one. */
const GAP = 14;
const NAME = 17;
const FOOT = 28;
interface Plot {
  readonly width: number;
  /** Height of each panel, without the space above it. */
  readonly height: number;
  /** Where the highest panel begins, with its name. */
  readonly top: number;
  readonly axis: Axis;
  readonly xOf: (day: string) => number;
  /** Width of a day. */
  readonly step: number;
}

const middleOf = ({ from, to }: SeriesPoint): string => new Date((Date.parse(from) + Date.parse(to)) / 2).toISOString();

/**
 * The scale of all lines. It holds every estimate and most of the bands: a day with few reports has a band that would flatten all others, and is
 * cut where the plot ends.
 */
function axisOf(series: readonly Series[], labels: readonly string[]): Axis {
  const all = series.flatMap(({ points }) => points.flatMap(({ answers }) => answers.filter(({ label }) => labels.includes(label))));
  const most = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(0.8 * values.length)] ?? 0;
  const estimates = all.map(({ estimate }) => estimate);
  const top = Math.max(most(all.map(({ high }) => high)), ...estimates);
  const bottom = Math.min(-most(all.map(({ low }) => -low)), ...estimates);
  // Zero is on the scale unless all of it lies far above.
  return axisOver(bottom > 0.6 * top ? bottom : Math.min(0, bottom), Math.max(top, bottom + 1e-9));
}

/** The width of an element, which follows the page. */
function useWidth(): readonly [ref: { current: HTMLDivElement | null }, width: number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(720);
  useLayoutEffect(() => {
    if (!ref.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.max(240, Math.round(entry.contentRect.width))));
    setWidth(Math.max(240, Math.round(ref.current.getBoundingClientRect().width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

export function Trend({ drawn, sides, onToggle, ...marked }: TrendProps): VNode | null {
  const { metric, exclude } = marked;
  const [ref, width] = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const [{ series }] = drawn;
  const points = pointsOf(drawn);
  const lines = linesOf(drawn, metric);
  const [first, last] = [points[0]?.from, points.at(-1)?.to];
  if (first === undefined || last === undefined || lines.length === 0) return null;
  const isValue = series.unit === 'value';
  const days = daysIn(first, last).length;
  const step = (width - LEFT - RIGHT) / days;
  const height = lines.length > 1 ? 96 : width < 560 ? 200 : 260;
  const axis = axisOf(
    drawn.map((each) => each.series),
    lines.map(({ label }) => label),
  );
  const xOf = (day: string): number => LEFT + ((Date.parse(day) - Date.parse(first)) / DAY_MS + 0.5) * step;
  const marks = marksOn(points, marked);
  const inLanes = placed(marks, ({ kind, day }) => xOf(day) - (kind === 'sign' ? 0 : step / 2), width);
  const top = TOP + LANE * Math.max(0, ...inLanes.map(({ lane = 0 }) => lane));
  const plot: Plot = { width, height, top, axis, xOf, step };
  const nameOf = (line: Followed): string =>
    isValue ? ['Mean', ...(metric.unit ? [metric.unit] : [])].join(', ') : labelOf(line, metric.type);
  const names = lines.map((line) => wrapped(nameOf(line), width - LEFT - RIGHT));
  const spaces = names.map(({ length }, i) => length * NAME + (i > 0 ? GAP : 0));
  const topOf = (i: number): number => top + i * height + spaces.slice(0, i + 1).reduce((sum, space) => sum + space, 0);
  const total = topOf(lines.length - 1) + height + FOOT;
  const chosen = at === null ? undefined : points[Math.min(at, points.length - 1)];
  const toggle = onToggle && ((point: SeriesPoint): void => onToggle(daysIn(point.from, point.to)));
  const indexAt = (event: MouseEvent & { readonly currentTarget: Element }): number => {
    const day = (event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT) / step;
    const found = points.findIndex(({ to }) => (Date.parse(to) - Date.parse(first)) / DAY_MS >= Math.floor(day));
    return found < 0 ? points.length - 1 : found;
  };
  const title = `${metric.description || metric.metric}: ${drawn.map(({ name }) => name).join(' and ')} from ${dayRange(first, last)}, with 95 % intervals. The numbers are in the table.`;
  return (
    <div class="trend" ref={ref}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the slider below does the same by keyboard */}
      <svg
        role="img"
        aria-label={title}
        width={width}
        height={total}
        viewBox={`0 0 ${width} ${total}`}
        onPointerMove={(event) => event.pointerType === 'mouse' && setAt(indexAt(event))}
        onClick={(event) => {
          const index = indexAt(event);
          const point = points[index];
          // The first tap of a finger shows a day, as the mouse does by pointing.
          if (point && index === at) toggle?.(point);
          setAt(index);
        }}
      >
        <Marks plot={plot} bottom={total - FOOT} points={points} marks={inLanes} exclude={exclude} />
        {sides && <Periods plot={plot} sides={sides} first={first} last={last} y={total - FOOT} />}
        {lines.map(({ label }, i) => (
          <Panel key={label} name={names[i] ?? []} label={label} top={topOf(i)} plot={plot} drawn={drawn} isValue={isValue} />
        ))}
        <Days plot={plot} first={first} days={days} y={total - FOOT + 20} />
        {chosen && <line data-aside class="trend-cursor" {...vertical(xOf(middleOf(chosen)), top, total - FOOT)} />}
      </svg>
      <TrendLegend drawn={drawn} lines={lines} exclude={exclude} />
      <MarkList marks={marks} />
      <Reading drawn={drawn} lines={lines} metric={metric} exclude={exclude} at={at} onAt={setAt} {...(toggle && { onToggle: toggle })} />
    </div>
  );
}

const vertical = (x: number, y1: number, y2: number) => ({ x1: x, x2: x, y1, y2 });

const CLASSES = {
  sign: ['trend-sign', 'trend-sign-name'],
  version: ['trend-release', 'trend-name'],
  note: ['trend-note', 'trend-name'],
} as const;

/** Marks of days, and days that are left out. */
function Marks({
  plot: { xOf, step, top },
  bottom,
  points,
  marks,
  exclude,
}: {
  plot: Plot;
  bottom: number;
  points: readonly SeriesPoint[];
  marks: readonly PlacedMark[];
  exclude: readonly string[];
}): VNode {
  const isDrawn = (day: string): boolean => points.some(({ from, to }) => from <= day && day <= to);
  return (
    <>
      {exclude.filter(isDrawn).map((day) => (
        <rect key={day} class="trend-out" x={xOf(day) - step / 2} y={top} width={Math.max(3, step)} height={bottom - top} />
      ))}
      {marks.map(({ mark, x, label, left, lane }) => {
        const [line, name] = CLASSES[mark.kind];
        return (
          <g key={keyOf(mark)}>
            <line class={line} {...vertical(x, top - 4 - LANE * (lane ?? 0), bottom)} />
            {lane !== undefined && (
              <text class={name} x={x} y={top - 8 - LANE * lane} text-anchor={left < x ? 'end' : 'start'}>
                {label}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** The days of both sides, as bars below the plot. */
function Periods({
  plot: { xOf, step },
  sides,
  first,
  last,
  y,
}: {
  plot: Plot;
  sides: Sides;
  first: string;
  last: string;
  y: number;
}): VNode {
  return (
    <>
      {(['a', 'b'] as const).map((end) => {
        const { from = first, to = last } = sides[end];
        const [x, right] = [xOf(from > first ? from : first) - step / 2, xOf(to < last ? to : last) + step / 2];
        return (
          <g key={end} class={end === 'a' ? 'trend-other' : ''}>
            <rect class="trend-side" x={x} y={y + 1} width={Math.max(0, right - x - 1)} height={4} />
            <text class="trend-answer" x={(x + right) / 2} y={y - 6} text-anchor="middle">
              {end.toUpperCase()}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** The days below the plot, as many as there is room for. */
function Days({ plot: { xOf, width }, first, days, y }: { plot: Plot; first: string; days: number; y: number }): VNode {
  const room = Math.max(1, Math.floor((width - LEFT - RIGHT) / 84));
  const every = Math.max(1, Math.ceil(days / room));
  const named = daysIn(first, new Date(Date.parse(first) + (days - 1) * DAY_MS).toISOString().slice(0, 10)).filter(
    (_, i) => i % every === 0,
  );
  return (
    <>
      {named.map((day) => (
        <text key={day} class="trend-name" x={xOf(day)} y={y} text-anchor="middle">
          {shortDay(day)}
        </text>
      ))}
    </>
  );
}

interface PanelProps extends Pick<TrendProps, 'drawn'> {
  readonly name: readonly string[];
  readonly label: string;
  readonly top: number;
  readonly plot: Plot;
  readonly isValue: boolean;
}

/** One answer: its axis, and a line with a band for each series. */
function Panel({ name, label, top, plot, drawn, isValue }: PanelProps): VNode {
  const { width, height, axis } = plot;
  const id = useId();
  const yOf = (value: number): number => top + height * (1 - (value - axis.bottom) / (axis.top - axis.bottom));
  return (
    <g>
      <clipPath id={id}>
        <rect x={LEFT} y={top} width={Math.max(0, width - LEFT - RIGHT)} height={height} />
      </clipPath>
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line class={Math.abs(tick) < 1e-9 ? 'trend-zero' : 'trend-scale'} x1={LEFT} x2={width - RIGHT} y1={yOf(tick)} y2={yOf(tick)} />
          <text class="trend-name" x={LEFT - 8} y={yOf(tick) + 4} text-anchor="end">
            {isValue ? figure(tick, Math.max(0, axis.decimals - 2)) : percent(tick, axis.decimals)}
          </text>
        </g>
      ))}
      {name.map((line, i) => (
        <text key={line} class="trend-answer" x={LEFT} y={top - 8 - NAME * (name.length - 1 - i)}>
          {line}
        </text>
      ))}
      {drawn.toReversed().map(({ series, name: side }, i) => (
        <Line
          key={side}
          series={series}
          label={label}
          plot={plot}
          yOf={yOf}
          clip={id}
          kind={drawn.length - 1 - i === 0 ? '' : 'trend-other'}
        />
      ))}
    </g>
  );
}

interface LineProps {
  readonly series: Series;
  readonly label: string;
  readonly plot: Plot;
  readonly yOf: (value: number) => number;
  readonly clip: string;
  readonly kind: string;
}

/** Points that follow each other without a gap. */
function runsOf(series: Series, label: string): readonly (readonly (readonly [SeriesPoint, PointAnswer])[])[] {
  const runs: (readonly [SeriesPoint, PointAnswer])[][] = [[]];
  for (const point of series.points) {
    const answer = answerAt(point, label);
    if (answer) runs.at(-1)?.push([point, answer]);
    else if (runs.at(-1)?.length !== 0) runs.push([]);
  }
  return runs.filter(({ length }) => length > 0);
}

const MOST_DOTS = 80;

function Line({ series, label, plot: { xOf, step }, yOf, clip, kind }: LineProps): VNode {
  const xy = (point: SeriesPoint, value: number): string => `${xOf(middleOf(point)).toFixed(1)},${yOf(value).toFixed(1)}`;
  const runs = runsOf(series, label);
  const dots = series.points.length <= MOST_DOTS;
  return (
    <g class={kind} clip-path={`url(#${clip})`}>
      {runs.map((run) => {
        const [[begin, only]] = run as readonly [readonly [SeriesPoint, PointAnswer]];
        const low = run.map(([point, answer]) => xy(point, answer.low));
        const high = run.map(([point, answer]) => xy(point, answer.high));
        const x = xOf(middleOf(begin));
        return (
          <g key={begin.from}>
            {run.length > 1 ? (
              <polygon class="trend-band" points={[...high, ...low.toReversed()].join(' ')} />
            ) : (
              <rect
                class="trend-band"
                x={x - Math.max(2, step / 2)}
                y={yOf(only.high)}
                width={Math.max(4, step)}
                height={yOf(only.low) - yOf(only.high)}
              />
            )}
            <polyline class="trend-line" points={run.map(([point, { estimate }]) => xy(point, estimate)).join(' ')} />
            {run.map(([point, { estimate, change }]) =>
              dots || run.length === 1 || change?.isClear ? (
                <circle
                  key={point.from}
                  class={change?.isClear ? 'trend-clear' : 'trend-dot'}
                  cx={xOf(middleOf(point))}
                  cy={yOf(estimate)}
                  r={change?.isClear ? 5 : 2.5}
                />
              ) : null,
            )}
          </g>
        );
      })}
    </g>
  );
}

function TrendLegend({ drawn, lines, exclude }: Pick<TrendProps, 'drawn' | 'exclude'> & { lines: readonly Followed[] }): VNode {
  const isClear = drawn.some(({ series }) =>
    series.points.some((point) => lines.some(({ label }) => answerAt(point, label)?.change?.isClear)),
  );
  return (
    <p class="legend">
      {drawn.length > 1 ? (
        drawn.map(({ name }, i) => <Key key={name} mark={i === 0 ? 'line' : 'other-line'} text={name} />)
      ) : (
        <Key mark="line" text="estimate" />
      )}
      <Key mark="band" text="95 % interval" />
      {isClear && <Key mark="clear" text="clear change since the point before" />}
      {exclude.length > 0 && <Key mark="out" text="left out" />}
    </p>
  );
}
