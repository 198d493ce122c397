/** Rules for plain objects: what each key must hold. One that is broken throws, names the field, and says what came. */

/** The empty string for a good value, else what was expected. */
export type Rule = (value: unknown) => string;

/** Rules by key; a key without a rule is refused. */
export type Rules = { readonly [key: string]: Rule };

const rule =
  (expected: string, good: (value: never) => boolean): Rule =>
  (value) =>
    good(value as never) ? '' : expected;

const matches = (expected: string, pattern: RegExp): Rule => rule(expected, (value) => typeof value === 'string' && pattern.test(value));

export const isPositive: Rule = /* @__PURE__ */ rule('a finite number above 0', (value: number) => Number.isFinite(value) && value > 0);
export const isWhole: Rule = /* @__PURE__ */ rule('a whole number above 0', (value: number) => Number.isSafeInteger(value) && value > 0);
export const isText: Rule = /* @__PURE__ */ matches('a text', /./);
export const isDay: Rule = /* @__PURE__ */ matches('a day such as 2027-01-31', /^\d{4}-\d\d-\d\d$/);
export const isName: Rule = /* @__PURE__ */ matches('a letter, then at most 63 of letters, digits, _ . -', /^[A-Za-z][\w.-]{0,63}$/);

/** One of a few words. */
export const isOneOf = (words: readonly unknown[]): Rule => rule(`one of ${words.join(', ')}`, (value) => words.includes(value));

/** A rule for a key that may be left out. */
export const optional =
  (inner: Rule): Rule =>
  (value) =>
    value === undefined ? '' : inner(value);

/** The longest list of answers; a joint question's product counts. */
export const MAX_ANSWERS = 100_000;

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

/** Throws unless `expected` is empty. */
export function refuse(field: string, expected: string, got: unknown): void {
  if (expected !== '') throw new RangeError(`${field}: expected ${expected}, got ${JSON.stringify(got) ?? String(got)}`);
}

/** Throws a RangeError unless the object keeps every rule and has no other key. */
export function conform(field: string, object: object, rules: Rules): void {
  const values = object as { readonly [key: string]: unknown };
  for (const key of Object.keys({ ...rules, ...values })) {
    refuse(`${field}.${key}`, (rules[key] ?? (() => `only ${Object.keys(rules).join(', ')}`))(values[key]), values[key]);
  }
}
