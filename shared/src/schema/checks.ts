/**
 * The checks of a schema before it ships, as an app defines it and as a document: one set of rules, so that what `defineSchema` takes, the
 * collector takes too. They run in development, in tests and in every command of the collector;
 * a production bundle (`process.env.NODE_ENV` is "production") leaves them out, for the schema that it holds is the one
 * that was checked. No guarantee rests on them there: laws refuse what they can't hold, `defineSchema` refuses charges that
 * it can't count (`isChargeable`), a range that has no width takes no number, and the ledger keeps the budget.
 */

import { PERIOD_DAYS } from '../calendar.ts';
import { localHashing } from '../mechanisms/local-hashing.ts';
import { longListLaw } from '../mechanisms/long-list.ts';
import { subset } from '../mechanisms/subset.ts';
import { type Law, mechanisms } from '../mechanisms/table.ts';
import type { Ask, Permanence, Question } from '../questions/question.ts';
import { kinds, type QuestionType } from '../questions/table.ts';
import { type MetricDocument, questionOf, type SchemaDocument } from './document.ts';
import {
  byName,
  conform,
  isDay,
  isEpsilon,
  isList,
  isName,
  isOneOf,
  isText,
  isWhole,
  MAX_SEGMENTS,
  optional,
  type Rule,
  type Rules,
  rule,
} from './rules.ts';
import type { SchemaSpec } from './spec.ts';

const periods = Object.keys(PERIOD_DAYS);
const isCadence: Rule = isOneOf([...periods, 'once']);

/** Of every metric: of its question, and of the law that it spends. */
const commonRules = (epsilon: number): Rules => ({
  epsilon: isEpsilon,
  otherwise: () => {}, // its own question knows what is an answer
  permanent: optional((field, permanence) => {
    conform({ epsilon: isEpsilon, renew: isOneOf(['week', 'month', 'year', 'never']) })(field, permanence);
    const covers = (): boolean => (permanence as Permanence).epsilon >= epsilon;
    rule(`an epsilon of at least that of one report, ${epsilon}`, covers)(field, permanence);
  }),
});

/** What people say of a metric. */
const aboutRules: Rules = { description: isText, unit: optional(isText), owner: optional(isText), expires: optional(isDay) };

const isType: Rule = isOneOf(Object.keys(kinds));

/** A metric's fields under the rules of its type, and of every metric. */
function assertFields(field: string, type: unknown, fields: { readonly epsilon: number }, others: Rules): void {
  isType(`${field}.type`, type);
  const { rules, together } = kinds[type as QuestionType];
  conform({ ...commonRules(fields.epsilon), ...others, ...rules() })(field, fields);
  together?.(field, fields);
}

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

/** A metric as an app asks it. */
const isQuestion: Rule = (field, question) => {
  const { type, ask, fields, input } = question as Question<unknown>;
  // The types know what is a mechanism; its law's refusals name the metric.
  const others = { ...aboutRules, every: optional(isCadence), mechanism: () => {} };
  assertFields(field, type, { ...ask, ...fields }, others);
  assertOtherwise(field, ask, input);
};

const isLaw: Rule = (field, law) => {
  isOneOf(Object.keys(mechanisms))(`${field}.mechanism`, (law as Law | null | undefined)?.mechanism);
  rule('a law without null: what is optional is left out', (values: object) => !Object.values(values).includes(null))(field, law);
};

/** A metric as a document holds it. */
const isMetric: Rule = (field, metric) => {
  const fields = (metric ?? {}) as MetricDocument;
  assertFields(field, fields.type, fields, { type: isType, every: isCadence, law: isLaw });
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

/** Of a schema, as it is defined and as a document. */
const schemaRules: Rules = {
  app: isName,
  version: isWhole,
  budget: conform({ epsilon: isEpsilon, per: isOneOf(periods) }),
  segments: optional(byName(isList('string'))),
  assign: optional(isOneOf(['random'])),
};

const isSpec = conform({ ...schemaRules, devices: optional(isWhole), metrics: byName(isQuestion) });

const isDocument = conform({
  format: isOneOf([1]),
  chooser: isOneOf([1]),
  ...schemaRules,
  devices: isWhole,
  metrics: byName(isMetric),
  about: byName(conform(aboutRules)),
});

/** What no field tells by itself. */
function assertWhole({ segments = {}, metrics }: Pick<SchemaSpec, 'segments'> & { readonly metrics: object }): void {
  const combinations = Object.values(segments).reduce((product, { length }) => product * length, 1);
  rule(`at most ${MAX_SEGMENTS} combinations`, () => combinations <= MAX_SEGMENTS)('schema.segments', combinations);
  rule('at least one metric', () => Object.keys(metrics).length > 0)('schema.metrics', metrics);
}

/**
 * Checks what `defineSchema` is given.
 *
 * @throws {RangeError} that names the field, what was expected and what came
 */
export function assertSpec(spec: SchemaSpec): void {
  isSpec('schema', spec);
  assertWhole(spec);
  const { metrics, devices = 100_000 } = spec;
  for (const [name, { ask, size, law }] of Object.entries(metrics)) {
    try {
      const chosen = law(size, ask.epsilon, devices);
      if (!ask.mechanism) assertShort(chosen, ask.epsilon);
    } catch (error) {
      throw new RangeError(`schema.metrics.${name}: ${(error as Error).message}`);
    }
  }
}

/**
 * Checks a document by the same rules, but for its laws and charges.
 *
 * @throws {RangeError} that names the field, what was expected and what came
 */
export function assertDocument(json: unknown): asserts json is SchemaDocument {
  isDocument('schema', json);
  const document = json as SchemaDocument;
  assertWhole(document);
  for (const [name, metric] of Object.entries(document.metrics)) {
    assertOtherwise(`schema.metrics.${name}`, metric, questionOf(metric).input);
    rule('what people say of the metric', () => Object.hasOwn(document.about, name))(`schema.about.${name}`, undefined);
  }
}
