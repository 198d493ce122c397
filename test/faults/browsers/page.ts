/** The page of these faults: telemetry as an app has it, nothing passed in but the app's name, and a clock that can be ahead of the time. */

import { choice, createTelemetry, defineSchema, flag, ledger, type Outcome, preview } from '@murmuration/client';

/** How many transactions a busy page has under way. */
const BUSY = 3;

const parameters = new URLSearchParams(location.search);
const app = parameters.get('app') ?? '';
const ahead = Number(parameters.get('ahead'));

const schema = defineSchema({
  app,
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: {
    dark: flag({ epsilon: 1, description: 'Is dark mode on?' }),
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
  },
});

/** What was said of each metric, in order; what is said of none stands under ''. */
const outcomes: [metric: string, result: Outcome['result']][] = [];
const listeners = new Set<() => void>();
const shown: boolean[] = [];
addEventListener('pageshow', ({ persisted }) => shown.push(persisted));

const telemetry = createTelemetry({
  schema,
  endpoint: location.origin,
  clock: {
    now: () => Date.now() + ahead,
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
  },
  onOutcome: ({ metric = '', result }) => {
    outcomes.push([metric, result]);
    navigator.sendBeacon('/said', JSON.stringify([app, metric, result])); // the test hears it, whatever becomes of this page
    for (const listener of listeners) listener();
  },
});

/** Resolves with the first outcome of a metric from here on that is none of an upload. */
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

/** What a test may ask of a page. */
const commands = {
  /** Agrees; resolves when that is stored. */
  grant: async () => {
    telemetry.consent.grant();
    await telemetry.look();
    return telemetry.consent.state;
  },
  deny: async () => {
    telemetry.consent.deny();
    await telemetry.look();
    navigator.sendBeacon('/said', JSON.stringify([app, '', 'denied']));
  },
  /** Answers a question; resolves with what comes of it. */
  answer: (metric: 'dark' | 'plan') => {
    const heard = hear(metric);
    telemetry.record(metric, (metric === 'dark' ? true : 'pro') as never);
    return heard;
  },
  /** Answers in a millisecond that other pages know too. */
  answerAt: (time: number, metric: 'dark' | 'plan') => {
    while (Date.now() < time);
    return commands.answer(metric);
  },
  /** Answers, and leaves within the same tick. */
  answerAndLeave: (metric: 'dark' | 'plan', to?: string) => {
    void commands.answer(metric);
    if (to === undefined) close();
    else location.href = to;
  },
  /** Keeps transactions under way for as long as the page runs. */
  keepBusy: () => {
    let underWay = 0;
    setInterval(async () => {
      if (underWay >= BUSY) return;
      underWay++;
      await telemetry.look();
      underWay--;
    }, 1);
  },
  /** What is spent on a metric, as it is stored. */
  spent: async (metric: string) => (await ledger(telemetry)).metrics.find((each) => each.metric === metric)?.spent,
  waiting: async () => (await preview(telemetry)).length,
  state: async () => {
    await telemetry.look();
    return telemetry.consent.state;
  },
  /** All that the origin keeps. */
  kept: async () => [(await indexedDB.databases()).map(({ name }) => name), Object.keys(localStorage)],
};

Object.assign(globalThis, { telemetry, outcomes, shown, commands });
