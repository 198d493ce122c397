/** A schema as the build plugin writes it into an app: the text that it writes, run with the parts that this imports. */

import { compileFunction } from 'node:vm';
import type { Schema } from '@murmuration/client';
import * as parts from '@murmuration/client/resolved';
import { writeSchema } from '#client/node/plugin/write.ts';

const held: ReadonlyMap<string, unknown> = new Map(Object.entries(parts));

export function resolved<S extends Schema>(schema: S): S {
  const names = new Set<string>();
  const expression = writeSchema(schema, names);
  const run = compileFunction(
    `return ${expression}`,
    [...names].map((name) => `$murmuration_${name}`),
  ) as (...needed: readonly unknown[]) => S;
  return run(...[...names].map((name) => held.get(name)));
}

/** True if the clients of the faults run what the build plugin writes: the environment variable `PLUGIN` says so. */
export const isResolved: boolean = process.env['PLUGIN'] !== undefined;

/** The schema that the faults run. */
export const asBuilt = <S extends Schema>(schema: S): S => (isResolved ? resolved(schema) : schema);
