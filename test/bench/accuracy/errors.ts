/**
 * The error of lists: the default mechanism against the bound of its kind and against its own simulation, and what
 * shrinkage gives beside norm-sub on the same reports.
 */

import { simulateChoice } from '#collector/planning/simulate/choice.ts';
import { parseDistribution } from '#collector/planning/simulate/simulation.ts';
import { lawName } from '../../kit/lists.ts';
import { type Part, percent, scientific } from '../../kit/part.ts';
import { PUBLISHED_ERRORS } from './published.ts';

/** How much is simulated. */
export interface Size {
  readonly clients: number;
  readonly rounds: number;
  readonly seed: number;
}

const ANSWERS = [16, 128, 1024];
const EPSILONS = [0.5, 1, 2, 4];
const DISTRIBUTION = 'zipf:1.1';
/** The closed form over the subset-selection bound: what a shorter report may cost. */
const MOST_OVER_BOUND = 1.03;
/** Standard errors between simulation and theory. */
const MOST_APART = 4;

/** Shrunk over norm-sub, at most. */
function mostShrunk(answers: number, epsilon: number): number {
  if (answers === 16) return 1.02;
  if (answers === 128) return epsilon === 4 ? 0.9 : 0.8;
  return epsilon === 4 ? 0.68 : 0.66;
}

type Simulated = ReturnType<typeof simulateChoice>;

const simulated = async (answers: number, epsilon: number, size: Size, mechanism?: string): Promise<Simulated> => {
  process.stderr.write(`${answers} answers at ε = ${epsilon}${mechanism === undefined ? '' : `, ${mechanism}`}\n`);
  const shares = await parseDistribution(DISTRIBUTION, answers);
  return simulateChoice({ answers, epsilon, shares, ...size, ...(mechanism !== undefined && { mechanism }) });
};

/** Standard errors between the simulated error and the closed form. */
const apart = ({ mse, theoryMse, mseStandardError }: Simulated): number => (mse.unbiased - theoryMse) / (mseStandardError ?? Number.NaN);

const named = ({ parameters }: Simulated): string => lawName(parameters);

function failuresOf(found: Simulated): readonly string[] {
  const { answers, epsilon, theoryMse, optimumMse, mse } = found;
  const at = `${answers} answers at ε = ${epsilon}`;
  const gates: readonly (readonly [what: string, value: number, most: number])[] = [
    ['closed form over bound', theoryMse / optimumMse, MOST_OVER_BOUND],
    ['standard errors from theory', Math.abs(apart(found)), MOST_APART],
    ['shrunk over norm-sub', mse.shrunk / mse.normSub, mostShrunk(answers, epsilon)],
  ];
  return gates
    .filter(([, value, most]) => !(value <= most))
    .map(([what, value, most]) => `${at}: expected ${what} to be at most ${most}, got ${value.toFixed(4)}`);
}

/** The default mechanism in every cell. */
export async function errors(size: Size): Promise<Part> {
  const cells: Simulated[] = [];
  for (const answers of ANSWERS) for (const epsilon of EPSILONS) cells.push(await simulated(answers, epsilon, size));
  return {
    title: `squared errors of ${size.clients} reports, ${DISTRIBUTION}, ${size.rounds} seeds; then those of other libraries`,
    failures: cells.flatMap(failuresOf),
    rows: [
      [
        'answers',
        'ε',
        'mechanism',
        'bytes',
        'theory',
        'simulated',
        '+-',
        'apart',
        'theory/bound',
        'norm-sub',
        'shrunk',
        'shrunk/norm-sub',
        'covered',
        'OUE',
        'OLH',
        'SS',
        'HR',
        'PGR',
      ],
      ...cells.map((found) => {
        const { answers, epsilon, bytesPerReport, theoryMse, optimumMse, mse, mseStandardError, coverage95 } = found;
        const published = PUBLISHED_ERRORS[`${answers}/${epsilon}`];
        return [
          String(answers),
          String(epsilon),
          named(found),
          String(bytesPerReport),
          scientific(theoryMse),
          scientific(mse.unbiased),
          scientific(mseStandardError ?? Number.NaN),
          apart(found).toFixed(1),
          (theoryMse / optimumMse).toFixed(3),
          scientific(mse.normSub),
          scientific(mse.shrunk),
          (mse.shrunk / mse.normSub).toFixed(3),
          percent(coverage95),
          ...Object.values(published ?? {}).map(scientific),
        ];
      }),
    ],
    result: cells,
  };
}

/** Every mechanism of lists that can be named, over 128 answers. */
export async function everyMechanism(names: readonly string[], size: Size): Promise<Part> {
  const cells: Simulated[] = [];
  for (const epsilon of EPSILONS) for (const name of names) cells.push(await simulated(128, epsilon, size, name));
  const wrong = cells.filter((found) => !(Math.abs(apart(found)) <= MOST_APART));
  return {
    title: `squared errors of every mechanism: 128 answers, ${size.clients} reports, ${DISTRIBUTION}, ${size.rounds} seeds`,
    failures: wrong.map(
      (found) =>
        `${found.mechanism} at ε = ${found.epsilon}: expected at most ${MOST_APART} standard errors from theory, got ${apart(found).toFixed(1)}`,
    ),
    rows: [
      ['ε', 'mechanism', 'bytes', 'theory', 'simulated', 'apart', 'theory/bound', 'client µs'],
      ...cells.map((found, i) => [
        String(found.epsilon),
        names[i % names.length] as string,
        String(found.bytesPerReport),
        scientific(found.theoryMse),
        scientific(found.mse.unbiased),
        apart(found).toFixed(1),
        (found.theoryMse / found.optimumMse).toFixed(3),
        found.clientMicrosPerReport.toFixed(2),
      ]),
    ],
    result: cells,
  };
}
