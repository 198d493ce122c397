/**
 * The shipped mechanisms over all ways that their draws can fall, and so their exact law. `uniform` and `flip` branch with rational
 * weights, `decay` with e^-x, which random.test.ts proves of the shipped one.
 *
 * A sampler that rejects starts again from nothing, so its law is that of the first attempt, given that it accepts. `restarts` says which
 * draw begins an attempt; a branch that comes to it a second time is rejected. A branch with too many draws is left open.
 */

import type { Random } from '#collector/release/mechanisms/random.ts';
import { rational } from '../../../proofs/rational.ts';
import { decayed, type ExponentialSum, minus, none, one, plus, term, timesSum } from './exponential-sums.ts';

/** The law of a mechanism. */
export interface ExactLaw {
  /** The probability of each output, in the first attempt. */
  readonly outputs: ReadonlyMap<string, ExponentialSum>;
  readonly rejected: ExponentialSum;
  /** What is left open. */
  readonly open: ExponentialSum;
}

const REJECTED = Symbol('rejected');
const OPEN = Symbol('open');

/** The exact law of `run`. */
export function exactLaw(
  run: (random: Random) => unknown,
  options: { readonly restarts?: 'uniform'; readonly draws?: number } = {},
): ExactLaw {
  const { restarts, draws = 200 } = options;
  const outputs = new Map<string, ExponentialSum>();
  let [rejected, open] = [none, none];
  const path: { way: number; readonly weights: readonly ExponentialSum[] }[] = [];
  do {
    let [at, attempts] = [0, 0];
    const branch = (weightsOf: () => readonly ExponentialSum[]): number => {
      if (at === draws) throw OPEN;
      if (at === path.length) path.push({ way: 0, weights: weightsOf() });
      return (path[at++] as (typeof path)[number]).way;
    };
    const random: Random = {
      uniform: (n) => {
        if (restarts === 'uniform' && attempts++ > 0) throw REJECTED;
        return n === 1 ? 0 : branch(() => Array.from({ length: n }, () => term(rational(1, n))));
      },
      flip: (numerator, denominator) => {
        const p = term(rational(numerator, denominator));
        return branch(() => [p, minus(one, p)]) === 0;
      },
      decay: (numerator, denominator) => {
        if (BigInt(numerator) === 0n) return true;
        const p = decayed(numerator, denominator);
        return branch(() => [p, minus(one, p)]) === 0;
      },
    };
    let output: string | typeof REJECTED | typeof OPEN;
    try {
      output = JSON.stringify(run(random));
    } catch (error) {
      if (error !== REJECTED && error !== OPEN) throw error;
      output = error;
    }
    const weight = path.slice(0, at).reduce((product, { way, weights }) => timesSum(product, weights[way] as ExponentialSum), one);
    if (output === REJECTED) rejected = plus(rejected, weight);
    else if (output === OPEN) open = plus(open, weight);
    else outputs.set(output, plus(outputs.get(output) ?? none, weight));
    let last = path.at(-1);
    while (last && last.way === last.weights.length - 1) {
      path.pop();
      last = path.at(-1);
    }
    if (last) last.way++;
  } while (path.length > 0);
  return { outputs, rejected, open };
}
