// A trend as text: the numbers of one point, which a slider chooses, those of all points as a table, and the marks.

import type { VNode } from 'preact';
import type { Annotation, Metric, Series } from '../../api/shown.ts';
import { count, dayRange, reportCount, withMargin } from '../format.ts';
import { labelOf } from '../judge.ts';
import { annotationsOf, keyOf, type Mark } from './marks.ts';
import { daysIn } from './view.ts';

/** A series and its name. */
interface DrawnSeries {
  readonly name: string;
  readonly series: Series;
}

/** One series, or the two that are compared, b first. */
export type Drawn = readonly [DrawnSeries, ...DrawnSeries[]];

export type SeriesPoint = Series['points'][number];
export type PointAnswer = SeriesPoint['answers'][number];

/** An answer that is followed. */
export type Line = Pick<PointAnswer, 'answer' | 'label'>;

/** The points of all series, in their order; each is that of one of them. */
export function pointsOf(drawn: Drawn): readonly SeriesPoint[] {
  const found = new Map(drawn.toReversed().flatMap(({ series }) => series.points.map((point) => [point.from, point] as const)));
  return [...found.values()].sort((one, other) => (one.from < other.from ? -1 : 1));
}

/** The answers that are drawn: of a flag, yes alone. */
export function linesOf(drawn: Drawn, { type }: Metric): readonly Line[] {
  const all = pointsOf(drawn).find(({ answers }) => answers.length > 0)?.answers ?? [];
  return type === 'flag' ? all.filter(({ answer }) => answer === true) : all;
}

export const answerAt = (point: SeriesPoint, label: string): PointAnswer | undefined =>
  point.answers.find((answer) => answer.label === label);

interface ReadingProps {
  readonly drawn: Drawn;
  readonly metric: Metric;
  readonly exclude: readonly string[];
  readonly lines: readonly Line[];
  readonly at: number | null;
  readonly onAt: (index: number) => void;
  readonly onToggle?: (point: SeriesPoint) => void;
}

/** The numbers of one point, with a slider that chooses it and a button that leaves its days out. */
export function Reading({ drawn, lines, metric, exclude, at, onAt, onToggle }: ReadingProps): VNode {
  const [{ series }] = drawn;
  const points = pointsOf(drawn);
  const last = points.length - 1;
  const index = Math.min(at ?? last, last);
  const point = points[index] as SeriesPoint;
  const days = daysIn(point.from, point.to);
  const isOut = days.every((day) => exclude.includes(day));
  const named = dayRange(point.from, point.to);
  const isValue = series.unit === 'value';
  /** An answer in a series, with its name where there are several of either. */
  const readingOf = (line: Line, { name, series: { points } }: DrawnSeries): string => {
    const found = points.find(({ from }) => from === point.from);
    const number = found && answerAt(found, line.label);
    const names = [
      ...(isValue || lines.length + drawn.length < 3 ? [] : [labelOf(line, metric.type)]),
      ...(drawn.length > 1 ? [name] : []),
    ];
    const said = number ? `${withMargin(number, isValue)}${metric.unit && isValue ? ` ${metric.unit}` : ''}` : 'too few reports';
    return names.length === 0 ? said : `${names.join(', ')}: ${said}`;
  };
  const readings = lines.flatMap((line) => drawn.map((each) => readingOf(line, each)));
  const said = isOut ? 'left out' : `${readings.join('; ')} · ${reportCount(point.reports)}`;
  return (
    <div class="reading" data-aside>
      <input
        type="range"
        aria-label={days.length > 1 ? 'Days' : 'Day'}
        aria-valuetext={`${named}: ${said}`}
        min={0}
        max={last}
        value={index}
        onInput={(event) => onAt(Number(event.currentTarget.value))}
      />
      <p>
        <strong>{named}</strong> {said}
      </p>
      {onToggle && (
        <button type="button" class="quiet-button" onClick={() => onToggle(point)}>
          {isOut ? 'Put back' : 'Leave out'} {named}
        </button>
      )}
    </div>
  );
}

/** Name of a line. */
const nameOf = (line: Line, metric: Metric, isValue: boolean): string => (isValue ? 'Mean' : labelOf(line, metric.type));

interface TableProps extends Pick<ReadingProps, 'drawn' | 'metric' | 'exclude'> {
  readonly annotations: readonly Annotation[];
}

export function SeriesTable({ drawn, metric, exclude, annotations }: TableProps): VNode {
  const [{ series }] = drawn;
  const written = annotationsOf(metric, annotations);
  const isValue = series.unit === 'value';
  const columns = linesOf(drawn, metric).flatMap((line) =>
    drawn.map((side) => ({ line, ...side, title: [nameOf(line, metric, isValue), ...(drawn.length > 1 ? [side.name] : [])].join(', ') })),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-frame" aria-label={`${metric.metric} over time as a table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Days</th>
            <th scope="col">Reports</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col" dir="auto">
                {title}, 95&nbsp;% interval
              </th>
            ))}
            {written.length > 0 && <th scope="col">Marked</th>}
          </tr>
        </thead>
        <tbody>
          {pointsOf(drawn).map(({ from, to, reports }) => (
            <tr key={from}>
              <th scope="row">{dayRange(from, to)}</th>
              <td>{daysIn(from, to).every((day) => exclude.includes(day)) ? 'left out' : count(reports)}</td>
              {columns.map(({ line, title, series: { points } }) => {
                const point = points.find((each) => each.from === from);
                const answer = point && answerAt(point, line.label);
                return (
                  <td key={title}>
                    {answer && withMargin(answer, isValue)}
                    {answer?.change?.isClear && ' *'}
                  </td>
                );
              })}
              {written.length > 0 && (
                <td dir="auto">
                  {written
                    .filter(({ day }) => from <= day && day <= to)
                    .map(({ text }) => text)
                    .join('; ')}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">* A clear change since the row before.</p>
    </section>
  );
}

/** Annotations and versions, in full. */
export function MarkList({ marks }: { marks: readonly Mark[] }): VNode | null {
  const told = marks.filter(({ kind }) => kind !== 'sign').toSorted((one, other) => (one.day < other.day ? -1 : 1));
  if (told.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: Safari forgets that a list without markers is a list
    <ul role="list" class="trend-marks" aria-label="Marked days">
      {told.map((mark) => (
        <li key={keyOf(mark)}>
          {dayRange(mark.day, mark.day)}: <span dir="auto">{mark.told ?? mark.text}</span>
        </li>
      ))}
    </ul>
  );
}
