/** Values that are here now or come later, so that synchronous storage stays synchronous: a page that is left runs nothing later. */

/** A value now or later: `localStorage` and AsyncStorage both fit. */
export type Maybe<T> = T | Promise<T>;

/** Whether a value comes later. */
export const isPromise = <T>(value: Maybe<T>): value is Promise<T> => value instanceof Promise;

/** Goes on with a value: at once if it is here. */
export const after = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> => (isPromise(value) ? value.then(next) : next(value));
