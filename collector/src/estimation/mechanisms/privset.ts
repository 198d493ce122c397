/**
 * The shares of answers in sets, from PrivSet: a cell for each answer and for each dummy. A set over the limit contributes each of its
 * answers in part.
 */

import { privSet as mechanism, type PrivSetLaw, setLaw } from '@murmuration/shared';
import { THESE } from '../estimate.ts';
import type { ListEstimation } from '../estimation.ts';
import { partEstimates, pureList } from '../pure.ts';
import type { FitTest } from '../watch/fit.ts';

/**
 * Tests the dummies. Sets are filled up with dummies from the first on, so a later dummy is expected in no more reports than an earlier
 * one. A later dummy being in D more, with V reports that have only one of the two, has probability at most exp(-D² / (2 (V + D/3))),
 * Bernstein's bound.
 */
const dummies: FitTest<PrivSetLaw> = ({ size, atMost }, tallies, perDevice) => {
  const cells = tallies.get(0)?.cells;
  if (cells === undefined || atMost === 1) return {};
  const exponents = Array.from({ length: atMost - 1 }, (_, j) => {
    const [before, after] = [cells[size + j] as number, cells[size + j + 1] as number];
    const more = Math.max(0, after - before);
    return more === 0 ? 0 : more ** 2 / (2 * perDevice * (before + after + more / 3));
  });
  return { answers: Math.min(1, exponents.length * Math.exp(-Math.max(...exponents))) };
};

export const privSet: ListEstimation<PrivSetLaw> = {
  ...pureList<PrivSetLaw>(),
  named: ({ size, atMost }) => [(e) => setLaw(size, atMost, e)],
  estimates: (law, { tallies, people = THESE }) => {
    const tally = tallies.get(0);
    return tally === undefined ? [] : partEstimates(tally, mechanism.support(law), people);
  },
  fit: dummies,
  simulated: [{ of: 'choices', name: 'privset' }],
};
