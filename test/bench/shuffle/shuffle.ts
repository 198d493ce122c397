/**
 * `npm run bench -- shuffle`: the ε of shuffled reports over a grid of ε 1 to 4, of 1,000 to a million devices and of δ 1e-6 and 1e-9. It is
 * set beside the closed form for any law, beside its own lower bound, and for two answers beside all compositions of the others. Then the
 * errors of shares: shuffled, as a local response of the same ε, and as a count with central Laplace noise.
 */

import {
  amplification,
  closedForm,
  hadamardLaw,
  kAryLaw,
  type Law,
  localHashingLaw,
  setLaw,
  stringHashingLaw,
  subsetLaw,
  symmetricUnaryLaw,
  unaryLaw,
} from '@murmuration/shared';
import { holds, type Line, rowOf } from '../lines.ts';
import { worstOfTwo } from './enumeration.ts';
import { errors } from './errors.ts';

const EPSILONS = [1, 2, 3, 4];
const DEVICES = [1e3, 1e4, 1e5, 1e6];
const DELTAS = [1e-6, 1e-9];

/** The laws, and from how many devices on the gap between their bounds is to be at most so much. */
const laws: readonly { readonly name: string; readonly lawOf: (epsilon: number) => Law; readonly gap?: number }[] = [
  { name: 'two answers', lawOf: (epsilon) => kAryLaw(2, epsilon), gap: 1.15 },
  { name: 'k-ary, 3 answers', lawOf: (epsilon) => kAryLaw(3, epsilon), gap: 1.15 },
  { name: 'k-ary, 16 answers', lawOf: (epsilon) => kAryLaw(16, epsilon), gap: 1.15 },
  { name: 'subset, 1,000 answers', lawOf: (epsilon) => subsetLaw(1000, Math.round(1000 / (Math.exp(epsilon) + 1)), epsilon), gap: 1.15 },
  { name: 'unary, 16 answers', lawOf: (epsilon) => unaryLaw(16, epsilon), gap: 1.4 },
  { name: 'symmetric unary, 16 answers', lawOf: (epsilon) => symmetricUnaryLaw(16, epsilon), gap: 1.4 },
  { name: 'Hadamard, 100 answers', lawOf: (epsilon) => hadamardLaw(100, epsilon), gap: 1.15 },
  { name: 'local hashing, 1,000 answers', lawOf: (epsilon) => localHashingLaw(1000, epsilon), gap: 1.15 },
  { name: 'sets, 5 of 100 answers', lawOf: (epsilon) => setLaw(100, 5, epsilon), gap: 1.15 },
  { name: 'string hashing', lawOf: (epsilon) => stringHashingLaw(epsilon, 100_000) },
];

/** The grid of one law: its least gain over the closed form where that is valid, and elsewhere; its widest gap from 10,000 devices on. */
function linesOf({ name, lawOf, gap }: (typeof laws)[number]): readonly Line[] {
  let [valid, elsewhere, widest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  for (const local of EPSILONS)
    for (const devices of DEVICES) {
      const { epsilon, leastEpsilon } = amplification(lawOf(local), devices);
      for (const delta of DELTAS) {
        const found = epsilon(delta);
        const form = closedForm(local, devices, delta);
        if (form < local) valid = Math.min(valid, form / found);
        else elsewhere = Math.min(elsewhere, form / found);
        if (devices >= 1e4 && leastEpsilon !== undefined) widest = Math.max(widest, found / leastEpsilon(delta));
      }
    }
  return [
    { what: `${name}: closed form over ours, where it is valid`, measured: valid, unit: 'times', target: { atLeast: 3 } },
    { what: `${name}: local ε over ours elsewhere`, measured: elsewhere, unit: 'times', target: { atLeast: 1 } },
    ...(gap === undefined
      ? []
      : [{ what: `${name}: upper over lower bound, from 10,000 devices on`, measured: widest, unit: 'times', target: { atMost: gap } }]),
  ];
}

/** ε of two answers over that of the worst composition, by enumeration. */
function enumerated(): readonly Line[] {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const devices of [50, 500, 2000])
    for (const local of EPSILONS) {
      const law = kAryLaw(2, local);
      const { epsilon } = amplification(law, devices);
      const ratio = epsilon(1e-6) / worstOfTwo(1 - law.truth / 2 ** 32, devices, 1e-6, local);
      [low, high] = [Math.min(low, ratio), Math.max(high, ratio)];
    }
  const what = 'two answers, 50 to 2,000 devices: ε over that of all compositions';
  return [
    { what: `${what}, at least`, measured: low, unit: 'times', target: { atLeast: 1 - 1e-6 } },
    { what: `${what}, at most`, measured: high, unit: 'times', target: { atMost: 1.01 } },
  ];
}

export async function shuffle(): Promise<{
  readonly result: { readonly passed: boolean; readonly lines: readonly Line[] };
  readonly rows: readonly (readonly string[])[];
}> {
  const lines = [...laws.flatMap(linesOf), ...enumerated(), ...errors()];
  return { result: { passed: lines.every(holds), lines }, rows: [['ε of shuffled reports', 'measured', 'aim', ''], ...lines.map(rowOf)] };
}
