/**
 * Runs in the audited page and in each of its workers, before any of their scripts: it gives the random numbers, watches storage and what is sent, and finds the SDK by
 * what it does. `createDevice` joins a schema's document, its questions and coins with `Object.assign`, in every build; a schema that the app
 * resolves is also written by `JSON.stringify`. The function is sent as text, so it may use nothing outside of itself
 * and of the functions that it is given.
 *
 * Hooks are proxies of what was there, so that their names and texts stay nearly the same. A page that looks for them can still find them.
 */

import type { SchemaDocument } from '@murmuration/shared';
import type { Act, Agent, AgentOptions, Coin, Draw, Hook, Kept, Outcome, Run, SealingKeys, Sending, Words } from './agent-api.ts';
import type { KeyParts } from './agent-keys.ts';
import type { SendingParts } from './agent-sending.ts';

// The parts of a page and of the SDK that are hooked. The collector is compiled without the types of browsers.
interface Coins {
  flip: (threshold: number) => boolean;
  uniform: (n: number) => number;
}
type Randomize = (law: unknown, input: unknown, coins: Coins) => Uint8Array;
interface Question {
  readonly randomizers: { readonly [mechanism: string]: Randomize };
  readonly respondStored?: Randomize;
}
interface Device extends Coins {
  readonly document: SchemaDocument;
  readonly wire: string;
  readonly fallback: string;
  readonly metrics: SchemaDocument['metrics'];
  questions: { readonly [metric: string]: Question };
}
interface Emitter {
  addEventListener(event: string, told: () => void): void;
}
interface Keys {
  readonly length: number;
  key(at: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}
interface Scope {
  readonly [name: string]: { readonly prototype: object } | undefined;
}
interface PageScope {
  readonly crypto: { getRandomValues: (bytes: ArrayBufferView) => ArrayBufferView };
  readonly localStorage?: Keys;
  readonly sessionStorage?: Keys;
  readonly indexedDB?: { databases?: () => Promise<readonly { readonly name?: string }[]> };
  readonly caches?: { keys: () => Promise<readonly string[]> };
  readonly document?: { readonly cookie: string };
  readonly location: { readonly href: string };
}

export function agent(
  { secret, seed, webdriver, privacyControl }: AgentOptions,
  stream: (seed: number) => () => number,
  watchKeys: (parts: KeyParts) => () => SealingKeys,
  watchSending: (parts: SendingParts) => readonly Sending[],
): void {
  const scope = globalThis as unknown as Scope;
  const page = globalThis as unknown as PageScope;
  if (Object.hasOwn(scope, secret)) return;
  const FILL = 1_024; // the SDK fills so many bytes at a time (shared/src/random/words.ts)
  const ALIKE = 2; // so few equal words are no matter
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch {
      return undefined;
    }
  };

  const hook: Hook = (owner, name, act) => {
    const original = owner && ((owner as Record<string, unknown>)[name] as Act | undefined);
    if (typeof original !== 'function') return;
    const proxy = new Proxy(original, { apply: (target, self, args) => act(target, self, args) });
    attempt(() => Object.defineProperty(owner, name, { ...Object.getOwnPropertyDescriptor(owner, name), value: proxy }));
  };
  const call = (original: Act, self: unknown, args: readonly unknown[]): unknown => Reflect.apply(original, self, args as unknown[]);
  const answer = (owner: object | undefined, name: string, get: () => unknown): unknown =>
    owner && attempt(() => Object.defineProperty(owner, name, { get, configurable: true, enumerable: true }));

  const navigators = (scope['Navigator'] ?? scope['WorkerNavigator'])?.prototype;
  if (webdriver && navigators && 'webdriver' in navigators) answer(navigators, 'webdriver', () => true);
  if (privacyControl) answer(navigators, 'globalPrivacyControl', () => true);

