// Two selections side by side: what is compared with what, the verdict of the API on their difference, and the numbers of both. Nothing is judged
// here a second time.

import type { VNode } from 'preact';
import type { Comparison, Metric } from '../../api/shown.ts';
import { type AnswerState, type Asked, type ComparisonAsked, comparisonAddress, fetchComparison, useAnswer } from '../api.ts';
import { Choice, DateInput } from '../filters.tsx';
import { count, dayRange, reportCount, withMargin } from '../format.ts';
import { labelOf } from '../judge.ts';
import {
  aroundOf,
  byOf,
  chosenValueOf,
  firstSides,
  isBySegment,
  lastOf,
  nameOfBy,
  type Side,
  type Sides,
  sideInWords,
  sideOf,
  type View,
  valuesOf,
  waysOf,
} from './view.ts';

/** The parameters of both sides. Days that are left out or that move hold for a single look. */
export function askedOfBoth({ looks: _ofOne, ...both }: Asked, { experiment }: View, isMoving: boolean): ComparisonAsked {
  return { ...both, ...((both.exclude || isMoving) && { looks: 'once' as const }), ...(experiment && { experiment }) };
}

/** The comparison that is asked for; without sides there is none. */
export function useComparison(metric: Metric, wanted: ComparisonAsked, sides: Sides | null): [AnswerState<Comparison>, string] {
  const address = sides && comparisonAddress(metric, sides, wanted);
  const ask = (signal: AbortSignal): Promise<Comparison> => fetchComparison(metric, sides ?? { a: {}, b: {} }, wanted, signal);
  return [useAnswer(metric, address, ask), address ?? ''];
}

/** A sentence of the API as it stands on the page. */
export const asSentence = (verdict: string): string => `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}.`;

/** The verdict on the whole comparison. */
export function ComparisonLine({ comparison, sides: { a, b } }: { comparison: Comparison; sides: Sides }): VNode {
  const { sampleRatio } = comparison;
  const days = [comparison.a, comparison.b].flatMap(({ from, to }) => (from && to ? dayRange(from, to) : []));
  return (
    <>
      {sampleRatio?.isBroken && (
        <p class="verdict note-problem" role="alert">
          <strong>{asSentence(sampleRatio.verdict)}</strong>
        </p>
      )}
      <p class="verdict">
        <strong dir="auto">{sideInWords(b)}</strong> compared with <strong dir="auto">{sideInWords(a)}</strong>: {comparison.verdict}.
      </p>
      {sampleRatio && !sampleRatio.isBroken && <p class="evidence">Arms of an experiment: {sampleRatio.verdict}.</p>}
      {comparison.looks === 'once' && <p class="evidence">{ONE_LOOK}</p>}
      <p class="evidence">
        {count(comparison.a.reports)} and {reportCount(comparison.b.reports)}
        {[...new Set(days)].map((range) => ` · ${range}`)}
        {comparison.looks === 'always' && ' · safe to look at every day'}
      </p>
    </>
  );
}

export const ONE_LOOK = 'This holds for a single look, at days that were chosen without looking at the answer.';

interface CompareProps {
  readonly metric: Metric;
  readonly view: View;
  readonly onChoose: (change: Partial<View>) => void;
}

