/** What the API's own description says of its routes, and inputs drawn from it: right ones, and wrong ones. */

import fc from 'fast-check';
import { expect } from 'vitest';
import type { Role } from '#collector/storage/admin/credentials.ts';
import { anyString } from '../../setup/any-string.ts';

/** The part of JSON Schema that the description uses for parameters and bodies. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: false | JsonSchema;
  readonly items?: false | JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonSchema;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
  readonly responses: {
    readonly [status: string]: {
      readonly headers?: { readonly [name: string]: unknown };
      readonly content?: { readonly 'application/json': { readonly schema: JsonSchema } };
    };
  };
}

export interface Described {
  readonly openapi: string;
  readonly components: { readonly schemas: { readonly [name: string]: JsonSchema } };
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
}

/** The description as a collector serves it. */
export const describedAt = async (url: string, headers: Record<string, string> = {}): Promise<Described> =>
  (await (await fetch(`${url}/v1/openapi.json`, { headers })).json()) as Described;

/** The least role that may use a route: its description names those above a viewer, and analysts have releases and their session. */
export function leastRole(path: string, { description = '' }: { readonly description?: string | undefined }): Role {
  if (description.endsWith('For admins.')) return 'admin';
  if (description.endsWith('For reviewers and admins.')) return 'reviewer';
  return path.startsWith('/v1/release/') || path === '/v1/session' ? 'analyst' : 'viewer';
}

/** What a refusal must not tell: the file system, or where in the code it came from. */
const TELLING = /\/(work|tmp|home|root|usr)\/|node_modules|\.ts:\d|\n\s+at |SQLITE|undefined|\[object/;

/** Expects a refusal of the read API: one line that says what was expected, and nothing of the machine. */
export function expectRefusal(text: string, about: string): void {
  expect(text.trimEnd(), about).not.toContain('\n');
  const { got: _got, ...others } = JSON.parse(text) as { readonly got: string };
  expect(JSON.stringify(others), about).not.toMatch(TELLING);
  expect(text.length, about).toBeLessThan(1_200);
}

/** Texts that parsers stumble over. */
export const anything: fc.Arbitrary<string> = fc.oneof(
  anyString(40),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    'NaN',
    'null',
    '../../etc/passwd',
    "'; DROP TABLE tally; --",
    '$."x"',
    '%',
    '2026-02-30',
    '__proto__',
  ),
);

/** Values that fit a schema. */
export function fitting(schema: JsonSchema, { components }: Described): fc.Arbitrary<unknown> {
  const of = (part: JsonSchema): fc.Arbitrary<unknown> => {
    if (part.$ref !== undefined) return of(components.schemas[part.$ref.split('/').at(-1) as string] as JsonSchema);
    if (part.const !== undefined) return fc.constant(part.const);
    if (part.enum !== undefined) return fc.constantFrom(...part.enum);
    if (part.pattern !== undefined) return fc.stringMatching(new RegExp(part.pattern));
    if (part.prefixItems !== undefined) return fc.tuple(...part.prefixItems.map(of));
    if (part.items) return fc.array(of(part.items), { minLength: part.minItems ?? 0, maxLength: 4 });
    if (part.properties !== undefined) {
      const parts = Object.fromEntries(Object.entries(part.properties).map(([name, each]) => [name, of(each)]));
      return fc.record(parts, { requiredKeys: [...(part.required ?? [])] });
    }
    if (part.additionalProperties) return fc.dictionary(anything, of(part.additionalProperties), { maxKeys: 3 });
    if (part.type === 'string') return anything;
    throw new Error(`expected a schema that bodies are drawn from, got ${JSON.stringify(part)}`);
  };
  return of(schema);
}

/** Values near those that fit a schema: each misses, adds or changes something somewhere. Some fit by chance. */
export const nearly = (schema: JsonSchema, described: Described): fc.Arbitrary<unknown> =>
  fc
    .tuple(fitting(schema, described), fc.nat(), fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }), anything))
    .map(([value, where, other]) => changed(value, where, other));

/** A value with another one in some place of it; `undefined` takes the place out. */
function changed(value: unknown, where: number, other: unknown): unknown {
  if (typeof value !== 'object' || value === null || where % 7 === 0) return other ?? null;
  const entries = Object.entries(value);
  const [key, before] = entries[where % (entries.length + 1)] ?? ['more', undefined];
  const after = where % 5 === 0 ? changed(before, Math.floor(where / 7), other) : other;
  if (Array.isArray(value)) return after === undefined ? value.slice(1) : value.with(Number(key) || 0, after);
  return { ...value, [key]: after };
}
