/** `murmuration release stream`: opens a stream of counting questions, asks it, lists it, closes it. */

import type { Command } from 'commander';
import { UsageError } from '../base/fault.ts';
import { print, wholeOption } from '../base/usage.ts';
import { type Named, valueOption } from '../release/measures/share.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import type { StreamAnswered } from '../release/streams/ask.ts';
import type { Opened } from '../release/streams/open.ts';
import { MECHANISMS, type MechanismName, MOST_ABOUT, MOST_QUERIES, type StreamRequest } from '../release/streams/request.ts';
import type { Stream, StreamAbout, StreamAnswer, StreamWithAnswers } from '../release/streams/stream.ts';
import { type StreamPreview, Streams } from '../release/streams/streams.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog } from '../schemas/catalog.ts';
import { COMMAND_LINE } from '../storage/admin/database.ts';
import type { Ledger } from '../storage/release-ledger.ts';
import type { AdminPlace } from './admin.ts';
import { withLedger } from './release-budget.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';
import { storeCommand } from './stored-options.ts';
import { table } from './table.ts';

interface OpenOptions extends AdminPlace, Omit<StreamRequest, 'to'> {
  readonly schema?: string[];
  readonly analyst: string[];
  readonly to?: string;
  readonly again?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

interface AskStreamOptions extends AdminPlace {
  readonly stream: number;
  readonly analyst: string;
  readonly where: Named;
  readonly json?: boolean;
}

interface ListOptions extends AdminPlace {
  readonly stream?: number;
  readonly app?: string;
  readonly analyst?: string;
  readonly json?: boolean;
}

interface CloseOptions extends AdminPlace {
  readonly stream: number;
  readonly json?: boolean;
}

/** Streams of a ledger, and of the store beside it, which is only looked for when it is read. */
const streamsOf = (place: AdminPlace, ledger: Ledger): Streams =>
  new Streams({ ledger, read: async (wanted) => readParticipation(await sourceOf(place), wanted), random: systemRandom() });

function mechanismOption(text: string): MechanismName {
  const found = MECHANISMS.find((name) => name === text);
  if (found === undefined) throw new UsageError(`--mechanism: expected one of ${MECHANISMS.join(', ')}, got ${JSON.stringify(text)}`);
  return found;
}

async function open(options: OpenOptions): Promise<void> {
  const {
    analyst: analysts,
    app,
    from,
    to = from,
    where,
    columns,
    epsilon,
    queries,
    about,
    hard,
    mechanism,
    again = false,
    json,
  } = options;
  const { schemas, published } = await load(options);
  await withLedger(options, async (ledger) => {
    const request: StreamRequest = {
      ...{ app, from, to, columns, epsilon, queries, about },
      ...(where !== undefined && { where }),
      ...(hard !== undefined && { hard }),
      ...(mechanism !== undefined && { mechanism }),
    };
    const opening = { analysts, request, catalog: createCatalog([...schemas, ...published]), who: COMMAND_LINE, again };
    const streams = streamsOf(options, ledger);
    if (options.preview) {
      const preview = await streams.preview(opening);
      return print(json, preview, () => previewText(preview));
    }
    const opened = await streams.open(opening);
    print(json, opened, () => openedText(opened));
  });
}

const ask = (options: AskStreamOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const { analyst, stream, where, json } = options;
    const answer = await streamsOf(options, ledger).ask({ analyst, apps: [], stream, where });
    print(json, answer, () => answerText(answer));
  });

const list = (options: ListOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const { stream: number, app, analyst, json } = options;
    const streams = streamsOf(options, ledger);
    const reader = { apps: app === undefined ? [] : [app], ...(analyst !== undefined && { analyst }) };
    if (number === undefined) {
      const all = await streams.list(reader);
      return print(json, { streams: all }, () => streamsText(all));
    }
    const found = await streams.show(reader, number);
    print(json, found, () => answersText(found));
  });

const close = (options: CloseOptions): Promise<void> =>
  withLedger(options, async (ledger) => {
    const closed = await streamsOf(options, ledger).close(COMMAND_LINE, options.stream);
    print(options.json, closed, () => `stream ${closed.stream} answers no new questions: ${closed.ended}`);
  });

