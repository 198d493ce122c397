/**
 * The page of these tests, and its worker: telemetry as an app uses it, with only the app's name as a parameter, and a clock that can be
 * ahead of the time.
 */

import { choice, createTelemetry, defineSchema, flag, ledger, type Outcome, preview } from '@murmuration/client';
import { traced } from './traced.ts';

/** How many transactions a busy page keeps open. */
const BUSY = 3;

const parameters = new URLSearchParams(location.search);
const app = parameters.get('app') ?? '';
const ahead = Number(parameters.get('ahead'));
/** The page's life is compared with that of the app whose name differs in the last letter. */
const isCompared = app.startsWith('hiding');
const trace = isCompared ? traced(app.slice(0, -1), ahead) : undefined;

const budget = { epsilon: 3, per: 'month' } as const;
const questions = {
  dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
  plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
};
const printed = flag({ epsilon: 1, otherwise: false, description: 'Was anything printed?' });
// Nothing of a schema depends on the address, so that the build plugin can write both. The app's name is put in afterwards.
const plain = defineSchema({ app: 'app', version: 1, budget, metrics: questions });
const compared = defineSchema({ app: 'app', version: 1, budget, metrics: { ...questions, printed } });
const written = isCompared ? compared : plain;
const schema: typeof plain = { ...written, wire: written.wire.replace('app', app), document: { ...written.document, app } };

/** The outcomes of each metric, in order. Outcomes without a metric have ''. */
const outcomes: [metric: string, result: Outcome['result']][] = [];
const listeners = new Set<() => void>();
const shown: boolean[] = [];
addEventListener('pageshow', ({ persisted }) => shown.push(persisted));

const telemetry = createTelemetry({
  schema,
  endpoint: location.origin,
  partitioned: parameters.has('partitioned'),
  clock: {
    now: () => Date.now() + ahead,
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  },
  ...trace?.options,
  ...(trace && { key: `${ahead}` }), // says which document has sent
  onOutcome: ({ metric = '', result }) => {
    if (metric !== 'printed') trace?.note(`says ${metric} ${result}`);
    outcomes.push([metric, result]);
    navigator.sendBeacon?.('/said', JSON.stringify([app, metric, result])); // the test receives it even if this page ends
    for (const listener of listeners) listener();
  },
});

/** Resolves with the next outcome of a metric that is not the outcome of an upload. */
const hear = (metric: string): Promise<string> =>
  new Promise((resolve) => {
    const from = outcomes.length;
    const listen = (): void => {
      const found = outcomes.slice(from).find(([name, result]) => name === metric && !['delivered', 'refused'].includes(result));
      if (!found) return;
      listeners.delete(listen);
      resolve(found[1]);
    };
    listeners.add(listen);
  });

const isPage = typeof document !== 'undefined';
/** Started by the first command for it: WebKitGTK may never open the database again once a page was left while its worker opened it. */
let worker: Worker | undefined;

/** The commands that a test may run in a page or its worker. */
const commands = {
  /** Gives consent. Resolves when it is stored. */
  grant: async () => {
    trace?.begin('grant');
    telemetry.consent.grant();
    await telemetry.look();
    return telemetry.consent.state;
  },
  deny: async () => {
    trace?.begin('deny');
    telemetry.consent.deny();
    await telemetry.look();
    navigator.sendBeacon('/said', JSON.stringify([app, '', 'denied']));
  },
  /** Answers a question. Resolves with the outcome. */
  answer: (metric: 'dark' | 'plan') => {
    const heard = hear(metric);
    trace?.begin(metric);
    telemetry.record(metric, (metric === 'dark' ? true : 'pro') as never);
    return heard;
  },
  /** Runs a command in the page's worker, which has no `localStorage`. */
  inWorker: (...message: readonly unknown[]) =>
    new Promise((resolve) => {
      worker ??= new Worker(`/page.js${location.search}`);
      worker.addEventListener('message', ({ data }) => resolve(data), { once: true });
      worker.postMessage(message);
    }),
  flush: () => {
    trace?.begin('flush');
    return telemetry.flush();
  },
  /** The outcomes of a metric so far. */
  told: (metric: string) => outcomes.filter(([name]) => name === metric).map(([, result]) => result),
  /** Keeps the ledger busy for so many milliseconds. Resolves when it is. */
  hold: (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const opening = indexedDB.open('murmuration');
      opening.onsuccess = () => {
        const items = opening.result.transaction('items', 'readwrite').objectStore('items');
        const end = performance.now() + milliseconds;
        const goOn = (): void => {
          resolve();
          if (performance.now() < end) items.get('busy').onsuccess = goOn;
          else opening.result.close();
        };
        items.get('busy').onsuccess = goOn;
      };
    }),
  /** Deletes every database, as apps do at logout. */
  deleteAll: async () => {
    for (const { name = '' } of await indexedDB.databases())
      await new Promise((resolve) => {
        indexedDB.deleteDatabase(name).onsuccess = resolve;
      });
  },
  /** Answers some questions, refuses, and leaves in the same tick. */
  refuseAndLeave: (records: number, to?: string) => {
    for (let i = 0; i < records; i++) void commands.answer(i % 2 === 0 ? 'dark' : 'plan');
    telemetry.consent.deny();
    if (to !== undefined) location.href = to;
  },
  /** Answers at a given millisecond, so that pages can act simultaneously. */
  answerAt: (time: number, metric: 'dark' | 'plan') => {
    while (Date.now() < time);
    return commands.answer(metric);
  },
  /** Answers, and leaves in the same tick. */
  answerAndLeave: (metric: 'dark' | 'plan', to?: string) => {
    void commands.answer(metric);
    if (to === undefined) close();
    else location.href = to;
  },
  /** Leaves. Listeners of the page's own then record an event, if it happened, and after it a plan. */
  leaveAndAnswer: (isPrinted: boolean, to: string) => {
    const say = (metric: 'plan' | 'printed', value: unknown): void => {
      trace?.begin(metric);
      telemetry.record(metric as 'plan', value as 'pro');
    };
    addEventListener('pagehide', () => isPrinted && say('printed', true));
    addEventListener('pagehide', () => say('plan', 'pro'));
    location.href = to;
  },
  /** Keeps transactions open as long as the page runs. */
  keepBusy: () => {
    let underWay = 0;
    setInterval(async () => {
      if (underWay >= BUSY) return;
      underWay++;
      await telemetry.look();
      underWay--;
    }, 1);
  },
  /** What is spent on a metric, as stored. */
  spent: async (metric: string) => (await ledger(telemetry)).metrics.find((each) => each.metric === metric)?.spent,
  waiting: async () => (await preview(telemetry)).length,
  state: async () => {
    await telemetry.look();
    return telemetry.consent.state;
  },
  /** Everything that the origin stores. */
  kept: async () => [(await indexedDB.databases()).map(({ name }) => name), Object.keys(localStorage)],
};

Object.assign(globalThis, { telemetry, outcomes, shown, commands });
// In a frame that no test can reach, it answers without being asked. A worker could not tell that there is a frame.
if (isPage && parameters.has('framed')) {
  void commands
    .grant()
    .then(() => commands.answer('plan'))
    .then(commands.flush);
}
if (!isPage) {
  addEventListener('message', async ({ data: [name, ...parameters] }: MessageEvent<[keyof typeof commands, ...unknown[]]>) => {
    postMessage(await (commands[name] as (...parameters: unknown[]) => unknown)(...parameters));
  });
}
