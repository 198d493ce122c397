/** `murmuration release ask`: asks the question of the options, or of a file; its answer as lines, as JSON, or as CSV. */

import { writeFileSync } from 'node:fs';
import { print, UsageError } from '../base/usage.ts';
import { answerCsv, assertTabular } from '../release/answer-csv.ts';
import { measuringBy } from '../release/measuring/measuring.ts';
import { systemRandom } from '../release/mechanisms/random.ts';
import { type RangeSum, rangeSum } from '../release/query/days.ts';
import type { Measured } from '../release/query/measured.ts';
import type { Question } from '../release/query/question.ts';
import { Releases } from '../release/release.ts';
import { readParticipation } from '../release/table/participation.ts';
import { createCatalog } from '../schemas/catalog.ts';
import { withLedger } from './release-place.ts';
import { type AskOptions, type DayRangeText, questionOf } from './release-question.ts';
import { answerText, previewText, rangesText } from './release-words.ts';
import { load } from './serve.ts';
import { sourceOf } from './stored.ts';

function checkTabular(question: Question): void {
  try {
    assertTabular(question);
  } catch (error) {
    throw new UsageError(`--out: ${(error as Error).message}`);
  }
}

/** @throws {UsageError} when a range is not one of the question's, before anything is spent */
function checkRanges(range: readonly DayRangeText[], { from: first, to: last, measures = [] }: Question): void {
  if (range.length > 0 && (measures.length !== 1 || measures[0]?.kind !== 'days'))
    throw new UsageError('--range: expected --days with it, got another');
  const wrong = range.find(([from, to]) => !(first <= from && from <= to && to <= last));
  if (wrong !== undefined)
    throw new UsageError(`--range: expected days from ${first} to ${last}, the first one first, got ${wrong.join(' to ')}`);
}

/** Writes a file. The answer is stored by then, so another try is free. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`--out ${file}: ${(error as Error).message}; the answer is stored, and asking again costs nothing`);
  }
}

/** Asks, or with `--preview` says what asking would cost. */
export async function ask(options: AskOptions): Promise<void> {
  const { analyst, again = false, json, out, range = [] } = options;
  const question = questionOf(options);
  if (out !== undefined) checkTabular(question);
  checkRanges(range, question);
  const { schemas, published } = await load(options);
  await withLedger(options, async (ledger) => {
    // All versions that are known: what a device may add to a day follows from them together.
    const asked = { analyst, question, again, catalog: createCatalog([...schemas, ...published]) };
    const source = await sourceOf(options);
    const releases = new Releases({ ledger, read: (wanted) => readParticipation(source, wanted), measuring: measuringBy(systemRandom()) });
    if (options.preview) {
      const preview = await releases.preview(asked);
      return print(json, preview, () => previewText(preview));
    }
    const answer = await releases.ask(asked);
    const sums = range.map(([from, to]): RangeSum => rangeSum(answer.results[0] as Measured, from, to));
    if (out !== undefined) write(out, answerCsv(answer));
    print(json, sums.length === 0 ? answer : { ...answer, sums }, () => [answerText(answer), ...rangesText(sums)].join('\n'));
  });
}
