/** Limits and times of a device. They are in a module without imports, because bundlers put such constants where they are used. */

/** The version of the storage format. */
export const VERSION = 4;

/** A time in the year 9892: days beyond have no text of ten characters, and where adding one changes nothing no search for a day ends. */
export const LATEST = 2.5e14;

// Batches.
/**
 * The size, in characters, at which a batch takes no more reports. Even with one more report of the longest list it stays below the 64 KiB
 * that keepalive and the collector allow.
 */
export const FULL = 40_000;
/** The most batches that wait, and the most characters of their reports. No value changes the length of a report. */
export const MOST_BATCHES = 100;
export const MOST_CHARACTERS = 165_000;

// Milliseconds from a record to its upload: at least SOON, plus a random time of up to JITTER.
export const SOON = 1_000;
export const JITTER = 4_000;

// Milliseconds. PATIENCE: how long other contexts leave a batch to the one that began it, and how long an upload may take to be answered.
// FIRST_PAUSE and LONGEST_PAUSE: the longest pause after the first failure and after any later one. SPREAD: the time over which waiting
// batches are spread, so that they do not arrive together.
export const PATIENCE = 10_000;
export const FIRST_PAUSE = 5_000;
export const LONGEST_PAUSE = 3_600_000;
export const SPREAD = 60_000;
/** The longest pause that a collector can ask for. */
export const LONGEST_RETRY_AFTER = 86_400_000;
/** The longest quiet time between two reports that are sent alone, in seconds. Timers add a random part of a second. */
export const LONGEST_QUIET = 86_400;
/** The longest delay of a timer. It supports no more than 2^31 - 1. */
export const LONGEST_TIMER = 2e9;
/**
 * The number of consecutive unanswered uploads after which no timer retries. If the network blocks us, it is not flooded with requests: the
 * next upload waits for another trigger than time.
 */
export const TRIES = 3;

/** The status with which a transport says that it holds a batch back for now. No collector answers it. */
export const TOO_EARLY = 425;

/** Milliseconds until `fetch` is given up. It is a second shorter than the sender's, so that the status counts even if the body never ends. */
export const FETCH_PATIENCE = 9_000;
/** The approximate number of bytes read of a refusal's body; the rest is not read. */
export const MOST_READ = 65_536;

/**
 * Milliseconds after which a step of IndexedDB that has not begun to commit is given up: a database may be blocked, or the browser's storage
 * process may hang.
 */
export const STEP_PATIENCE = 10_000;