  // A document may be left before it is asked. What it knows then waits in the session's storage for the next one.
  const session = attempt(() => page.sessionStorage);
  const { getItem, setItem, removeItem } = (session ?? {}) as Keys;
  const write = JSON.stringify;
  const id = `${secret}${(page.crypto.getRandomValues(new Uint32Array(2)) as Uint32Array).join()}`;
  const left: Record<string, Kept> = {};
  const gather = (): Readonly<Record<string, Kept>> => {
    for (const key of Object.keys(session ?? {}).filter((each) => each.startsWith(secret))) {
      left[key] = JSON.parse(getItem.call(session, key) as string) as Kept;
      removeItem.call(session, key);
    }
    return left;
  };
  gather();
  let isLeft = false;
  const keep = (): void => {
    const all: Record<string, Kept> = isLeft ? { ...left, [id]: { draws, sent, words: api.words(), devices: api.devices() } } : {};
    for (const [key, kept] of Object.entries(all)) attempt(() => setItem.call(session, key, write(kept)));
  };
  if (session)
    (globalThis as unknown as Emitter).addEventListener('pagehide', () => {
      isLeft = true;
      keep();
    });

  // Random numbers: one stream for the SDK's fills, and one for each other use, so that the page's own use moves none of the SDK's.
  let start = seed ^ Date.now();
  // A worker of a blob has another address in each visit.
  for (const character of page.location.href.replace(/^blob:.*/, 'blob:')) start = Math.imul(start ^ character.charCodeAt(0), 0x01000193);
  const [all, others, weak] = [stream(start), stream(start + 1), stream(start + 2)];
  let drawn = 0;
  const fills = (): number => {
    drawn++;
    return all();
  };
  const given: string[] = [];
  const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  let set: readonly number[] | undefined; // the words of the next fill
  let [next, filled] = [0, 0];
  let [weakCalls, strongCalls] = [0, 0];
  const fill = (bytes: Uint8Array): void => {
    if (bytes.length === FILL) {
      filled++;
      const words = new Uint32Array(FILL / 4).map(() => (set && next < set.length ? (set[next++] as number) : fills()));
      bytes.set(new Uint8Array(words.buffer));
      keep();
    } else {
      for (let at = 0; at < bytes.length; at++) bytes[at] = others();
      if (given.length < 10_000 && bytes.length > 3) given.push(hex(bytes));
    }
  };
  hook(scope['Crypto']?.prototype, 'getRandomValues', (original, self, args) => {
    const view = args[0] as ArrayBufferView;
    call(original, self, args); // it throws what it always throws
    strongCalls++;
    fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  });
  hook(scope['Crypto']?.prototype, 'randomUUID', () => {
    const bytes = new Uint8Array(16);
    for (let at = 0; at < 16; at++) bytes[at] = others();
    bytes[6] = ((bytes[6] as number) & 15) | 64;
    bytes[8] = ((bytes[8] as number) & 63) | 128;
    const text = hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    given.push(text);
    return text;
  });
  hook(Math, 'random', () => {
    weakCalls++;
    const number = (weak() * 2 ** 21 + (weak() >>> 11)) / 2 ** 53;
    if (given.length < 10_000) given.push(`${number}`.slice(2), number.toString(36).slice(2, 10), number.toString(16).slice(2, 10));
    return number;
  });

  const keys = watchKeys({ hook, word: stream(start + 3), hex });

  // Timers, so that the clock can go from one to the next. Those of a second or less are the page's own.
  const timers = new Map<unknown, number>();
  hook(globalThis, 'setTimeout', (original, self, args) => {
    const id = call(original, self, args);
    if (Number(args[1]) > 1_000) timers.set(id, Date.now() + Number(args[1]));
    return id;
  });
  hook(globalThis, 'clearTimeout', (original, self, args) => {
    timers.delete(args[0]);
    return call(original, self, args);
  });

  // The SDK.
  const devices: Device[] = [];
  const originals: Device['questions'][] = [];
  const written: SchemaDocument[] = [];
  const draws: Draw[] = [];
  let armed: Record<string, Words[string]> = {};
  const copyOf = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

