/**
 * Values that are available now or later. They keep synchronous storage synchronous, because a page that is being left runs nothing later.
 */

/** A value or a promise of one. Memory storage and AsyncStorage both fit. */
export type Maybe<T> = T | PromiseLike<T>;

/** True if a value is a promise. A promise from another realm is not an instance of our `Promise`, so this checks for `then`. */
const isLater = <T>(value: Maybe<T>): value is PromiseLike<T> =>
  typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';

/** Continues with a value, synchronously if it is available. */
export const after = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> =>
  isLater(value) ? Promise.resolve(value).then(next) : next(value);

/** The result of an attempt; undefined if it fails, now or later. */
export type Attempted<T> = T extends PromiseLike<infer U> ? Promise<U | undefined> : T | undefined;

/** The result of `run`, or undefined if it throws or rejects. */
export function attempt<T>(run: () => T): Attempted<T> {
  try {
    const value: unknown = run();
    return (isLater(value) ? Promise.resolve(value).catch(() => undefined) : value) as Attempted<T>;
  } catch {
    return undefined as Attempted<T>;
  }
}
