// Pictures of a plan: answers with the error bars that they will have, the error week by week, and the budget.

import type { VNode } from 'preact';
import type { Answer, Plan } from '../../api/shown.ts';
import { Chart } from '../chart.tsx';
import { count, decimalsForValue, figure } from '../format.ts';

/** Two digits, rounded up, without zeros at the end. */
const twoDigits = (value: number): string =>
  figure(value, decimalsForValue({ low: -value, high: value }), Math.ceil)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');

/** An error as it is said: in points, or for a number in its unit. */
export function errorInWords({ range, type }: Pick<Plan, 'range' | 'type'>, margin: number): string {
  if (range && type !== 'distribution') return `± ${twoDigits(margin * (range[1] - range[0]))}`;
  const points = twoDigits(100 * margin);
  return `± ${points} ${points === '1' ? 'point' : 'points'}`;
}

export const weeksInWords = (weeks: number): string => `${count(weeks)} ${weeks === 1 ? 'week' : 'weeks'}`;

/** The answer of a chart with this share and error. */
const answerOf = (answer: string | boolean, estimate: number, margin: number): Answer => ({
  answer,
  label: String(answer),
  estimate,
  standardError: margin,
  low: estimate - margin,
  high: estimate + margin,
});

/** Answers as they may be, with their error bars. */
export function Example({ plan }: { plan: Plan }): VNode {
  const { after, range, type } = plan;
  if (range && type !== 'distribution') return <Line range={range} margin={after.margin95} said={errorInWords(plan, after.margin95)} />;
  const answers =
    type === 'distribution'
      ? [answerOf('below the middle of the range', 0.5, after.margin95)]
      : after.example.map(({ share, margin95 }, i) => answerOf(type === 'flag' ? i === 0 : `answer ${i + 1}`, share, margin95));
  return <Chart answers={answers} type={type} title="an example" />;
}

/** A number's range, with the error bar around its middle. */
function Line({ range: [low, high], margin, said }: { range: readonly [number, number]; margin: number; said: string }): VNode {
  const half = Math.min(50, 100 * margin);
  return (
    <div class="plan-line" role="img" aria-label={`A mean between ${low} and ${high}, known within ${said}`}>
      <span class="plan-line-track">
        <span class="plan-line-bar" style={{ left: `${50 - half}%`, width: `${2 * half}%` }} />
        <span class="plan-line-dot" />
      </span>
      <span class="plan-line-ends">
        <span>{count(low)}</span>
        <span>mean {said}</span>
        <span>{count(high)}</span>
      </span>
    </div>
  );
}

const HEIGHT = 100;
const STEPS = [1, 2, 4, 8, 13, 26, 52, 104, 156, 260, 520] as const;

/** The error week by week, with the wanted one. Lines are stretched, words are not. */
export function Course({ plan }: { plan: Plan }): VNode {
  const { course, wanted, weeks, after } = plan;
  const shown = course.slice(0, Math.max(after.weeks, Math.ceil(1.25 * (weeks ?? 52)), 4));
  const last = shown.length;
  const most = Math.min(shown[0]?.margin95 ?? 1, 4 * Math.max(wanted.error, after.margin95));
  const x = (week: number): number => (last === 1 ? 0 : (100 * (week - 1)) / (last - 1));
  const y = (margin: number): number => HEIGHT - (HEIGHT * Math.min(margin, most)) / (1.08 * most);
  const at = (value: number): string => `${value.toFixed(2)}%`;
  const marks = STEPS.filter((step) => step <= last).slice(-6);
  return (
    <figure class="course">
      <div
        class="course-plot"
        role="img"
        aria-label={`The error after each week: ${marks.map((week) => `${weeksInWords(week)}, ${errorInWords(plan, shown[week - 1]?.margin95 ?? 0)}`).join('; ')}`}
      >
        <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <line class="course-wanted" x1={0} x2={100} y1={y(wanted.error)} y2={y(wanted.error)} />
          <polyline
            class="course-line"
            points={shown.map(({ weeks: week, margin95 }) => `${x(week).toFixed(2)},${y(margin95).toFixed(2)}`).join(' ')}
          />
        </svg>
        <span class="course-word" style={{ top: at(y(wanted.error)) }}>
          wanted: {errorInWords(plan, wanted.error)}
        </span>
        <span class="course-dot course-after" style={{ left: at(x(after.weeks)), top: at(y(after.margin95)) }} />
        {weeks !== null && (
          <span class="course-dot" style={{ left: at(x(weeks)), top: at(y(shown[weeks - 1]?.margin95 ?? wanted.error)) }} />
        )}
      </div>
      <div class="course-weeks" aria-hidden="true">
        {marks.map((week) => (
          <span key={week} style={{ left: at(x(week)) }}>
            {week}
          </span>
        ))}
      </div>
      <figcaption class="note">
        Weeks, and how far off an answer may be by then. {weeks !== null && <>The filled dot is when it is as wanted. </>}The open one is{' '}
        {weeksInWords(after.weeks)}.
      </figcaption>
    </figure>
  );
}

const PERIODS = { day: 'day', week: 'week', month: 'month', year: 'year' } as const;

/** The budget of the schema, the charges of its questions, and that of the new one. */
export function Budget({ budget }: { budget: Plan['budget'] }): VNode {
  const { epsilon, per, before, charge, times, fits, most, isAssigned } = budget;
  const used = isAssigned ? 0 : before;
  const whole = Math.max(epsilon, used + charge);
  const part = (value: number): string => `${(100 * value) / whole}%`;
  const said = (value: number): string => String(Number(value.toFixed(2)));
  return (
    <div class="budget">
      <div class="budget-bar" aria-hidden="true">
        <span class="budget-before" style={{ width: part(used) }} />
        <span class={fits ? 'budget-charge' : 'budget-charge budget-over'} style={{ width: part(charge) }} />
        <span class="budget-end" style={{ left: part(epsilon) }} />
      </div>
      <p>
        {fits ? <strong>It fits. </strong> : <strong class="plan-bad">It does not fit. </strong>}A device may spend ε {said(epsilon)} a{' '}
        {PERIODS[per]}.{' '}
        {isAssigned
          ? `Devices are asked a random part of the questions, each of at most that.`
          : before > 0
            ? `The other questions take ${said(before)}.`
            : 'No other question takes any.'}{' '}
        This one takes {said(charge)}
        {times > 1 && `: ${times} reports of ${said(charge / times)}`}.{' '}
        {!fits && (most > 0 ? `ε ${said(most)} a report would fit.` : 'Nothing is left.')}
      </p>
    </div>
  );
}