  /** Makes the device's next word the first of these, and says if it took one. */
  const align = (device: Coins, words: readonly number[]): boolean => {
    const before = filled;
    [set, next] = [[others(), ...words], 0];
    for (let at = 0; at <= FILL / 4 && filled === before; at++) device.flip(1);
    return filled > before;
  };
  const watched =
    (metric: string, stage: Draw['stage'], device: Device, original: Randomize): Randomize =>
    (law, input, coins) => {
      const set = armed[metric];
      const isArmed = stage === 'value' && set !== undefined && write(set.input) === write(input) && align(device, set.words);
      if (isArmed) delete armed[metric];
      const bytes = original(law, input, coins);
      draws.push({ metric, stage, law: copyOf(law), input: copyOf(input), bytes: hex(bytes), armed: isArmed });
      keep();
      return bytes;
    };
  const watch = (device: Device): void => {
    devices.push(device);
    originals.push(device.questions);
    device.questions = Object.fromEntries(
      Object.entries(device.questions).map(([metric, question]) => [
        metric,
        {
          ...question,
          randomizers: Object.fromEntries(
            Object.entries(question.randomizers).map(([name, each]) => [name, watched(metric, 'value', device, each)]),
          ),
          ...(question.respondStored && { respondStored: watched(metric, 'report', device, question.respondStored) }),
        },
      ]),
    );
  };
  hook(Object, 'assign', (original, self, args) => {
    const made = call(original, self, args) as Partial<Device> | undefined;
    attempt(() => {
      if (typeof made?.flip === 'function' && made.questions && made.metrics && made.document && !devices.includes(made as Device))
        watch(made as Device);
    });
    return made;
  });
  hook(JSON, 'stringify', (original, self, args) => {
    attempt(() => {
      const document = args[0] as SchemaDocument;
      if (written.length < 100 && document && typeof document === 'object' && document.format && document.chooser && document.metrics)
        written.push(JSON.parse(call(original, JSON, [document]) as string) as SchemaDocument);
    });
    return call(original, self, args);
  });

  // Storage.
  const reads = new Set<string>();
  let pending = 0;
  const ends = (emitter: unknown, ...events: readonly string[]): void => {
    pending++;
    let isOver = false;
    for (const event of events)
      (emitter as Emitter).addEventListener(event, () => {
        if (!isOver) pending--;
        isOver = true;
      });
  };
  const settles = (promise: unknown): unknown => {
    pending++;
    void (promise as Promise<unknown>).then(
      () => pending--,
      () => pending--,
    );
    return promise;
  };
  hook(scope['Storage']?.prototype, 'getItem', (original, self, args) => {
    reads.add(`${self === attempt(() => page.localStorage) ? 'localStorage' : 'sessionStorage'} ${String(args[0])}`);
    return call(original, self, args);
  });
  hook(scope['Storage']?.prototype, 'key', (original, self, args) => {
    reads.add('the keys of localStorage');
    return call(original, self, args);
  });
  for (const name of ['open', 'deleteDatabase'])
    hook(scope['IDBFactory']?.prototype, name, (original, self, args) => {
      reads.add(`IndexedDB ${name} ${String(args[0])}`);
      const request = call(original, self, args);
      ends(request, 'success', 'error');
      return request;
    });
  hook(scope['IDBFactory']?.prototype, 'databases', (original, self, args) => {
    reads.add('the names of databases');
    return settles(call(original, self, args));
  });
  hook(scope['IDBDatabase']?.prototype, 'transaction', (original, self, args) => {
    const transaction = call(original, self, args);
    ends(transaction, 'complete', 'abort');
    return transaction;
  });

  const sent = watchSending({ hook, hex, settles, keep });

  const keysOf = (keys: Keys | undefined): Record<string, string> => {
    const entries = Object.entries({ ...keys }).filter(([key]) => !key.startsWith(secret));
    return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
  };

  /** Coins of words: as those of the SDK (client/src/random/coins.ts), and each is written down. */
  const scripted = (words: readonly number[]): Coins & { readonly coins: Coin[] } => {
    const coins: Coin[] = [];
    let at = 0;
    const rest = stream(words.length);
    const word = (): number => words[at++] ?? rest();
    return {
      coins,
      flip: (n) => {
        coins.push({ of: 'flip', n, at });
        return word() < n;
      },
      uniform: (n) => {
        coins.push({ of: 'uniform', n, at });
        if (n < 2) return 0;
        const mask = -1 >>> Math.clz32(n - 1);
        for (;;) {
          const drawn = (word() & mask) >>> 0;
          if (drawn < n) return drawn;
        }
      },
    };
  };

