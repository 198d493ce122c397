/** A single question for somebody who has no schema yet: the document of a schema with this one metric. */

import {
  defineSchema,
  listLaw,
  longListLaw,
  type MetricDocument,
  type NamedList,
  permanent,
  type Question,
  type QuestionType,
  type SchemaDocument,
} from '@murmuration/shared';
import { type Asking, PLANNED, type Planning, type PlanOption, presentationOf, types } from '../../estimation/questions.ts';

const planningOf = (type: QuestionType): Planning<unknown> | undefined => presentationOf(type).planning as Planning<unknown> | undefined;

/** The types that can be planned without a schema. */
export const planned: readonly QuestionType[] = types.filter(planningOf);

/** The questions that are asked. */
export const askedTypes = (asking: Partial<Asking>): readonly QuestionType[] => planned.filter((type) => asking[type] !== undefined);

/** As options of a command line. */
export const QUESTIONS: string = planned.map((type) => `--${type}`).join(', ');

/** The command-line options of all questions. */
export const questionOptions = (): readonly PlanOption[] => planned.flatMap((type) => planningOf(type)?.options() ?? []);

/**
 * A long list, as an app asks it. The client's `longList()` gives short lists the same law as usual. Permanent lists have no short reports.
 */
const longList: NamedList = { takes: 'list', law: (size, epsilon) => longListLaw(size, epsilon) };

/** The only question that is asked, and how it is planned. */
function plannedIn(asking: Asking): { readonly given: unknown; readonly planning: Planning<unknown> } {
  const [type = 'flag'] = askedTypes(asking);
  return { given: asking[type], planning: planningOf(type) as Planning<unknown> };
}

function questionOf(asking: Asking): Question<never> {
  const ask = { epsilon: asking.epsilon, description: PLANNED };
  const { given, planning } = plannedIn(asking);
  return planning.question(given, asking, asking.permanent === undefined ? { ...ask, mechanism: longList } : ask);
}

/**
 * The metric, in a schema that expects this many devices. Their number determines the cohorts of texts.
 *
 * @throws {RangeError} when there is no such question or law
 */
export function metricOf(asking: Asking, devices?: number): MetricDocument {
  const question = questionOf(asking);
  const whole = asking.permanent === undefined ? question : permanent(question, { epsilon: asking.permanent, renew: 'year' });
  const budget = { epsilon: 2 * Math.max(asking.epsilon, asking.permanent ?? 0), per: 'month' as const };
  const document: SchemaDocument = defineSchema({
    app: 'plan',
    version: 1,
    budget,
    ...(devices && { devices }),
    metrics: { question: whole },
  }).document;
  return document.metrics['question'] as MetricDocument;
}

/**
 * The question of a type, from the text that the command's option of its name takes.
 *
 * @throws {UsageError} when the text is no value of that option
 */
export function askingFrom(type: QuestionType, of: string, rest: Asking): Asking {
  const [option] = planningOf(type)?.options() ?? [];
  return { ...rest, [type]: option?.[2] ? option[2](of) : true };
}

/** A text as a literal of source. */
const quoted = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The line of a schema that asks the question: the call from which `metric` came. */
export function lineOf(asking: Asking, { law, every }: Pick<MetricDocument, 'law' | 'every'>, name: string, description: string): string {
  const { given, planning } = plannedIn(asking);
  const { epsilon } = asking;
  const isLong =
    'size' in law && law.mechanism === longListLaw(law.size, epsilon).mechanism && law.mechanism !== listLaw(law.size, epsilon).mechanism;
  const members = [`epsilon: ${epsilon}`, `every: '${every}'`, ...(isLong ? ['mechanism: longList()'] : [])];
  return `${name}: ${planning.source(given, [...members, `description: ${quoted(description)}`].join(', '), asking)},`;
}

/** The question in words. */
export function sentenceOf(asking: Asking): string {
  const { given, planning } = plannedIn(asking);
  return planning.summary(given, asking);
}
