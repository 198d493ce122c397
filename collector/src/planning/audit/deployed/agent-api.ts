/** The words between the audit and its agent in the page. All of them are JSON: they cross from the page to the audit. */

import type { SchemaDocument } from '@murmuration/shared';

/** Settings of the agent. */
export interface AgentOptions {
  /** The name of the global through which the audit calls. It differs in each audit. */
  readonly secret: string;
  /** The seed of the random numbers. Two visits with the same seed and time draw the same ones. */
  readonly seed: number;
  /** The answer to `navigator.webdriver`. */
  readonly webdriver: boolean;
  /** The answer to `navigator.globalPrivacyControl`. */
  readonly privacyControl: boolean;
}

/** A coin that a randomizer threw: a threshold, or the number of sides of a die; and how many words came before it. */
export interface Coin {
  readonly of: 'flip' | 'uniform';
  readonly n: number;
  readonly at: number;
}

/** A run of a randomizer: its coins, and its bytes in hexadecimal digits. */
export interface Thrown {
  readonly coins: readonly Coin[];
  readonly bytes: string;
}

/** A run of a randomizer on the words that it was given: with coins of the audit, and with those of the device. */
export interface Run {
  readonly by: Thrown;
  readonly own: string;
  /** False if the device's coins took no words from `crypto.getRandomValues`. */
  readonly isHeard: boolean;
  /** Calls of `Math.random` by the device's coins. */
  readonly weak: number;
  /** Calls of `crypto.getRandomValues` by them. */
  readonly strong: number;
}

/** An outcome of a randomizer, and its probability as a ratio of integers in decimals. */
export type Outcome = readonly [bytes: string, numerator: string, denominator: string];

/** A draw of the device for an answer of its own. */
export interface Draw {
  readonly metric: string;
  /** `report`: the stage that turns a stored symbol into one. */
  readonly stage: 'value' | 'report';
  readonly law: unknown;
  readonly input: unknown;
  readonly bytes: string;
  /** True if its words were those that the audit had set. */
  readonly armed: boolean;
}

/** A device that was found. */
export interface FoundDevice {
  readonly document: SchemaDocument;
  readonly wire: string;
  /** The consent that applies until the person decides. */
  readonly fallback: string;
}

/** A text that a script of the page sent, and when: milliseconds of the page's clock. */
export interface Sending {
  readonly by: string;
  readonly time: number;
  readonly to: string;
  readonly text: string;
}

/** Words that the SDK was given: the first so many of a stream that begins with a seed. */
export interface Drawn {
  readonly start: number;
  readonly drawn: number;
}

/** Words by metric, and the input whose next draw gets them. */
export type Words = Readonly<Record<string, { readonly input: unknown; readonly words: readonly number[] }>>;

/** Records of a document or worker that outlive it. */
export interface Kept {
  readonly draws: readonly Draw[];
  readonly sent: readonly Sending[];
  readonly words: readonly Drawn[];
  readonly devices: readonly FoundDevice[];
}

/** Keys of X25519 in a page, in hexadecimal digits: the secret ones that it drew or imported, and the public ones that it imported. */
export interface SealingKeys {
  readonly secrets: readonly string[];
  readonly recipients: readonly string[];
}

/** Contents of a page's storage. */
export interface Stored {
  readonly local: Readonly<Record<string, string>>;
  readonly session: Readonly<Record<string, string>>;
  readonly cookie: string;
  readonly databases: readonly string[];
  readonly caches: readonly string[];
}

/** A function of a page. */
export type Act = (this: unknown, ...args: never[]) => unknown;

/** Puts a proxy in the place of a method. */
export type Hook = (owner: object | undefined, name: string, act: (original: Act, self: unknown, args: unknown[]) => unknown) => void;

/** Calls of the audit. */
export interface Agent {
  /** A name of this frame's document or of this worker. */
  readonly id: () => string;
  /** Records of documents of this origin that were left, by their names. */
  readonly left: () => Readonly<Record<string, Kept>>;
  readonly devices: () => readonly FoundDevice[];
  /** Documents that a script wrote as JSON. */
  readonly written: () => readonly SchemaDocument[];
  readonly draws: () => readonly Draw[];
  readonly sent: () => readonly Sending[];
  readonly reads: () => readonly string[];
  /** Random values that were given, in hexadecimal digits and in decimals. */
  readonly given: () => readonly string[];
  readonly stored: () => Promise<Stored>;
  /** Pending steps of IndexedDB, and requests. */
  readonly busy: () => number;
  readonly keys: () => SealingKeys;
  readonly words: () => readonly Drawn[];
  /** Milliseconds until the next timer of more than a second, and at most a day. */
  readonly untilTimer: () => number;
  readonly arm: (words: Words) => void;
  readonly run: (
    device: number,
    metric: string,
    stage: Draw['stage'],
    inputs: readonly (readonly [input: unknown, words: readonly number[]])[],
  ) => Promise<readonly Run[]>;
  /** The exact channel of an input, from every way in which its coins can fall; undefined if there are more ways than that. */
  readonly channel: (device: number, metric: string, stage: Draw['stage'], input: unknown, most: number) => readonly Outcome[] | undefined;
}
