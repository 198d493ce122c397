/** `murmuration decode`: which strings are in RAPPOR-style reports, from google/rappor's files or a collector's store. */

import type { Command } from 'commander';
import { twinsOf } from '../answers/twins.ts';
import { print, shareOption, UsageError } from '../base/usage.ts';
import { decode } from '../decoding/decode/decode.ts';
import type { Decoded } from '../decoding/decode/evidence.ts';
import { WAYS, type Way } from './candidate-files/normalize.ts';
import { type RapporFiles, rapporSource, type Source } from './decode-source.ts';
import { describe, type Summary } from './decode-words.ts';
import { BOOLEAN, decodeBoolean } from './rappor-files/boolean.ts';
import { checkOutputs, writeOutputs } from './rappor-files/outputs.ts';
import { distributionLines, resultLines } from './rappor-files/results.ts';
import { addStored, type StoredOptions } from './stored-options.ts';

interface DecodeOptions extends Partial<RapporFiles>, StoredOptions {
  readonly candidates?: string[];
  readonly normalize: readonly Way[];
  readonly fdr: number;
  readonly out?: string;
  readonly all?: true;
  readonly distribution?: string;
  readonly json?: true;
}

const MOST_NAMED = 10; // lines about candidates that were left out

function waysOption(text: string): readonly Way[] {
  const ways = text.split(',').map((name) => WAYS.find((way) => way === name));
  if (ways.every((way) => way !== undefined)) return ways;
  throw new UsageError(`--normalize: expected some of ${WAYS.join(', ')}, separated by commas, got ${JSON.stringify(text)}`);
}

const sum = (marks: Uint8Array): number => marks.reduce((total, mark) => total + mark, 0);

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

/** Decodes. Candidates that have a twin are not reported. */
function decodeSource({ counts, map }: Source, fdr: number): Decoded & { readonly twins: Uint8Array } {
  if (map === undefined) return { ...decodeBoolean(counts, fdr), twins: new Uint8Array(BOOLEAN.length) };
  const decoded = decode({ counts, map, fdr });
  const twins = twinsOf(counts, map);
  return { ...decoded, twins, reported: decoded.reported.map((is, v) => (twins[v] === 1 ? 0 : is)) };
}

async function run(options: DecodeOptions): Promise<void> {
  const begun = performance.now();
  const { params, counts, map, out, distribution, fdr, all = false, json } = options;
  checkOutputs(
    { '--out': out, '--distribution': distribution },
    [params, counts, map, ...(options.candidates ?? [])].filter((file) => file !== undefined),
  );
  const source = await sourceOf(options).catch((error: Error) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  });
  tell(source.leftOut);
  const { names, reports } = source;
  const { twins, ...decoded } = decodeSource(source, fdr);
  writeOutputs([
    ...(out === undefined ? [] : [{ file: out, lines: resultLines(names, reports, decoded, all) }]),
    ...(distribution === undefined ? [] : [{ file: distribution, lines: distributionLines(names, decoded) }]),
  ]);
  const summary = {
    ...aboutOf(source, decoded, fdr),
    indistinguishable: sum(twins),
    seconds: (performance.now() - begun) / 1000,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  };
  print(json, summary, () => describe(summary, names, decoded));
}

/** The numbers about the whole decode. */
function aboutOf(
  { reports, names, leftOut }: Source,
  decoded: Decoded,
  fdr: number,
): Omit<Summary, 'indistinguishable' | 'seconds' | 'peakRssMb'> {
  const { outcome, unexplained, unexplainedError, detectable, other } = decoded;
  return {
    reports,
    candidates: names.length,
    leftOut: leftOut.length,
    reported: sum(decoded.reported),
    fdr,
    outcome,
    unexplained,
    unexplainedError,
    leftOver: other,
    detectable,
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
    .option('--json', 'print one JSON document on standard output')
    .action(run);
}
