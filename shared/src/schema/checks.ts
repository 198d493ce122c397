/**
 * The checks of a schema before it ships. The same rules apply to a schema as an app defines it and to its document, so the collector
 * accepts whatever `defineSchema` accepts. The checks run in development, in tests and in every command of the collector. A production
 * bundle (`process.env.NODE_ENV` is "production") omits them, because its schema has already been checked. No guarantee depends on them
 * there: laws refuse an ε that they can't represent, `defineSchema` refuses charges that can't be counted (`assigned`), a range without
 * width accepts no number, and the ledger enforces the budget.
 */

import { PERIOD_DAYS } from '../calendar.ts';
import { localHashing } from '../mechanisms/local-hashing.ts';
import { longListLaw } from '../mechanisms/long-list.ts';
import { subset } from '../mechanisms/subset.ts';
import { type Form, type Law, mechanisms, members } from '../mechanisms/table.ts';
import type { Ask, Named, Permanence, Question } from '../questions/question.ts';
import { answeringOf, kinds, type QuestionType } from '../questions/table.ts';
import type { MetricDocument, SchemaDocument } from './document.ts';
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

/** The rules for the fields that every metric has. */
const commonRules = (epsilon: number): Rules => ({
  epsilon: isEpsilon,
  otherwise: () => {}, // its own question knows what is an answer
  permanent: optional((field, permanence) => {
    conform({ epsilon: isEpsilon, renew: isOneOf(['week', 'month', 'year', 'never']) })(field, permanence);
    const covers = (): boolean => (permanence as Permanence).epsilon >= epsilon;
    rule(`an epsilon of at least that of one report, ${epsilon}`, covers)(field, permanence);
  }),
});

/** Rules for the descriptive fields of a metric. */
const aboutRules: Rules = {
  description: isText,
  unit: optional(isText),
  owner: optional(isText),
  expires: optional(isDay),
  publish: optional(isOneOf([true, false])),
};

const isType: Rule = isOneOf(Object.keys(kinds));

/** Checks a metric's fields against the rules of its type and those of every metric. */
function assertFields(field: string, type: unknown, fields: { readonly epsilon: number }, others: Rules): void {
  isType(`${field}.type`, type);
  const { rules, together } = kinds[type as QuestionType];
  conform({ ...commonRules(fields.epsilon), ...others, ...rules() })(field, fields);
  together?.(field, fields);
}

/**
 * Checks the `otherwise` answer of a metric that has one.
 *
 * @param input undefined for a value that is not an answer
 * @throws {RangeError} when it is not an answer to the question, or the slots have no end
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

const isConstructed: Rule = rule('a question such as flag({ ... })', ({ law }: Question<unknown>) => typeof law === 'function');

/** TypeScript's types check that the mechanism suits the question; errors of its law name the metric. */
const isMechanism: Rule = rule('a mechanism such as longList()', ({ law }: Named) => typeof law === 'function');

/** Checks a metric as an app defines it. */
const isQuestion: Rule = (field, question) => {
  isConstructed(field, question);
  const { type, ask, fields, input } = question as Question<unknown>;
  const others = { ...aboutRules, every: optional(isCadence), mechanism: optional(isMechanism) };
  assertFields(field, type, { ...ask, ...fields }, others);
  assertOtherwise(field, ask, input);
};

/** Refuses members that a law does not have. Its mechanism checks those that it has. */
function hasForm(form: Form): Rule {
  if (form === 'number') return () => {};
  if (form === 'law') return (field, law) => isLaw(field, law);
  if (!Array.isArray(form)) return conform(rulesOf(form as { readonly [member: string]: Form }));
  const [each] = form as readonly [Form];
  const isEach = hasForm(each);
  return (field, list) => {
    if (Array.isArray(list) && each !== 'number') list.forEach((value, i) => void isEach(`${field}.${i}`, value));
  };
}