  /** A stage of a question as the app ships it, with its law. */
  const shipped = (at: number, metric: string, stage: Draw['stage']): ((input: unknown, coins: Coins) => Uint8Array) => {
    const { law } = (devices[at] as Device).metrics[metric] as { readonly law: { readonly mechanism: string } };
    const question = originals[at]?.[metric] as Question;
    const randomize = (stage === 'report' ? question.respondStored : question.randomizers[law.mechanism]) as Randomize;
    return (input, coins) => randomize(law, input, coins);
  };

  const api: Agent = {
    id: () => id,
    left: () => gather(),
    devices: () => devices.map(({ document, wire, fallback }) => copyOf({ document, wire, fallback })),
    written: () => written,
    draws: () => draws,
    sent: () => sent,
    reads: () => [...reads],
    given: () => given,
    busy: () => pending,
    keys,
    words: () => [{ start, drawn }],
    untilTimer: () => Math.min(...[...timers.values()].map((due) => Math.ceil(due - Date.now())).filter((wait) => wait > 0), 86_400_000),
    arm: (words) => {
      armed = { ...words };
    },
    stored: async () => ({
      local: keysOf(attempt(() => page.localStorage)),
      session: keysOf(attempt(() => page.sessionStorage)),
      cookie: attempt(() => page.document?.cookie) ?? '',
      databases: ((await attempt(() => page.indexedDB?.databases?.())) ?? []).map(({ name = '' }) => name),
      caches: (await attempt(() => page.caches?.keys())) ?? [],
    }),
    run: async (at, metric, stage, inputs) => {
      const device = devices[at] as Device;
      const randomize = shipped(at, metric, stage);
      const runs: Run[] = [];
      for (const [input, words] of inputs) {
        for (let i = 0; i < 4; i++) await undefined;
        // The SDK refuses a fill that repeats the last one, as these words nearly do: another comes between.
        if (words.length > ALIKE) align(device, []);
        for (let i = 0; i < 4; i++) await undefined; // the words that are left are dropped at the end of a task
        const coins = scripted(words);
        const by = hex(randomize(input, coins));
        const [weak, strong] = [weakCalls, strongCalls];
        const isHeard = align(device, words);
        const own = hex(randomize(input, device));
        runs.push({ by: { coins: coins.coins, bytes: by }, own, isHeard, weak: weakCalls - weak, strong: strongCalls - strong });
      }
      set = undefined;
      return runs;
    },
    channel: (at, metric, stage, input, most) => {
      const randomize = shipped(at, metric, stage);
      const outcomes: Outcome[] = [];
      const path: number[] = []; // how each coin falls, and of how many ways
      const ways: number[] = [];
      do {
        let [coin, numerator, denominator] = [0, 1n, 1n];
        const fall = (count: number): number => {
          if (coin === path.length) [path[coin], ways[coin]] = [0, count];
          return path[coin++] as number;
        };
        const bytes = randomize(input, {
          flip: (n) => {
            const part = BigInt(Math.min(2 ** 32, Math.max(0, Math.ceil(n))));
            const isTrue = fall(2) === 0;
            numerator *= isTrue ? part : 2n ** 32n - part;
            denominator *= 2n ** 32n;
            return isTrue;
          },
          uniform: (n) => {
            if (n < 2) return 0;
            denominator *= BigInt(n);
            return fall(n);
          },
        });
        if (coin === 0 || outcomes.length >= most) return undefined;
        if (numerator > 0n) outcomes.push([hex(bytes), `${numerator}`, `${denominator}`]);
        while (path.length > 0 && (path.at(-1) as number) + 1 === ways[path.length - 1]) {
          path.pop();
          ways.pop();
        }
        if (path.length > 0) path[path.length - 1] = (path.at(-1) as number) + 1;
      } while (path.length > 0);
      return outcomes;
    },
  };
  Object.defineProperty(globalThis, secret, { value: api });
}
