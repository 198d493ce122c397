/** What `murmuration release stream` prints. */

import type { StreamAnswered } from '../release/streams/ask.ts';
import type { Opened } from '../release/streams/open.ts';
import type { MechanismName } from '../release/streams/request.ts';
import type { Stream, StreamAbout, StreamAnswer, StreamWithAnswers } from '../release/streams/stream.ts';
import type { StreamPreview } from '../release/streams/streams.ts';
import { table } from './table.ts';

const NAMES: { readonly [name in MechanismName]: string } = { median: 'median mechanism', weights: 'private multiplicative weights' };

const cellsIn = ({ columns }: StreamAbout): number => columns.reduce((cells, { values }) => cells * values.length, 1);

/** What a stream states. */
function aboutLines(about: StreamAbout): readonly string[] {
  const { columns, mechanism, queries, hard, lasts, within, cellNoise, cost, perDevice, days, bound, analysts, about: expected } = about;
  const names = columns.map(({ name }) => name).join(', ');
  const reports = bound === 1 ? 'one report' : `${bound} reports`;
  const several = days === 1 ? '' : `; ε ${perDevice.epsilon} for a device that reports on all ${days} days`;
  return [
    `a stream over ${names} (${cellsIn(about)} cells, ${NAMES[mechanism]}: ${queries} questions within ${Math.ceil(within)} with 95 %)`,
    lasts
      ? `${hard} of them may be hard, which is enough if there are at most ${expected} reports`
      : `${hard} of them may be hard; nothing promises that this is enough`,
    `noise for each cell would answer them within ${Math.ceil(cellNoise)}`,
    `cost: ε ${cost.epsilon} for each device-day, of at most ${reports}${several}; charged to ${analysts.join(', ')}, and to the table once`,
  ];
}

const inWords = (where: StreamAnswer['where'], columns: Stream['columns']): string => {
  const conditions = columns.flatMap(({ name }) => {
    const chosen = where[name];
    return chosen === undefined ? [] : `${name} ${chosen.map((value) => value || '(none)').join(' or ')}`;
  });
  return conditions.length === 0 ? 'all reports' : conditions.join(', ');
};

/** What opening would cost, in lines. */
export const previewText = (preview: StreamPreview): string =>
  [...aboutLines(preview), `left: ${preview.left ?? 'nothing, since not every analyst has a budget'}`].join('\n');

/** An opened stream in lines. */
export const openedText = (stream: Opened): string =>
  [
    ...aboutLines(stream).slice(0, stream.isRepeated ? -1 : undefined),
    ...(stream.isRepeated ? [`cost: nothing; opened before, at ${stream.entry.at}`] : []),
    `about ${stream.total} reports, released with a tenth of the cost`,
    ...(stream.openDays === 0 ? [] : [`${stream.openDays} of the days could still take reports; later ones are not counted`]),
    `stream ${stream.stream}, entry ${stream.entry.n} of the ledger, ${stream.entry.hash.slice(0, 16)}`,
  ].join('\n');

/** An answer in lines. */
export function answerText({ value, kind, isRepeated, within, hardLeft, questionsLeft, entry }: StreamAnswered): string {
  const how = isRepeated ? `free, answered before at ${entry.at}` : kind;
  return [
    `${value} (${how}; within ${Math.ceil(within)} with 95 %, as all answers of the stream)`,
    `left: ${questionsLeft} questions, ${hardLeft} of which may be hard`,
    `entry ${entry.n} of the ledger, ${entry.hash.slice(0, 16)}`,
  ].join('\n');
}

/** Streams as a table. */
export const streamsText = (streams: readonly Stream[]): string =>
  table(
    ['stream', 'app', 'analysts', 'columns', 'within', 'asked', 'hard left', 'state'],
    streams.map(({ stream, app, analysts, columns, within, answered, queries, hardLeft, ended }) => [
      `${stream}`,
      app,
      analysts.join(', '),
      columns.map(({ name }) => name).join(', '),
      `${Math.ceil(within)}`,
      `${answered} of ${queries}`,
      `${hardLeft}`,
      ended ?? 'open',
    ]),
  );

/** The answers of a stream as a table. */
export const answersText = (stream: StreamWithAnswers): string =>
  [
    streamsText([stream]),
    table(
      ['at', 'n', 'analyst', 'question', 'answer', 'how'],
      stream.answers.map(({ entry, analyst, where, value, kind }) => [
        entry.at,
        `${entry.n}`,
        analyst,
        inWords(where, stream.columns),
        `${value}`,
        kind,
      ]),
    ),
  ].join('\n');