const rulesOf = (form: { readonly [member: string]: Form }): Rules =>
  Object.fromEntries(Object.entries(form).map(([member, inner]) => [member, optional(hasForm(inner))]));

const isLaw: Rule = (field, law) => {
  isOneOf(Object.keys(mechanisms))(`${field}.mechanism`, (law as Law | null | undefined)?.mechanism);
  rule('a law without null: what is optional is left out', (values: object) => !Object.values(values).includes(null))(field, law);
  conform({ mechanism: () => {}, ...rulesOf(members[(law as Law).mechanism]) })(field, law);
};

/** Checks a metric as a document contains it. */
const isMetric: Rule = (field, metric) => {
  const fields = (metric ?? {}) as MetricDocument;
  assertFields(field, fields.type, fields, { type: isType, every: isCadence, law: isLaw });
};

/**
 * Throws a RangeError if subset selection would send one bit per answer of a long list where `longList()` would send two or three bytes. A
 * bundler can't tell a long list from a short one, so the code is bundled only if the app names it (long-list.ts). A permanent list keeps
 * its bits, because its short reports would contain a cohort that stays the same.
 */
function assertShort(law: Law, epsilon: number): void {
  if (law.mechanism !== 'subset') return;
  const short = longListLaw(law.size, epsilon);
  if (short.mechanism !== 'local-hashing') return;
  throw new RangeError(
    `expected mechanism: longList() of @murmuration/client for a list of ${law.size} answers, got none: reports would have ${subset.reportBytes(law)} bytes, and with it ${localHashing.reportBytes(short)}`,
  );
}

/** The rules for the fields of a schema, as defined and as a document. */
const schemaRules: Rules = {
  app: isName,
  version: isWhole,
  budget: conform({ epsilon: isEpsilon, per: isOneOf(periods) }),
  segments: optional(byName(isList('string'))),
  assign: optional(isOneOf(['random'])),
  relay: optional(isOneOf(['required'])),
  together: optional(isWhole),
};

const isSending: Rule = isOneOf(['alone', 'together']);

const isSpec = conform({ ...schemaRules, devices: optional(isWhole), reports: optional(isSending), metrics: byName(isQuestion) });

const isDocument = conform({
  format: isOneOf([1]),
  chooser: isOneOf([1]),
  ...schemaRules,
  devices: isWhole,
  reports: isSending,
  metrics: byName(isMetric),
  about: byName(conform(aboutRules)),
});

/** The rules that involve several fields. */
function assertWhole({
  segments = {},
  relay,
  reports,
  together,
  metrics,
}: Pick<SchemaSpec, 'segments' | 'relay' | 'reports' | 'together'> & { readonly metrics: object }): void {
  rule("'alone' beside relay: 'required', since reports of one message are of one device", () => !relay || reports === 'alone')(
    'schema.reports',
    reports,
  );
  rule("no number without relay: 'required', for nothing hides a report then", () => !together || relay !== undefined)(
    'schema.together',
    together,
  );
  const combinations = Object.values(segments).reduce((product, { length }) => product * length, 1);
  rule(`at most ${MAX_SEGMENTS} combinations`, () => combinations <= MAX_SEGMENTS)('schema.segments', combinations);
  rule('at least one metric', () => Object.keys(metrics).length > 0)('schema.metrics', metrics);
}

/**
 * Checks the argument of `defineSchema`.
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
 * Checks a document by the same rules, except for its laws and charges.
 *
 * @throws {RangeError} that names the field, what was expected and what came
 */
export function assertDocument(json: unknown): asserts json is SchemaDocument {
  isDocument('schema', json);
  const document = json as SchemaDocument;
  assertWhole(document);
  for (const [name, metric] of Object.entries(document.metrics)) {
    assertOtherwise(`schema.metrics.${name}`, metric, answeringOf(metric).input as (value: unknown) => unknown);
    rule('what people say of the metric', () => Object.hasOwn(document.about, name))(`schema.about.${name}`, undefined);
  }
}
