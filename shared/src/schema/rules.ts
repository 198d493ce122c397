/** Rules for plain data. A violated rule throws a RangeError that names the field, what was expected and what came. */

import { parseDay } from '../calendar.ts';

/** Throws a RangeError unless the field's value is valid. */
export type Rule = (field: string, value: unknown) => void;

/** Rules by key. A key without a rule is refused. */
export type Rules = { readonly [key: string]: Rule };

/** The most characters of the received value that a message shows. */
const MOST_SHOWN = 200;

/** True if a value is valid. A value of another type than the condition expects may make it throw; such a value is invalid. */
function keeps(value: unknown, good: (value: never) => boolean): boolean {
  try {
    return good(value as never);
  } catch {
    return false;
  }
}

/** JSON would show NaN as null, and throws for a BigInt. */
const asText = (_key: string, member: unknown): unknown =>
  typeof member === 'bigint' || (typeof member === 'number' && !Number.isFinite(member)) ? String(member) : member;

/** A value as a message shows it: the first characters of its JSON or, where it has none, of its own text. */
export function shown(value: unknown): string {
  const hasJson = typeof value === 'object' || typeof value === 'string';
  try {
    return (hasJson ? JSON.stringify(value, asText) : String(value)).slice(0, MOST_SHOWN);
  } catch {
    return typeof value; // it contains itself
  }
}

/** Makes a rule from a condition and its description in words. */
export const rule =
  (expected: string, good: (value: never) => boolean): Rule =>
  (field, value) => {
    if (keeps(value, good)) return;
    throw new RangeError(`${field}: expected ${expected}, got ${shown(value)}`);
  };

const matches = (expected: string, pattern: RegExp): Rule => rule(expected, (value) => typeof value === 'string' && pattern.test(value));

const isPositive: Rule = /* @__PURE__ */ rule('a finite number above 0', (value: number) => Number.isFinite(value) && value > 0);
/** Far more than a year of daily reports can spend, yet short enough to be printed in full. */
const MAX_EPSILON = 1e9;
const isStatable: Rule = /* @__PURE__ */ rule(`a number of at most ${MAX_EPSILON}`, (value: number) => value <= MAX_EPSILON);

/** An ε. */
export const isEpsilon: Rule = (field, value) => {
  isPositive(field, value);
  isStatable(field, value);
};
export const isWhole: Rule = /* @__PURE__ */ rule('a whole number above 0', (value: number) => Number.isSafeInteger(value) && value > 0);
export const isText: Rule = /* @__PURE__ */ matches('a text', /./);
export const isDay: Rule = /* @__PURE__ */ rule('a day such as 2027-01-31', (value: string) => parseDay(value) !== undefined);
export const isName: Rule = /* @__PURE__ */ matches('a letter, then at most 63 of letters, digits, _ . -', /^[A-Za-z][\w.-]{0,63}$/);

/** One of a few words. */
export const isOneOf = (words: readonly unknown[]): Rule => rule(`one of ${words.join(', ')}`, (value) => words.includes(value));

/** A rule for an optional key. */
export const optional =
  (inner: Rule): Rule =>
  (field, value) => {
    if (value !== undefined) inner(field, value);
  };

/** The longest list of answers; a joint question's product counts. */
export const MAX_ANSWERS = 100_000;

/** The most combinations of segment values. */
export const MAX_SEGMENTS = 64;

/** Edges that part the numbers into buckets. */
export const isEdges: Rule = /* @__PURE__ */ rule(
  `1 to ${MAX_ANSWERS - 1} finite numbers, each above the one before`,
  (edges: readonly number[]) =>
    Array.isArray(edges) &&
    edges.length > 0 &&
    edges.length < MAX_ANSWERS &&
    edges.every((edge, i) => Number.isFinite(edge) && (i === 0 || edge > (edges[i - 1] as number))),
);

/** A low and a high end. */
export const isRange: Rule = /* @__PURE__ */ rule(
  'two finite numbers, the second above the first',
  ([low, high, ...more]: readonly number[]) =>
    more.length === 0 && Number.isFinite(low) && Number.isFinite((high as number) - (low as number)) && (high as number) > (low as number),
);

/** A list of two or more different answers of the given types. */
export const isList = (...types: string[]): Rule =>
  rule(
    `2 to ${MAX_ANSWERS} different answers, each a ${types.join(' or ')}`,
    (list: readonly unknown[]) =>
      Array.isArray(list) &&
      list.length > 1 &&
      list.length <= MAX_ANSWERS &&
      new Set(list).size === list.length &&
      list.every((answer) => types.includes(typeof answer) && answer !== ''),
  );

/** An object, or nothing: then the keys that are missing say so. */
const isObject: Rule = /* @__PURE__ */ rule(
  'an object',
  (value) => value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value)),
);

/** An object that keeps every rule and has no other key. */
export const conform =
  (rules: Rules): Rule =>
  (field, object) => {
    isObject(field, object);
    const values = (object ?? {}) as { readonly [key: string]: unknown };
    const known = Object.keys(rules).join(', ');
    const stranger = rule(known === '' ? 'nothing' : `only ${known}`, () => false);
    for (const key of Object.keys({ ...rules, ...values })) {
      (Object.hasOwn(rules, key) ? (rules[key] as Rule) : stranger)(`${field}.${key}`, values[key]);
    }
  };

/** An object whose keys are names, and whose values keep one rule. */
export const byName =
  (inner: Rule): Rule =>
  (field, object) => {
    isObject(field, object);
    for (const [name, value] of Object.entries(object ?? {})) {
      isName(`${field}.${name}`, name);
      inner(`${field}.${name}`, value);
    }
  };
