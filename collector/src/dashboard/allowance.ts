// How often the page asks on its own: all that it loads is at most a megabyte in an hour, of which it may spend a part at once. So what is new is
// seen within seconds at first, and in an app whose hundreds of questions change all the time every few minutes.

/** Bytes that may be spent at once, and those that come in a second. */
const AT_ONCE = 200_000;
const RATE = 200;

/** Milliseconds that a page waits at most, also where its reader has opened many questions. */
const LONGEST = 180_000;

/** Bytes of a request and of the headers of its answer, which browsers do not tell. */
const REQUEST = 600;

/** Milliseconds until what was spent is there, so many milliseconds after the page has begun. */
export const waitFor = (spent: number, now: number): number => Math.max(0, Math.min(LONGEST, (1_000 * (spent - AT_ONCE)) / RATE - now));

let spent = 0;
let observer: PerformanceObserver | undefined;

/** Milliseconds until the page may ask again. All that it has loaded counts. */
export function allowedIn(): number {
  if (observer === undefined) {
    observer = new PerformanceObserver((list) => {
      for (const { transferSize } of list.getEntries() as PerformanceResourceTiming[]) spent += transferSize + REQUEST;
    });
    observer.observe({ type: 'resource', buffered: true });
  }
  return waitFor(spent, performance.now());
}
