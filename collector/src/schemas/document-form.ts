/** The form of a schema document: its keys, and what stands at each. Laws and charges are checked by the catalog. */

import { type Law, MOST_CELLS, mechanisms, type SchemaDocument } from '@murmuration/shared';
import { z } from 'zod';

const NAME = 'a letter, then at most 63 of letters, digits, _ . -';
const name = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, NAME);
/** Far more than a year of daily reports can spend, and few enough digits to be stated in full. */
const MAX_EPSILON = 1e9;
const epsilon = z.number().positive().max(MAX_EPSILON);
const whole = z.number().int().positive();
const period = z.enum(['day', 'week', 'month', 'year']);
const answer = z.union([z.string().min(1), z.boolean()], { error: 'a text or a boolean' });
const distinct = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .min(2)
    .refine((list) => new Set(list).size === list.length, 'answers that differ');

const edges = z
  .array(z.number())
  .min(1)
  .refine((list) => list.every((edge, i) => i === 0 || edge > (list[i - 1] as number)), 'edges that rise');

const range = z.tuple([z.number(), z.number()]).refine(([low, high]) => high > low && Number.isFinite(high - low), 'a low and a high end');

const ofEveryMetric = {
  epsilon,
  every: z.enum(['once', 'day', 'week', 'month', 'year']),
  otherwise: z.json({ error: 'JSON' }).optional(),
  permanent: z.strictObject({ epsilon, renew: z.enum(['week', 'month', 'year', 'never']) }).optional(),
  law: z
    .looseObject({ mechanism: z.enum(Object.keys(mechanisms) as [Law['mechanism']]) })
    .refine((law) => !Object.values(law).includes(null), 'a law without null: what is optional is left out'),
};

const TYPES = ['flag', 'text', 'choice', 'choices', 'best', 'joint', 'histogram', 'mean', 'count', 'distribution'];

const metric = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal(['flag', 'text']), ...ofEveryMetric }),
    z.strictObject({
      type: z.literal('choice'),
      answers: distinct(z.string().min(1)),
      other: z.literal(true).optional(),
      ...ofEveryMetric,
    }),
    z.strictObject({
      type: z.literal('choices'),
      answers: distinct(z.string().min(1)),
      atMost: whole,
      other: z.literal(true).optional(),
      ...ofEveryMetric,
    }),
    z.strictObject({
      type: z.literal('best'),
      inputs: distinct(z.string().min(1)),
      options: distinct(z.string().min(1)),
      utility: z.array(z.array(z.number()).min(2)).min(2),
      ...ofEveryMetric,
    }),
    z.strictObject({
      type: z.literal('joint'),
      questions: z
        .array(
          z.union(
            [z.strictObject({ name: z.string(), answers: distinct(answer) }), z.strictObject({ name: z.string(), text: z.literal(true) })],
            { error: 'a name with 2 or more different answers, or with text: true' },
          ),
        )
        .min(2)
        .refine((parts) => new Set(parts.map((part) => part.name)).size === parts.length, 'questions whose names differ')
        .refine((parts) => parts.filter((part) => 'text' in part).length < 2, 'one text at most'),
      ...ofEveryMetric,
    }),
    z.strictObject({ type: z.literal('histogram'), edges, ...ofEveryMetric }),
    z.strictObject({ type: z.literal('mean'), range, ...ofEveryMetric }),
    z.strictObject({ type: z.literal('count'), max: whole, ...ofEveryMetric }),
    z.strictObject({ type: z.literal('distribution'), range, cells: whole.min(2).max(MOST_CELLS), ...ofEveryMetric }),
  ],
  { error: `a metric of type ${TYPES.join(', ')}` },
);

const documentForm = z.strictObject({
  format: z.literal(1),
  chooser: z.literal(1),
  app: name,
  version: whole,
  devices: whole,
  budget: z.strictObject({ epsilon, per: period }),
  segments: z.record(name, distinct(z.string().min(1))).optional(),
  assign: z.literal('random').optional(),
  metrics: z.record(name, metric),
  about: z.record(
    name,
    z.strictObject({
      description: z.string(),
      unit: z.string().optional(),
      owner: z.string().optional(),
      expires: z
        .string()
        .regex(/^\d{4}-\d\d-\d\d$/, 'a day such as 2027-01-31')
        .optional(),
    }),
  ),
});

/** The value at a path, undefined where there is none. */
const valueAt = (json: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value, key) => (value as { readonly [key: PropertyKey]: unknown } | undefined | null)?.[key], json);

/** What is broken, in the words of the other rules: zod says which type came, and not what. */
function sentence(issue: z.core.$ZodIssue, json: unknown): string {
  const field = ['schema', ...issue.path].join('.');
  if (issue.code === 'unrecognized_keys') return `${field}: expected no other keys, got ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_key') return `${field}: expected ${NAME}, got ${JSON.stringify(issue.path.at(-1))}`;
  const expected = issue.message.replace(/^[A-Z][^:]*: (expected )?/, '').replace(/, received .*$/, '');
  return `${field}: expected ${expected}, got ${JSON.stringify(valueAt(json, issue.path))?.slice(0, 200) ?? 'none'}`;
}

/**
 * A document of the right form from JSON.
 *
 * @throws {RangeError} that names the field, what was expected and what came
 */
export function parseForm(json: unknown): SchemaDocument {
  const form = documentForm.safeParse(json);
  if (!form.success) throw new RangeError(sentence(form.error.issues[0] as z.core.$ZodIssue, json));
  return form.data as unknown as SchemaDocument;
}
