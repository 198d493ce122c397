// What a series says of one answer: its points, and the last change where the API tells it from none.

import type { Series } from '../../api/shown.ts';
import { decimalsForValue, figure } from '../format.ts';

/** Days up to which a point is a day, and up to which it is a week. */
const [FEW_DAYS, FEW_WEEKS] = [21, 182];

export type Interval = 'day' | 'week' | 'month';

export function intervalOf(days: number): Interval {
  if (days <= FEW_DAYS) return 'day';
  return days <= FEW_WEEKS ? 'week' : 'month';
}

export type Point = Series['points'][number]['answers'][number];

/** The points of one answer; a gap where there were too few reports. */
export function pointsOf({ points }: Pick<Series, 'points'>, wanted: string | undefined): readonly (Point | undefined)[] {
  const label =
    wanted ?? points.findLast(({ answers }) => answers.length > 0)?.answers.toSorted((a, b) => b.estimate - a.estimate)[0]?.label;
  return points.map(({ answers }) => answers.find((answer) => answer.label === label));
}

const BEFORE: Readonly<Record<Interval, string>> = { day: 'the day before', week: 'the week before', month: 'the month before' };

/** The last change in words; undefined where the API gives no verdict on it. */
export function changeInWords(last: Point | undefined, interval: Interval, unit: 'value' | undefined, of = ''): string | undefined {
  const change = last?.change;
  if (!change || change.isClear === undefined) return undefined;
  if (!change.told) return 'No clear change';
  const scale = unit === 'value' ? 1 : 100;
  const [low, high] = [change.told.low, change.told.high].map((end) => Math.abs(scale * end)).toSorted((a, b) => a - b) as [number, number];
  const decimals = decimalsForValue({ low, high });
  const much = `${figure(low, decimals, Math.floor)} to ${figure(high, decimals, Math.ceil)}${unit === 'value' ? of && ` ${of}` : ' points'}`;
  return `${change.estimate > 0 ? 'Up' : 'Down'} ${much} since ${BEFORE[interval]}`;
}
