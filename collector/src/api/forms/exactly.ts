/**
 * A compile-time check that a zod schema and a type agree. The types are declared beside what computes the values, because no room below
 * imports `api`, and `z.infer` can't declare those of `api`: `isolatedDeclarations` takes no type of a constant whose type is inferred.
 */

import type { z } from 'zod';

/** A type without `readonly`, its intersections merged. */
type Plain<T> = { -readonly [name in keyof T]: Plain<T[name]> };

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** What a schema must be, besides itself: nothing if its values are those of `T`. */
export type Checked<S extends z.ZodType, T> =
  IsSame<Plain<z.output<S>>, Plain<T>> extends true ? unknown : { readonly expected: Plain<T>; readonly got: Plain<z.output<S>> };

/** The schema, as one of `T`. It compiles only if what it parses has the members of `T`, all and no others, of the same types. */
export const exactly = <T, S extends z.ZodType<T>>(schema: S & Checked<S, T>): z.ZodType<T> => schema;
