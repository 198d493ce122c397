/**
 * The checks of a schema before it ships. They run in development, in tests and in every command of the collector;
 * a production bundle (`process.env.NODE_ENV` is "production") leaves them out, for the schema that it holds is the one
 * that was checked. No guarantee rests on them there: laws refuse what they can't hold, `defineSchema` refuses charges that
 * it can't count (`isChargeable`), a range that has no width takes no number, and the ledger keeps the budget.
 */

import { PERIOD_DAYS } from '../calendar.ts';
import { localHashing } from '../mechanisms/local-hashing.ts';
import { longListLaw } from '../mechanisms/long-list.ts';
import { MOST_CELLS } from '../mechanisms/square-wave.ts';
import { subset } from '../mechanisms/subset.ts';
import type { Law } from '../mechanisms/table.ts';
import type { SchemaSpec } from './define.ts';
import { isListPart, type JointPart } from './document.ts';
import type { Ask, Permanence, Question } from './question.ts';
import {
  byName,
  conform,
  isDay,
  isEdges,
  isList,
  isName,
  isOneOf,
  isPositive,
  isRange,
  isText,
  isWhole,
  MAX_ANSWERS,
  MAX_SEGMENTS,
  optional,
  type Rule,
  type Rules,
  rule,
} from './rules.ts';

const MAX_TABLE = 64;
const periods = Object.keys(PERIOD_DAYS);

const isProduct: Rule = (field, questions) => {
  const parts = questions as readonly JointPart[];
  const lists = parts.filter(isListPart);
  for (const { name, answers } of lists) isList('string', 'boolean')(`${field}.${name}.answers`, answers);
  rule('one text at most, for nobody could list the pairs of two', () => parts.length - lists.length < 2)(field, parts);
  const lengths = lists.map(({ answers }) => answers.length);
  const fits = (): boolean => parts.length > 1 && lengths.reduce((product, length) => product * length, 1) <= MAX_ANSWERS;
  rule(`two lists or more, or a text and a list, with a product of at most ${MAX_ANSWERS} answers`, fits)(field, lengths);
};

/** A report of a set is no symbol that a second stage could repeat. */
const isSet: Rules = { permanent: optional(rule('no permanence of a set: ask a permanent flag for each answer', () => false)) };

/** A row for each input, as long as the first. */
const isTable: Rule = rule(
  `2 to ${MAX_TABLE} rows of 2 to ${MAX_TABLE} finite numbers, one for each option`,
  (rows: readonly (readonly number[])[]) =>
    [rows.length, rows[0]?.length ?? 0].every((length) => length > 1 && length <= MAX_TABLE) &&
    rows.every((row) => Array.isArray(row) && row.length === rows[0]?.length && row.every(Number.isFinite)),
);

/** An outcome that is drawn by utilities has no second stage. */
const isBest: Rules = { permanent: optional(rule('no permanence of an outcome: ask a permanent choice of the input', () => false)) };

const isCells: Rule = rule(
  `a whole number of cells from 2 to ${MOST_CELLS}`,
  (cells: number) => Number.isInteger(cells) && cells > 1 && cells <= MOST_CELLS,
);

/** A number's whole distribution has no second stage. */
const isDistribution: Rules = { permanent: optional(rule('a mean, a count or a histogram to be permanent', () => false)) };

/** Rules for the keys that a type of question has besides those of every metric. */
const rulesOf: { readonly [T in Question<never>['type']]: Rules } = {
  flag: {},
  choice: { answers: isList('string'), other: optional(isOneOf([true])) },
  choices: { answers: isList('string'), atMost: isWhole, other: optional(isOneOf([true])), ...isSet },
  best: { options: isList('string'), inputs: isList('string'), utility: isTable, ...isBest },
  joint: { questions: isProduct },
  text: {},
  histogram: { edges: isEdges },
  mean: { range: isRange },
  count: { max: isWhole },
  distribution: { range: isRange, cells: isCells, ...isDistribution },
};

