/**
 * How a stream is made from what was asked for: its mechanism, how many questions may be hard, and the error that is stated before anything
 * is spent.
 *
 * The mechanisms need the number of records N. A tenth of ε is for a noisy one, n, and nine tenths are for the session (sequential
 * composition). The threshold is made for `about`, which the analyst names, so that the stated error is the same before and after. It holds
 * for every answer, whatever N and n are (mechanisms/interactive.ts). n is what the guesses add up to. With |n - N| <= δ for all but 1 % of
 * draws and n <= `about`, the hard questions suffice, too, unless `hard` was named; so with a probability of 94 %, everything holds that is
 * promised.
 */

import type { Ratio } from '@murmuration/shared';
import { BETA } from '../measures/measure.ts';
import { geometric } from '../mechanisms/geometric.ts';
import type { Design, StreamOptions } from '../mechanisms/interactive.ts';
import { type Guesses, type Interactive, interactive, interactiveBound, mostHard } from '../mechanisms/interactive.ts';
import type { NoiseMechanism } from '../mechanisms/mechanism.ts';
import { times } from '../mechanisms/mechanism.ts';
import { medianDesign, medianMechanism } from '../mechanisms/median-mechanism.ts';
import { privateWeights, weightsDesign } from '../mechanisms/private-weights.ts';
import { cellNoiseBound } from '../mechanisms/queries.ts';
import type { Random } from '../mechanisms/random.ts';
import type { MechanismName } from './request.ts';

/** Options of a design. */
export interface DesignOptions {
  readonly epsilon: Ratio;
  /** The most reports of one device-day. */
  readonly sensitivity: number;
  readonly cells: number;
  readonly queries: number;
  readonly about: number;
  readonly hard?: number;
  readonly mechanism?: MechanismName;
}

/** The design. With the numbers above it is all that the mechanism is made from. */
export interface StreamDesign {
  readonly mechanism: MechanismName;
  /** Of the databases that the median mechanism enumerates. */
  readonly records?: number;
  readonly hard: number;
  /** True if the hard questions are promised to suffice. */
  readonly lasts: boolean;
  /** With a probability of 95 %, the most by which any of the answers is off. */
  readonly within: number;
  /** The same for as many questions if each cell had noise of the same ε. */
  readonly cellNoise: number;
}

/** The noise of the number of records. */
export const totalNoise = ({ epsilon, sensitivity }: Pick<DesignOptions, 'epsilon' | 'sensitivity'>): NoiseMechanism =>
  geometric({ epsilon: times(epsilon, 1, 10), sensitivity });

/** How often the number of records may be off by more than δ. */
const TOTAL_BETA = 0.01;

/**
 * Operations for the weights to learn from all hard questions again after a restart, over the passes that each of them makes: half a second.
 * Small tables count as larger ones, since each pass takes time of its own.
 */
const MOST_WORK = 5e7;
const LEAST_CELLS = 200;

/** A count with groupBy has at most so many cells (query/resolve.ts). */
const MOST_COUNTED = 10_000;

/** The parameters of the session's mechanism. */
function sessionOf(of: DesignOptions): StreamOptions {
  const { epsilon, sensitivity, cells, queries, about } = of;
  return { epsilon: times(epsilon, 9, 10), sensitivity, cells, queries, total: about, off: totalNoise(of).accuracy(TOTAL_BETA) };
}

/** The most hard questions that private weights learn from in time. */
const mostLearned = (session: StreamOptions): number =>
  mostHard(session.epsilon, session.sensitivity, Math.floor(Math.sqrt(MOST_WORK / Math.max(session.cells, LEAST_CELLS))));

type Candidate = Design & { readonly mechanism: MechanismName; readonly records?: number };

/** The design of the smaller stated error, or that of the mechanism that was named. @throws {RangeError} when that can't be used */
function candidateOf(session: StreamOptions, mechanism: MechanismName | undefined): Candidate {
  const weights = (): Candidate => ({ ...weightsDesign(session, mostLearned(session)), mechanism: 'weights' });
  const median = (): Candidate => ({ ...medianDesign(session), mechanism: 'median' });
  if (mechanism !== undefined) return mechanism === 'weights' ? weights() : median();
  try {
    const [one, two] = [median(), weights()];
    return interactiveBound(one) <= interactiveBound(two) ? one : two;
  } catch {
    return weights(); // too many databases
  }
}

/** Designs a stream. @throws {RangeError} when the stated error would be of no use, with what to ask for instead */
export function designOf(of: DesignOptions): StreamDesign {
  const { epsilon, sensitivity, cells, queries, about, hard } = of;
  if (cells < 2) throw new RangeError(`columns: expected at least two cells, since a count answers one, got ${cells}`);
  const session = sessionOf(of);
  const candidate = candidateOf(session, of.mechanism);
  const most = candidate.mechanism === 'weights' ? mostLearned(session) : candidate.hard;
  if (hard !== undefined && hard > Math.min(most, queries))
    throw new RangeError(`hard: expected at most ${Math.min(most, queries)} hard questions, got ${hard}`);
  const within = interactiveBound(hard === undefined ? candidate : { ...candidate, hard, gap: () => 0 });
  const cellNoise = cellNoiseBound(epsilon, sensitivity, { queries, widest: cells }, BETA);
  if (within >= about)
    throw new RangeError(
      `a stream: expected a stated error below the number of reports, ${about}; ask for fewer questions, a larger epsilon, or ` +
        `${hard === undefined ? 'name hard, the number of hard questions, to go without the promise that they suffice' : 'fewer hard ones'}, ` +
        `got ${Math.ceil(within)}`,
    );
  if (of.mechanism === undefined && cells <= MOST_COUNTED && within >= cellNoise)
    throw new RangeError(
      `a stream: expected one whose stated error is below that of noise for each cell, ${Math.ceil(cellNoise)}; use count with group-by over ` +
        `the same columns, which answers every question, or name the mechanism ${candidate.mechanism}, got ${Math.ceil(within)} in ${cells} cells`,
    );
  return {
    mechanism: candidate.mechanism,
    ...(candidate.records !== undefined && { records: candidate.records }),
    hard: hard ?? candidate.hard,
    lasts: hard === undefined,
    within,
    cellNoise,
  };
}

/** T and the noise that the session draws for it: the secret of a stream. */
export function drawThreshold(of: DesignOptions, { mechanism, hard, lasts }: StreamDesign, random: Random): number {
  const candidate = candidateOf(sessionOf(of), mechanism);
  const guesses: Guesses = { guess: () => 0, learned: () => guesses };
  return interactive({ ...candidate, hard, ...(!lasts && { gap: () => 0 }), name: mechanism, guesses }).open(random).threshold;
}

/** The mechanism of an open stream. Its threshold is the stored one. */
export function mechanismOf(of: DesignOptions, { mechanism, records, hard }: Omit<StreamDesign, 'within'>, released: number): Interactive {
  const options = { ...sessionOf(of), released, hard };
  return mechanism === 'weights' ? privateWeights(options) : medianMechanism({ ...options, ...(records !== undefined && { records }) });
}