/** Controls of a comparison: by which way, and with which values. */
export function CompareControls({ metric, view: { sides, experiment }, onChoose }: CompareProps): VNode {
  const onSides = (chosen: Sides | null): void => onChoose({ sides: chosen });
  const ways = waysOf(metric);
  const by = sides ? byOf(sides) : '';
  const change = (end: 'a' | 'b', side: Side): void => {
    if (sides) onSides({ ...sides, [end]: side });
  };
  return (
    <div class="compare-controls">
      <Choice
        name="by"
        value={by}
        options={[{ value: '', label: 'nothing' }, ...ways.map((way) => ({ value: way, label: nameOfBy(way, metric) }))]}
        onChoose={(way) => onSides(way === '' ? null : firstSides(metric, way))}
      />
      {sides &&
        (['a', 'b'] as const).map((end) =>
          by === 'days' ? (
            <SideDays key={end} end={end} side={sides[end]} metric={metric} onSide={(side) => change(end, side)} />
          ) : (
            <Choice
              key={end}
              name={end.toUpperCase()}
              value={chosenValueOf(sides[end])}
              options={valuesOf(metric, by).map((value) => ({ value, label: value }))}
              onChoose={(value) => change(end, sideOf(by, value))}
            />
          ),
        )}
      {sides && isBySegment(sides) && (
        <Choice
          name="these are"
          value={experiment ? 'arms' : 'groups'}
          options={[
            { value: 'groups', label: 'groups of users' },
            { value: 'arms', label: 'arms of an experiment, drawn by an even coin' },
          ]}
          onChoose={(what) => onChoose({ experiment: what === 'arms' })}
        />
      )}
      {sides && by === 'days' && <Periods metric={metric} onSides={onSides} />}
    </div>
  );
}

function SideDays({ end, side, metric, onSide }: { end: string; side: Side; metric: Metric; onSide: (side: Side) => void }): VNode {
  const [least, most] = [metric.from ?? '', metric.to ?? ''];
  return (
    <fieldset class="choice">
      <legend>{end.toUpperCase()}</legend>
      {(['from', 'to'] as const).map((which) => (
        <DateInput
          key={which}
          name={which}
          value={side[which]}
          min={(which === 'to' && side.from) || least}
          max={(which === 'from' && side.to) || most}
          onChoose={(day) => {
            const { [which]: _before, ...other } = side;
            onSide({ ...other, ...(day !== undefined && { [which]: day }) });
          }}
        />
      ))}
    </fieldset>
  );
}

const LENGTHS = [7, 28] as const;

/** Usual pairs of periods, one click each. */
function Periods({ metric, onSides }: { metric: Metric; onSides: (sides: Sides) => void }): VNode {
  const { from, to, versions } = metric;
  const usual: readonly (readonly [string, Sides])[] = [
    ...versions.slice(1).map((version) => [`before and since version ${version.version}`, aroundOf(version.from, metric)] as const),
    ...LENGTHS.map((length) => [`last ${length} days and the ${length} before`, lastOf(length, to ?? '')] as const),
  ];
  return (
    <p class="periods">
      {usual
        .filter(([, { a }]) => (a.from ?? '9') >= (from ?? '') || a.from === undefined)
        .map(([name, sides]) => (
          <button key={name} type="button" class="quiet-button" onClick={() => onSides(sides)}>
            {name}
          </button>
        ))}
    </p>
  );
}

type Compared = NonNullable<Comparison['mean']>;

/** The numbers of both sides, and of each difference what the API says about it. */
export function ComparisonTable({ comparison, metric, sides }: { comparison: Comparison; metric: Metric; sides: Sides }): VNode | null {
  const { differences, mean, median, unit } = comparison;
  const rows: readonly (readonly [name: string, row: Compared, isValue: boolean])[] = [
    ...(mean ? [['Mean', mean, true] as const] : []),
    ...(median ? [['Median', median, true] as const] : []),
    ...differences.map((row) => [unit === 'value' ? 'Mean' : labelOf(row, metric.type), row, unit === 'value'] as const),
  ];
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-frame" aria-label="Both sides and their differences" tabIndex={0}>
      <table class="compared">
        <thead>
          <tr>
            <th scope="col">Answer</th>
            <th scope="col">A: {sideInWords(sides.a)}</th>
            <th scope="col">B: {sideInWords(sides.b)}</th>
            <th scope="col" class="words">
              B compared with A
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, row, isValue]) => (
            <tr key={name} class={row.isClear ? 'told' : ''}>
              <th scope="row" dir="auto">
                {name}
              </th>
              <td>{withMargin(row.a, isValue)}</td>
              <td>{withMargin(row.b, isValue)}</td>
              <td class="words">{asSentence(row.verdict)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
