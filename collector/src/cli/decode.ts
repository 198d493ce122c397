/** `murmuration decode`: which strings are in RAPPOR-style reports, from google/rappor's files or a collector's store. */

import type { Command } from 'commander';
import type { ExcludedDays } from '../answers/estimates.ts';
import { field, RAW_OPTION, rawField } from '../base/csv.ts';
import { asUsage, UsageError } from '../base/fault.ts';
import { count, percent } from '../base/numbers.ts';
import { print, shareOption } from '../base/usage.ts';
import { type Findings, findings, foundIn } from '../decoding/decode/decode.ts';
import type { Decoded } from '../decoding/decode/evidence.ts';
import { WAYS, type Way } from './candidate-files/candidates.ts';
import { type RapporFiles, rapporSource, type Source } from './decode-source.ts';
import { checkOutputs, distributionLines, resultLines, writeOutputs } from './rappor-files/results.ts';
import { addStored, type StoredOptions } from './stored-options.ts';
import { table } from './table.ts';

interface DecodeOptions extends Partial<RapporFiles>, StoredOptions {
  readonly candidates?: string[];
  readonly normalize: readonly Way[];
  readonly fdr: number;
  readonly out?: string;
  readonly all?: true;
  readonly distribution?: string;
  readonly raw?: true;
  readonly json?: true;
}

const MOST_NAMED = 10; // lines about candidates that were left out

function waysOption(text: string): readonly Way[] {
  const ways = text.split(',').map((name) => WAYS.find((way) => way === name));
  if (ways.every((way) => way !== undefined)) return ways;
  throw new UsageError(`--normalize: expected some of ${WAYS.join(', ')}, separated by commas, got ${JSON.stringify(text)}`);
}

/** Reads what the options name. @throws {UsageError} */
async function sourceOf(options: DecodeOptions): Promise<Source> {
  const { params, counts, map, schema, metric, candidates, normalize } = options;
  const [isFiles, isStore] = [
    [params, counts, map],
    [schema, metric, candidates],
  ].map((some) => some.some((each) => each !== undefined));
  const expected = '--params, --counts and --map, or --schema, --metric, --candidates and --data';
  if (isFiles && isStore) throw new UsageError(`expected ${expected}, got some of both`);
  if (params !== undefined && counts !== undefined) return rapporSource({ params, counts, map });
  if (isFiles || metric === undefined || candidates === undefined)
    throw new UsageError(`expected ${expected}, got ${isFiles || isStore ? 'only some of them' : 'none'}`);
  const { storeSource } = await import('./decode-store.ts'); // takes longer to load than small files to decode
  return storeSource(options, candidates, normalize);
}

/** Names the candidates that were left out, on standard error. */
function tell(leftOut: readonly string[]): void {
  for (const line of leftOut.slice(0, MOST_NAMED)) process.stderr.write(`${line}\n`);
  if (leftOut.length > MOST_NAMED) process.stderr.write(`... and ${leftOut.length - MOST_NAMED} candidates more\n`);
}

async function run(options: DecodeOptions): Promise<void> {
  const begun = performance.now();
  const { params, counts, map, out, distribution, fdr, all = false, raw, json } = options;
  checkOutputs(
    { '--out': out, '--distribution': distribution },
    [params, counts, map, ...(options.candidates ?? [])].filter((file) => file !== undefined),
  );
  const source = await sourceOf(options).catch(asUsage);
  tell(source.leftOut);
  const { names, reports } = source;
  const decoded = findings({ counts: source.counts, map: source.map, shares: source.shares, fdr });
  const write = raw ? rawField : field;
  writeOutputs([
    ...(out === undefined ? [] : [{ file: out, lines: resultLines(names, reports, decoded, all, write) }]),
    ...(distribution === undefined ? [] : [{ file: distribution, lines: distributionLines(names, decoded, write) }]),
  ]);
  const summary = {
    ...aboutOf(source, decoded, fdr),
    seconds: (performance.now() - begun) / 1000,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  };
  print(json, summary, () => describe(summary, names, decoded));
}

/** The numbers about the whole decode. */
function aboutOf({ reports, excluded, names, leftOut }: Source, decoded: Findings, fdr: number): Omit<Summary, 'seconds' | 'peakRssMb'> {
  const { outcome, found, indistinguishable, unexplained, unexplainedError, detectable, other } = decoded;
  return {
    reports,
    ...(excluded && { excluded }),
    candidates: names.length,
    leftOut: leftOut.length,
    reported: found,
    fdr,
    outcome,
    unexplained,
    unexplainedError,
    leftOver: other,
    detectable,
    indistinguishable,
  };
}

