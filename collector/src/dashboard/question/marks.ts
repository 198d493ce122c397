// Marks on the days of a trend: annotations, versions that arrived and days with signs. Their labels are above the plot, cut where they are
// long. Below it are all of them in full (reading.tsx), as text that a screen reader reads and an image shows.

import type { Annotation, Metric, Series, Sign } from '../../api/shown.ts';

/** A mark on a day. */
export interface Mark {
  readonly kind: 'sign' | 'version' | 'note';
  readonly day: string;
  readonly text: string;
  /** Of what somebody wrote. */
  readonly n?: number;
  /** The text in full, where that is more than the label. */
  readonly told?: string;
}

/** Tells marks of one trend apart. */
export const keyOf = ({ kind, day, text, n }: Mark): string => `${kind} ${day} ${n ?? text}`;

/** Parts of a metric's marks. */
export interface Marked {
  readonly metric: Metric;
  /** Of this metric. */
  readonly signs: readonly Pick<Sign, 'kind' | 'day'>[];
  /** Of its app. */
  readonly annotations: readonly Annotation[];
  readonly exclude: readonly string[];
}

const isIn = (points: Series['points'], day: string): boolean => points.some(({ from, to }) => from <= day && day <= to);

/** The annotations of a metric, with the versions of its app. */
export const annotationsOf = ({ metric }: Pick<Metric, 'metric'>, annotations: readonly Annotation[]): readonly Annotation[] =>
  annotations.filter((each) => each.metric === undefined || each.metric === metric);

/** Of the first day on which a version had its part of the reports. */
const ARRIVED = 'has at least 5 % of the reports for the first time';

/** The marks on the days of these points. Versions of the app, where it tells them, take the place of those of its schema. */
export function marksOn(points: Series['points'], { metric, signs, annotations, exclude }: Marked): readonly Mark[] {
  const own = annotationsOf(metric, annotations);
  const first = points[0]?.from ?? '';
  const schemas = own.some(({ kind }) => kind === 'version') ? [] : metric.versions.filter(({ from }) => from > first);
  const poisoned = new Set(signs.filter(({ kind, day }) => kind === 'law' && !exclude.includes(day)).map(({ day }) => day));
  return [
    ...[...poisoned].map((day): Mark => ({ kind: 'sign', day, text: 'not to be trusted' })),
    ...schemas.map(
      ({ version, from }): Mark => ({
        kind: 'version',
        day: from,
        text: `version ${version}`,
        told: `first reports of version ${version}`,
      }),
    ),
    ...own.map((each): Mark => (each.kind === 'version' ? { ...each, told: `${each.text} ${ARRIVED}` } : each)),
  ].filter(({ day }) => isIn(points, day));
}

// Labels in lanes above the plot, each beside the upper end of its line. No label overlaps another one or lies on the line of another one.

/** Height of a lane, and how many there are at most; where there is no room, a line has no label. */
export const LANE = 16;
const LANES = [0, 1, 2] as const;

/** Letters of a label at most, and their width in pixels; those of other scripts may be twice as wide. */
const [MOST_LETTERS, LETTER, SPACE] = [26, 6.6, 10];

/** A mark with its place. */
export interface PlacedMark {
  readonly mark: Mark;
  readonly x: number;
  readonly label: string;
  /** Ends of the label. */
  readonly left: number;
  readonly right: number;
  /** Counted from the plot; undefined where there is no room for the label. */
  readonly lane: number | undefined;
}

function cut(text: string): string {
  const letters = [...text];
  return letters.length <= MOST_LETTERS
    ? text
    : `${letters
        .slice(0, MOST_LETTERS - 1)
        .join('')
        .trimEnd()}…`;
}

const widthOf = (label: string): number => [...label].reduce((sum, letter) => sum + (letter > '\u10ff' ? 2 : 1) * LETTER, 0);

/** The marks with their places in a plot of this width. Each takes the lowest lane that is free, the last days first. */
export function placed(marks: readonly Mark[], xOf: (mark: Mark) => number, width: number): readonly PlacedMark[] {
  const found: PlacedMark[] = [];
  for (const mark of marks.toSorted((one, other) => xOf(other) - xOf(one))) {
    const [x, label] = [xOf(mark), cut(mark.text)];
    const left = x + widthOf(label) > width ? x - widthOf(label) : x;
    const right = left + widthOf(label);
    const isOn = (line: number, { left, right }: Pick<PlacedMark, 'left' | 'right'>): boolean => left < line && line < right;
    const isFree = (lane: number): boolean =>
      found.every((other) => {
        if (other.lane === undefined) return true;
        if (other.lane === lane) return right + SPACE <= other.left || other.right + SPACE <= left;
        return lane > other.lane ? !isOn(x, other) : !isOn(other.x, { left, right });
      });
    found.push({ mark, x, label, left, right, lane: left < 0 ? undefined : LANES.find(isFree) });
  }
  return found;
}