/** Adds the commands. */
export function addStreams(release: Command): void {
  const stream = release.command('stream').description('counting questions that nobody knows yet, for one cost that analysts share');
  const number = ['--stream <n>', 'its number, as stream list shows it', wholeOption('--stream', 1)] as const;
  storeCommand(stream, 'open', 'open a stream over combinations of columns, and charge each analyst and the table once')
    .requiredOption('--analyst <name...>', 'who may ask, and is charged')
    .option('--schema <file...>', 'schema modules or canonical JSON, besides those that schemas publish has put into the folder')
    .requiredOption('--app <app>', 'the app')
    .requiredOption('--from <day>', 'first day, such as 2026-11-01')
    .option('--to <day>', 'last day (default: that of --from)')
    .option('--where <column=value>', 'only reports with this value; may be repeated', valueOption('--where'), {})
    .requiredOption('--columns <column...>', 'questions are conditions on these columns')
    .requiredOption('--epsilon <amount>', 'what the whole stream costs each device-day: 0.5 or 1/3')
    .requiredOption('--queries <n>', 'how many questions can be asked', wholeOption('--queries', 1, MOST_QUERIES))
    .requiredOption('--about <n>', 'how many reports you expect; the error is stated for it', wholeOption('--about', 1, MOST_ABOUT))
    .option(
      '--hard <n>',
      'how many questions may be hard (default: as many as the stream needs to last)',
      wholeOption('--hard', 1, MOST_QUERIES),
    )
    .option('--mechanism <name>', `${MECHANISMS.join(' or ')} (default: that of the smaller stated error)`, mechanismOption)
    .option('--again', 'open and pay for another stream, even if there is the same one')
    .option('--preview', 'say what the stream would cost and how far its answers would be off, and spend nothing')
    .action(open);
  storeCommand(stream, 'ask', 'ask a stream how many reports fit conditions; the same question gets the stored answer')
    .requiredOption(...number)
    .requiredOption('--analyst <name>', 'who asks')
    .option('--where <column=value>', 'only reports with this value; may be repeated', valueOption('--where'), {})
    .action(ask);
  storeCommand(stream, 'list', 'streams, or the answers of one')
    .option(...number)
    .option('--app <app>', 'only of this app')
    .option('--analyst <name>', 'only those that this analyst may ask')
    .action(list);
  storeCommand(stream, 'close', 'end a stream, and delete its counts and its threshold; its answers stay')
    .requiredOption(...number)
    .action(close);
}

/** Output of `murmuration release stream`. */
const NAMES: { readonly [name in MechanismName]: string } = { median: 'median mechanism', weights: 'private multiplicative weights' };

const cellsIn = ({ columns }: StreamAbout): number => columns.reduce((cells, { values }) => cells * values.length, 1);

/** Lines about a stream. */
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

/** Cost of opening, in lines. */
const previewText = (preview: StreamPreview): string =>
  [...aboutLines(preview), `left: ${preview.left ?? 'nothing, since not every analyst has a budget'}`].join('\n');

/** An opened stream in lines. */
const openedText = (stream: Opened): string =>
  [
    ...aboutLines(stream).slice(0, stream.isRepeated ? -1 : undefined),
    ...(stream.isRepeated ? [`cost: nothing; opened before, at ${stream.entry.at}`] : []),
    `about ${stream.total} reports, released with a tenth of the cost`,
    ...(stream.openDays === 0 ? [] : [`${stream.openDays} of the days could still take reports; later ones are not counted`]),
    `stream ${stream.stream}, entry ${stream.entry.n} of the ledger, ${stream.entry.hash.slice(0, 16)}`,
  ].join('\n');

/** An answer in lines. */
function answerText({ value, kind, isRepeated, within, hardLeft, questionsLeft, entry }: StreamAnswered): string {
  const how = isRepeated ? `free, answered before at ${entry.at}` : kind;
  return [
    `${value} (${how}; within ${Math.ceil(within)} with 95 %, as all answers of the stream)`,
    `left: ${questionsLeft} questions, ${hardLeft} of which may be hard`,
    `entry ${entry.n} of the ledger, ${entry.hash.slice(0, 16)}`,
  ].join('\n');
}

/** Streams as a table. */
const streamsText = (streams: readonly Stream[]): string =>
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
const answersText = (stream: StreamWithAnswers): string =>
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
