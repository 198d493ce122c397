/** The checks of an app's options. Like the schema checks, they run in development only. */

import { conform, isOneOf, isWhole, optional, type Rule, rule, type Segments } from '@murmuration/shared';
import type { DeviceQuestions } from './questions/question.ts';
import type { Options } from './types.ts';

const isShare = rule('a number above 0, at most 1', (share: number) => share > 0 && share <= 1);
const isEndpoint = rule(
  'an address such as https://t.example.com or a path such as /telemetry, without ?, # and /v1/reports',
  (endpoint: string) => /^(?:https?:\/\/[^/?#]+|\/)[^?#]*$/i.test(endpoint) && !/\/v1\/reports\/*$/.test(endpoint),
);
const isWriteKey = rule(
  'a public write key, pk_..., as an access token must not be in an app',
  (key: string) => key.length > 0 && !key.startsWith('at_'),
);
const isFunction = rule('a function', (value: unknown) => typeof value === 'function');

/** An object with these methods. */
const has = (example: string, ...methods: readonly string[]): Rule =>
  rule(
    `an object with ${methods.join(' and ')}, such as ${example}`,
    (value: { readonly [method: string]: unknown } | null) => !!value && methods.every((method) => typeof value[method] === 'function'),
  );

const isSchema: Rule = (field, value) => {
  const { document, questions, wire } = (value ?? {}) as { readonly [key: string]: unknown };
  if (!document || !questions || !wire) throw new TypeError(`${field}: expected what defineSchema returns, got ${typeof value}`);
};

/** The rules of all options. */
const rules: { readonly [K in keyof Required<Options<DeviceQuestions, Segments>>]: Rule } = {
  schema: isSchema,
  endpoint: isEndpoint,
  key: optional(isWriteKey),
  segment: () => {}, // the schema knows which
  consent: optional(isOneOf(['ask', 'granted', 'denied'])),
  upload: optional(isOneOf(['soon', 'later'])),
  batchesPerDay: optional(isWhole),
  sampleRate: optional(isShare),
  onOutcome: optional(isFunction),
  debug: optional(isOneOf([true, false])),
  partitioned: optional(isOneOf([true, false])),
  storage: optional(has('webStorage()', 'transact')),
  transport: optional(isFunction),
  lifecycle: optional(isFunction),
  clock: optional(has('{ now: () => Date.now(), after: (milliseconds, run) => cancel }', 'now', 'after')),
  rng: optional(isFunction),
};
const names = Object.keys(rules);

/** Throws a RangeError for an unknown option, and suggests the option that was probably meant. */
function assertKnown(name: string): void {
  if (Object.hasOwn(rules, name)) return;
  const start = name.slice(0, 3).toLowerCase();
  const meant = names.find((known) => known.toLowerCase().includes(start));
  throw new RangeError(`${name}: no such option.${meant ? ` Did you mean ${meant}?` : ''} The options are ${names.join(', ')}`);
}

/**
 * @throws {TypeError} where there is no object, or no schema
 * @throws {RangeError} that names the option, what was expected and what came
 */
export function assertOptions<M extends DeviceQuestions, S extends Segments>(options: Options<M, S>): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`createTelemetry: expected { schema, endpoint }, got ${options === null ? 'null' : typeof options}`);
  for (const name of Object.keys(options)) assertKnown(name);
  for (const [name, check] of Object.entries(rules)) check(name, options[name as keyof Options<M, S>]);
  rule("relayTransport(...) beside a schema with relay: 'required', since the collector refuses what comes past it", () => {
    return !options.schema.document.relay || options.transport !== undefined;
  })('transport', options.transport);
  rule("'soon' beside relayTransport({ tokens }), since two random days may lie in one slot, which has one token", () => {
    return options.upload !== 'later' || !('tokens' in (options.transport ?? {}));
  })('upload', options.upload);
  const segments = Object.entries(options.schema.document.segments ?? {});
  conform(Object.fromEntries(segments.map(([name, values]) => [name, isOneOf(values)])))('segment', options.segment);
}
