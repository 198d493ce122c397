/** What a second stage costs: one round of a permanent metric at (ε∞, ε₁) beside the same mechanism asked once at ε₁. */

import {
  bucketsFor,
  kAryLaw,
  type ListLaw,
  localHashingLaw,
  meanVariance,
  mechanismOf,
  permanentKAryLaw,
  permanentListLaw,
  symmetricUnaryLaw,
  unaryLaw,
} from '@murmuration/shared';
import { type Part, scientific } from '../../kit/part.ts';

interface Mechanism {
  readonly law: (answers: number, epsilon: number, permanent?: number) => ListLaw;
  /** Its closed form over the one-shot's, at most: 1 where theory says that they are equal, up to thresholds of 32 bits. */
  readonly most: number;
}

const mechanisms: { readonly [name: string]: Mechanism } = {
  unary: { law: unaryLaw, most: 1 + 1e-5 },
  'symmetric-unary': { law: symmetricUnaryLaw, most: 1 + 1e-5 },
  'k-ary': {
    law: (answers, epsilon, permanent) =>
      permanent === undefined ? kAryLaw(answers, epsilon) : permanentKAryLaw(answers, epsilon, permanent),
    most: 1.03,
  },
  // In the buckets of the permanent metric both times.
  'local-hashing': {
    law: (answers, epsilon, permanent) => localHashingLaw(answers, epsilon, permanent, bucketsFor(answers, epsilon, true)),
    most: 1 + 1e-5,
  },
};

const ANSWERS = [16, 128, 1024];
const PAIRS = [
  [2, 0.5],
  [4, 1],
  [4, 2],
  [8, 4],
] as const;

/** The mean over answers of the closed-form variance, whatever the distribution. */
const errorOf = (law: ListLaw, answers: number, clients: number): number => meanVariance(answers, mechanismOf(law).support(law)) / clients;

/** Every mechanism with two stages, in every cell. */
export function permanent(clients: number): Part {
  const cells = Object.entries(mechanisms).flatMap(([name, { law, most }]) =>
    ANSWERS.flatMap((answers) =>
      PAIRS.map(([epoch, epsilon]) => {
        const once = errorOf(law(answers, epsilon), answers, clients);
        const round = errorOf(law(answers, epsilon, epoch), answers, clients);
        const isDefault =
          permanentListLaw(answers, epsilon, epoch).mechanism === law(answers, epsilon).mechanism && name !== 'symmetric-unary';
        return { answers, epoch, epsilon, mechanism: name, isDefault, once, round, ratio: round / once, most };
      }),
    ),
  );
  return {
    title: `one round of permanent metrics, closed forms for ${clients} reports`,
    failures: cells
      .filter(({ ratio, most }) => !(ratio <= most))
      .map(
        ({ answers, epoch, epsilon, mechanism, ratio, most }) =>
          `permanent ${mechanism} of ${answers} answers at (${epoch}, ${epsilon}): expected at most ${most} of the one-shot error, got ${ratio}`,
      ),
    rows: [
      ['answers', 'ε∞', 'ε₁', 'mechanism', 'once', 'one round', 'ratio', ''],
      ...cells.map(({ answers, epoch, epsilon, mechanism, once, round, ratio, isDefault }) => [
        String(answers),
        String(epoch),
        String(epsilon),
        mechanism,
        scientific(once),
        scientific(round),
        ratio.toFixed(6),
        isDefault ? 'default' : '',
      ]),
    ],
    result: cells,
  };
}