/** Of every metric. */
const common = (epsilon: number): Rules => ({
  epsilon: isPositive,
  description: isText,
  unit: optional(isText),
  every: optional(isOneOf([...periods, 'once'])),
  owner: optional(isText),
  expires: optional(isDay),
  mechanism: () => {}, // the types know what is one; its law's refusals name the metric
  otherwise: () => {}, // its own question knows what is an answer
  permanent: optional((field, permanence) => {
    conform({ epsilon: isPositive, renew: isOneOf(['week', 'month', 'year', 'never']) })(field, permanence);
    const covers = (): boolean => (permanence as Permanence).epsilon >= epsilon;
    rule(`an epsilon of at least that of one report, ${epsilon}`, covers)(field, permanence);
  }),
});

/**
 * Checks what stands for no answer, where a metric says it.
 *
 * @param input undefined for what is no answer
 * @throws {RangeError} when it is no answer to the question, or the slots have no end
 */
export function assertOtherwise(
  field: string,
  { otherwise, every }: Pick<Ask, 'otherwise' | 'every'>,
  input: (value: unknown) => unknown,
): void {
  if (otherwise === undefined) return;
  rule('an answer to the question', () => input(otherwise) !== undefined)(`${field}.otherwise`, otherwise);
  rule('slots that end, for otherwise is reported at their ends', () => every !== 'once')(`${field}.every`, every);
}

const isMetric: Rule = (field, question) => {
  const { type, ask, fields, input } = question as Question<unknown>;
  conform({ ...common(ask.epsilon), ...rulesOf[type] })(field, { ...ask, ...fields });
  assertOtherwise(field, ask, input);
  const { options, utility } = (fields ?? {}) as {
    readonly options?: readonly string[];
    readonly utility?: readonly (readonly number[])[];
  };
  if (utility?.[0])
    rule(`${utility[0].length} options, as many as a row has utilities`, () => options?.length === utility[0]?.length)(
      `${field}.options`,
      options,
    );
};

/**
 * Throws where subset selection sends a bit for each answer of a long list, and `longList()` would send two or three bytes: no
 * bundler can tell a long list from a short one, so that only what an app names brings the code (long-list.ts). A permanent list
 * keeps its bits, for short reports would name a cohort that stays.
 */
function assertShort(law: Law, epsilon: number): void {
  if (law.mechanism !== 'subset') return;
  const short = longListLaw(law.size, epsilon);
  if (short.mechanism !== 'local-hashing') return;
  throw new RangeError(
    `expected mechanism: longList() of @murmuration/client for a list of ${law.size} answers, got none: reports would have ${subset.reportBytes(law)} bytes, and with it ${localHashing.reportBytes(short)}`,
  );
}

const isSpec = conform({
  app: isName,
  version: isWhole,
  budget: conform({ epsilon: isPositive, per: isOneOf(periods) }),
  segments: byName(isList('string')),
  devices: optional(isWhole),
  assign: optional(isOneOf(['random'])),
  metrics: byName(isMetric),
});

/**
 * Checks what `defineSchema` is given.
 *
 * @throws {RangeError} that names the field, what was expected and what came
 */
export function assertSpec(spec: SchemaSpec): void {
  isSpec('schema', spec);
  const { segments = {}, metrics, devices = 100_000 } = spec;
  const combinations = Object.values(segments).reduce((product, { length }) => product * length, 1);
  rule(`at most ${MAX_SEGMENTS} combinations`, () => combinations <= MAX_SEGMENTS)('schema.segments', combinations);
  rule('at least one metric', () => Object.keys(metrics).length > 0)('schema.metrics', metrics);
  for (const [name, { ask, size, law }] of Object.entries(metrics)) {
    try {
      const chosen = law(size, ask.epsilon, devices);
      if (!ask.mechanism) assertShort(chosen, ask.epsilon);
    } catch (error) {
      throw new RangeError(`schema.metrics.${name}: ${(error as Error).message}`);
    }
  }
}
