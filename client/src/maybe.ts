/** Values that are here now or come later, so that synchronous storage stays synchronous: a page that is left runs nothing later. */

/** A value now or later: memory and AsyncStorage both fit. */
export type Maybe<T> = T | PromiseLike<T>;

/** Whether a value comes later. A promise of another realm is no `Promise` of ours, so that it is asked for what it does. */
const isLater = <T>(value: Maybe<T>): value is PromiseLike<T> =>
  typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';

/** Goes on with a value: at once if it is here. */
export const after = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> =>
  isLater(value) ? Promise.resolve(value).then(next) : next(value);

/** What comes of an attempt: undefined where it fails, now or later. */
export type Attempted<T> = T extends PromiseLike<infer U> ? Promise<U | undefined> : T | undefined;

/** What `run` gives, or undefined where it throws. */
export function attempt<T>(run: () => T): Attempted<T> {
  try {
    const value: unknown = run();
    return (isLater(value) ? Promise.resolve(value).catch(() => undefined) : value) as Attempted<T>;
  } catch {
    return undefined as Attempted<T>;
  }
}
