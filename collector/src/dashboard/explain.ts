// Explains signs, impossible numbers and what is to be expected in a sentence each, for people who have not read the papers. terms.ts has the
// technical terms, which only a question's page shows.

import type { Among, Answer, Estimates, Metric, Sign } from '../api/shown.ts';
import { count, dayBefore, dayRange } from './format.ts';
import { labelOf } from './judge.ts';

/** Population that estimates describe, in words. */
export function whomOf(among: Among): string {
  return among === 'population' ? 'all users' : 'the devices that reported';
}

/** When there will be enough reports, as the collector foresees it; undefined where it says nothing. */
export function outlookInWords({
  outlook,
  range,
  type,
  from,
  to,
}: Pick<Metric, 'outlook' | 'range' | 'type' | 'from' | 'to'>): string | undefined {
  if (outlook === undefined) return undefined;
  const { error, weeks } = outlook;
  const points = 100 * error;
  const exact = range && type !== 'distribution' ? `± ${points} % of its range` : `± ${points} ${points === 1 ? 'point' : 'points'}`;
  const when = weeks === null ? 'is out of reach' : `in ${count(weeks)} ${weeks === 1 ? 'week' : 'weeks'}`;
  return `${exact} ${when} at ${from === to ? 'the rate of the first day' : 'this rate'}.`;
}

const SEEN: Readonly<Record<Sign['kind'], (day: string) => string>> = {
  law: (day) => `On ${day}, reports came that randomized answers cannot explain: they may be fake or broken`,
  silence: (day) => `On ${day}, almost no reports came, compared with the same weekday before`,
  value: (day) => `Since ${day}, with a new version, the average has jumped`,
  rate: (day) => `Since ${day}, with a new version, the number of reports has jumped, compared with other metrics`,
};

/** A sign, or a silence of several days in a row, with the first of them. */
type Seen = Pick<Sign, 'kind' | 'day' | 'segments'> & { readonly from?: string };

/** The signs of a metric, the newest first. Silent days in a row are one. */
export function joined<S extends Seen>(signs: readonly S[]): readonly S[] {
  const all: S[] = [];
  for (const sign of signs.toSorted((one, other) => (one.day < other.day ? 1 : -1))) {
    const last = all.at(-1);
    const goesOn = sign.kind === 'silence' && last?.kind === 'silence' && dayBefore(last.from ?? last.day, 1) === sign.day;
    if (goesOn) all[all.length - 1] = { ...last, from: sign.day };
    else all.push(sign);
  }
  return all;
}

/** A sign in a sentence, with the segments where it is seen: `platform=ios` -> `platform ios`. */
export function signInWords({ kind, day, from = day, segments }: Seen): string {
  const where = segments.map((segment) => segment.replace('=', ' ')).join(' and ');
  return `${SEEN[kind](dayRange(from, day))}${where && `. They are from ${where}`}.`;
}

/** Numbers of a metric's answers that can't be: `“Yes” below 0 % or above 100 %`. */
export function impossibleInWords(
  { labels }: NonNullable<Estimates['impossible']>,
  answers: readonly Answer[],
  { type, range }: Pick<Metric, 'type' | 'range'>,
): string {
  if (range) return `the average outside ${range[0].toLocaleString('en')} to ${range[1].toLocaleString('en')}`;
  const [label = ''] = labels;
  const answer = answers.find((each) => each.label === label);
  const name = labels.length === 1 ? `“${answer ? labelOf(answer, type) : label}”` : `${labels.length} answers`;
  return `${name} below 0\u00a0% or above 100\u00a0%`;
}
