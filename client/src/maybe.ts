/** Values that are here now or come later, so that synchronous storage stays synchronous: a page that is left runs nothing later. */

/** A value now or later: `localStorage` and AsyncStorage both fit. */
export type Maybe<T> = T | Promise<T>;

/** Goes on with a value: at once if it is here. */
export const after = <T, U>(value: Maybe<T>, next: (value: T) => Maybe<U>): Maybe<U> =>
  value instanceof Promise ? value.then(next) : next(value);

/** What comes of an attempt: undefined where it fails, now or later. */
export type Attempted<T> = T extends Promise<infer U> ? Promise<U | undefined> : T | undefined;

/** What `run` gives, or undefined where it throws. */
export function attempt<T>(run: () => T): Attempted<T> {
  try {
    const value = run();
    return (value instanceof Promise ? value.catch(() => undefined) : value) as Attempted<T>;
  } catch {
    return undefined as Attempted<T>;
  }
}

/** Waits for work, or until `start` says that it is late; what `start` returns stops it. */
export async function within(work: Maybe<unknown>, start: (late: () => void) => () => void): Promise<void> {
  let stop = (): void => {};
  const late = (): Promise<void> =>
    new Promise((resolve) => {
      stop = start(resolve);
    });
  if (work instanceof Promise) await Promise.race([work, late()]);
  stop();
}
