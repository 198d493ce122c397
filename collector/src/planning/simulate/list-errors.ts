/** Errors of lists and sets: of the unbiased estimates and of the collector's biased ones; and the costs for client and collector. */

import type { Estimate } from '../../estimation/estimate.ts';
import { normSub } from '../../estimation/norm-sub.ts';
import { shrunk } from '../../estimation/shrunk.ts';
import { averageOf, type Errors, errorsOf, meanSquare, type RoundErrors } from './simulation.ts';

/** Squared errors of the biased estimates. */
interface Biased {
  readonly shrunk: number;
  readonly normSub: number;
}

/** The contribution of one round. */
export interface ListRound extends RoundErrors, Biased {
  readonly clientSeconds: number;
  readonly collectorSeconds: number;
}

/** The results of a simulation's rounds. */
export interface ListErrors extends Omit<Errors, 'mse'> {
  readonly mse: Biased & { readonly unbiased: number };
  readonly clientMicrosPerReport: number;
  readonly collectorSeconds: number;
}

/** The squared errors of the biased estimates. `total` is the sum of the shares. */
export const biasedErrors = (estimates: readonly Estimate[], truths: readonly number[], total?: number): Biased => ({
  shrunk: meanSquare(shrunk(estimates, total), truths),
  normSub: meanSquare(
    normSub(
      estimates.map(({ estimate }) => estimate),
      total,
    ),
    truths,
  ),
});

/** The errors of the rounds, in each of which clients made this many reports. */
export function listErrors(rounds: readonly ListRound[], reports: number): ListErrors {
  const { mse: unbiased, ...errors } = errorsOf(rounds);
  const average = (of: keyof ListRound): number => averageOf(rounds.map((round) => round[of]));
  return {
    mse: { unbiased, shrunk: average('shrunk'), normSub: average('normSub') },
    ...errors,
    clientMicrosPerReport: (average('clientSeconds') / reports) * 1e6,
    collectorSeconds: average('collectorSeconds'),
  };
}