export function addDecode(program: Command): void {
  const command = program
    .command('decode')
    .description('find strings in reports of RAPPOR or string hashing: those of google/rappor’s files, or of a string metric in a store')
    .option('--params <file>', 'google/rappor: the CSV file with k,h,m,p,q,f')
    .option('--counts <file>', 'google/rappor: for each cohort its reports, then those with each bit; may be gzip')
    .option('--map <file>', 'google/rappor: the candidates and their bits in each cohort; may be gzip; single bits need none')
    .option(
      '--candidates <list...>',
      'for a metric: files with a string a line, or .json arrays; npm:PACKAGE/FILE is in an installed package',
    )
    .option('--normalize <ways>', `for candidates: ${WAYS.join(', ')}, as the app does before it records`, waysOption, []);
  addStored(command)
    .option('--fdr <share>', 'the share of false strings among the reported ones, on average', shareOption('--fdr'), 0.05)
    .option('--out <file>', 'write the reported strings as CSV, with google/rappor’s columns first')
    .option('--all', 'write all candidates to --out')
    .option('--distribution <file>', 'write the estimate of the whole distribution as CSV')
    .option(...RAW_OPTION)
    .option('--json', 'print one JSON document on standard output')
    .action(run);
}

// What `murmuration decode` prints for people.

/** The numbers about a whole decode, as `--json` prints them. */
export interface Summary {
  readonly reports: number;
  /** Days that were left out. */
  readonly excluded?: readonly ExcludedDays[];
  readonly candidates: number;
  /** Candidates of the lists that were left out. */
  readonly leftOut: number;
  readonly reported: number;
  /** Candidates that no reports tell from another one. They are never reported. */
  readonly indistinguishable: number;
  readonly fdr: number;
  readonly outcome: Decoded['outcome'];
  /** The share of the reports that no reported string explains, and its standard error. */
  readonly unexplained: number;
  readonly unexplainedError: number;
  /** Remainder of the whole distribution: strings that are no candidates, and whatever is too rare to place. */
  readonly leftOver: number;
  /** A string with this share of the reports is reported half of the time. */
  readonly detectable: number;
  readonly seconds: number;
  readonly peakRssMb: number;
}

const MOST_ROWS = 40;

const small = (q: number): string => (q < 0.001 ? q.toExponential(1) : q.toPrecision(2));

const OUTCOMES: { readonly [O in Decoded['outcome']]: string | undefined } = {
  decoded: undefined,
  overloaded:
    'overloaded: more strings are frequent than the bits can tell apart, so few are reported and errors are rough; more cohorts help',
  'not-enough-data': 'not enough data: even a string that every report has would not be told from noise',
};

/** The summary, then the most frequent of the reported strings: of each the middle of what its share can be, which lies in its interval. */
export function describe(summary: Summary, names: readonly string[], decoded: Decoded): string {
  const { typical, low, high, qValue } = decoded;
  const found = foundIn(decoded);
  const rows = [...found.subarray(0, MOST_ROWS)].map((v) => [
    names[v] as string,
    ...[typical, low, high].map((values) => percent(values[v] as number)),
    small(qValue[v] as number),
  ]);
  const warning = OUTCOMES[summary.outcome];
  return [
    `reports      ${count(summary.reports)}`,
    `candidates   ${count(summary.candidates)}`,
    `reported     ${count(summary.reported)}, of which on average ${percent(summary.fdr)} at most are not there`,
    `unexplained  ${percent(summary.unexplained)} of the reports come from none of the reported strings (standard error ${percent(summary.unexplainedError)})`,
    `left over    ${percent(summary.leftOver)} of the whole distribution: strings that are no candidates, and whatever is too rare to place`,
    `detectable   a string with ${percent(summary.detectable)} of the reports is reported half of the time`,
    ...(summary.indistinguishable === 0
      ? []
      : [
          `${summary.indistinguishable} candidates set the same bits as another one, are never reported, and have in --all the share of both together`,
        ]),
    ...(warning === undefined ? [] : [warning]),
    ...(rows.length === 0 ? [] : ['', table(['string', 'share', '95 % from', 'to', 'q'], rows)]),
    ...(found.length > rows.length ? [`... and ${found.length - rows.length} more, which --out writes`] : []),
  ].join('\n');
}
