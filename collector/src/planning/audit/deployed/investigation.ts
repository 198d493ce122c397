/**
 * The visits of an audit. Checks share them: each kind of visit is made once, when the first check asks for it.
 */

import type { MetricDocument, SchemaDocument } from '@murmuration/shared';
import type { Witness } from '../../../schemas/log/witness.ts';
import type { Draw, Drawn, FoundDevice, Sending, Stored, Words } from './agent-api.ts';
import { atThreshold, enoughWords, inputOf, questionOf, seededWords, throwCoins, twinWords } from './reference.ts';
import type { Sent, Site, VisitOptions } from './site.ts';
import { type Found, Visit } from './visit.ts';

/** Steps of the page's clock in which a batch is sent: one to five seconds later, drawn at random. */
const SENDING = 3;

/** Days of the visits that test the ledger: on both sides of a day, a week, a month and two. */
const DAYS: readonly number[] = [0, 1, 6, 7, 8, 29, 30, 60];
/** Days between them on which nobody answers, and reports through a relay leave: they wait for the end of their day, and for each other. */
const LEAVING: readonly number[] = [2, 3, 4, 9, 10, 11, 31, 32, 33, 61, 62, 63];

/** Traces of a visit. */
export interface Seen {
  readonly sent: readonly Sent[];
  readonly scripts: readonly Sending[];
  readonly draws: readonly Draw[];
  readonly words: readonly Drawn[];
  readonly stored: readonly Stored[];
  /** The contents of databases, in the browser's words; empty where nobody asked. */
  readonly databases: string;
  readonly reads: readonly string[];
  readonly given: readonly string[];
  readonly unwatched: readonly string[];
  readonly devices: readonly FoundDevice[];
}

/** The schema and the devices of an app. */
export interface Known {
  readonly documents: readonly SchemaDocument[];
  readonly devices: readonly Found[];
}

/** Answers that a visit clicks, and the words that their draws get. */
export interface Script {
  readonly answers: Readonly<Record<string, string>>;
  readonly words: Words;
}

const seenOf = async (visit: Visit): Promise<Seen> => ({
  sent: [...visit.sent],
  scripts: await visit.scripts(),
  draws: await visit.draws(),
  words: await visit.words(),
  stored: await visit.stored(),
  databases: '',
  reads: await visit.reads(),
  given: await visit.given(),
  unwatched: await visit.unwatched(),
  devices: await visit.asked(),
});

/** Visits by their day. */
type Months = readonly (readonly [day: number, Seen])[];

/** A function whose result is kept. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

export class Investigation {
  readonly site: Site;
  readonly acceptLarge: boolean;
  readonly witness: Witness | undefined;
  /** Metrics whose randomizers are not this version's, so that no expectation about their coins holds. */
  readonly others: Set<string> = new Set();
  #quiet: Visit | undefined;

  constructor(site: Site, acceptLarge: boolean, witness: Witness | undefined) {
    this.site = site;
    this.acceptLarge = acceptLarge;
    this.witness = witness;
  }

  async #with<T>(options: VisitOptions, work: (visit: Visit) => Promise<T>): Promise<T> {
    const visit = await Visit.begin(this.site, options);
    try {
      return await work(visit);
    } finally {
      await visit.close();
    }
  }

  /** A visit in which nobody agrees: after loading, and after answers were clicked all the same. */
  readonly quiet: () => Promise<{ readonly loaded: Seen; readonly clicked: Seen }> = once(async () => {
    const visit = await Visit.begin(this.site);
    this.#quiet = visit;
    await visit.open();
    await visit.settle(SENDING);
    const loaded = await seenOf(visit);
    await visit.tryToAct();
    await visit.settle(SENDING);
    return { loaded, clicked: { ...(await seenOf(visit)), databases: await visit.databases() } };
  });

  /** The same, by a person who sends Global Privacy Control. */
  readonly controlled: () => Promise<Seen> = once(() =>
    this.#with({ privacyControl: true }, async (visit) => {
      await visit.open();
      await visit.tryToAct();
      await visit.settle(SENDING);
      return seenOf(visit);
    }),
  );

  /** The page of the first visit, with its devices. One that a plan's metric lacks may begin after the agreement, or with the first answer. */
  readonly known: () => Promise<Known & { readonly visit: Visit }> = once(async () => {
    await this.quiet();
    const visit = this.#quiet as Visit;
    let devices = await visit.devices();
    const { consent, acts } = this.site.plan;
    const asks = (metric: string): boolean => devices.some(({ document }) => Object.hasOwn(document.metrics, metric));
    for (const work of [() => visit.agree(), () => visit.tryToAct()]) {
      if (consent === undefined || (devices.length > 0 && Object.keys(acts ?? {}).every(asks))) break;
      await work();
      await visit.settle(1);
      devices = await visit.devices();
    }
    const documents = [...devices.map(({ document }) => document), ...(await visit.written())];
    return { visit, devices, documents: [...new Map(documents.map((each) => [JSON.stringify(each), each])).values()] };
  });

  /** The metrics that the plan can answer and this version can recompute. */
  async metrics(): Promise<readonly (readonly [name: string, metric: MetricDocument])[]> {
    const { devices } = await this.known();
    const asked = this.site.plan.acts ?? {};
    return devices.flatMap(({ document }) =>
      Object.entries(document.metrics).filter(([name, metric]) => asked[name] && questionOf(metric)),
    );
  }

  /** Agrees, clicks the answers on the given words, and waits until the reports have left. The page may stay open all the day after. */
  #story({ answers, words }: Script, options: VisitOptions = {}, stays = false): Promise<Seen> {
    return this.#with(options, async (visit) => {
      await visit.open();
      await visit.agree();
      await visit.arm(words);
      await visit.act((metric) => answers[metric]);
      await visit.settle(SENDING);
      if (stays) await visit.stay();
      for (const day of (await this.laterDays()).filter((each) => !stays || each > 1)) {
        await visit.open(day);
        await visit.settle(SENDING);
      }
      return seenOf(visit);
    });
  }

  /**
   * Days on which a page comes back: until all reports have left, where slots have an `otherwise` or reports leave alone, and on the next days and
   * the eighth in any case, because a page may keep an answer and send it days later, or choose the day by it.
   */
  async laterDays(): Promise<readonly number[]> {
    const { devices } = await this.known();
    const waits = devices.some(({ document: { metrics } }) => Object.values(metrics).some(({ otherwise }) => otherwise !== undefined));
    const isRelayed = devices.some(({ document: { relay } }) => relay === 'required');
    const isAlone = devices.some(({ document: { reports } }) => reports === 'alone');
    return waits ? [1, 8, 31] : isRelayed ? [2, 3, 4, 5, 8] : isAlone ? [1, 2, 3, 8] : [1, 2, 8];
  }

  /** Two scripts with an answer to each metric: on words just below the first threshold, and at it. */
  async scripts(): Promise<readonly Script[]> {
    const { acts = {} } = this.site.plan;
    const metrics = await this.metrics();
    return (metrics.length === 0 ? [] : [0, 1]).map((turn) => {
      const word = seededWords(turn + 1);
      const chosen = metrics.flatMap(([name, metric], place) => {
        const answers = Object.keys(acts[name] ?? {});
        const answer = answers[(turn + place) % answers.length];
        const question = questionOf(metric);
        const input = question && answer !== undefined ? inputOf(question, answer) : undefined;
        if (question === undefined || answer === undefined || input === undefined) return [];
        const words = enoughWords(question, metric.law, 'value', input, word);
        const { coins, used } = throwCoins(question, metric.law, 'value', input, words);
        return [[name, answer, { input, words: atThreshold(coins, words.slice(0, used), turn === 0) }] as const];
      });
      return {
        answers: Object.fromEntries(chosen.map(([name, answer]) => [name, answer])),
        words: Object.fromEntries(chosen.map(([name, , words]) => [name, words])),
      };
    });
  }

  readonly #first: () => Promise<readonly (readonly [Script, Seen])[]> = once(async () => {
    const stories: (readonly [Script, Seen])[] = [];
    for (const script of await this.scripts()) stories.push([script, await this.#story(script)]);
    return stories;
  });

  /** True if reports go through a relay. */
  readonly isRelayed: () => Promise<boolean> = once(async () => {
    const stories = await this.#first();
    return stories.some(([, { sent }]) => sent.some(({ message }) => message));
  });

  /** The visits of these scripts, and of the twins. */
  readonly stories: () => Promise<readonly (readonly [Script, Seen])[]> = once(async () => {
    const stories = await this.#first();
    const [twins, seen] = [await this.twins(), await this.twinStories(false)];
    return twins && seen ? [...stories, [twins[0], seen[0]], [twins[1], seen[1]]] : stories;
  });

  /** Two scripts whose answers differ in each metric, with words that give equal reports. */
  readonly twins: () => Promise<readonly [Script, Script] | undefined> = once(async () => {
    const { acts = {} } = this.site.plan;
    const word = seededWords(77);
    const chosen = (await this.metrics()).flatMap(([name, metric]) => {
      const question = questionOf(metric);
      const answers = Object.keys(acts[name] ?? {});
      if (question === undefined || answers.length < 2) return [];
      const pair = [answers[0] as string, answers.at(-1) as string] as const;
      const inputs = pair.map((answer) => inputOf(question, answer)) as [unknown, unknown];
      if (inputs.includes(undefined) || JSON.stringify(inputs[0]) === JSON.stringify(inputs[1])) return [];
      const words = twinWords(question, metric.law, inputs, word);
      return words ? [[name, pair, [0, 1].map((of) => ({ input: inputs[of], words: words[of] as readonly number[] }))] as const] : [];
    });
    if (chosen.length === 0) return undefined;
    const script = (of: 0 | 1): Script => ({
      answers: Object.fromEntries(chosen.map(([name, pair]) => [name, pair[of]])),
      words: Object.fromEntries(chosen.map(([name, , words]) => [name, words[of] as Words[string]])),
    });
    return [script(0), script(1)];
  });

  /**
   * The visit of one of the twins. A report through a relay leaves at a moment in the day after its own, so the page stays open then, by one
   * of the two browsers: an answer could be told by the hour.
   */
  async twinStory(script: Script, webdriver: boolean): Promise<Seen> {
    return this.#story(script, { seed: 5, webdriver }, !webdriver && (await this.isRelayed()));
  }

  /** The visits of the twins, by a browser that says whether it is driven. */
  readonly twinStories: (webdriver: boolean) => Promise<readonly [Seen, Seen] | undefined> = (() => {
    const tell = (webdriver: boolean) =>
      once(async () => {
        const twins = await this.twins();
        if (twins === undefined) return undefined;
        return [await this.twinStory(twins[0], webdriver), await this.twinStory(twins[1], webdriver)] as const;
      });
    const [undriven, driven] = [tell(false), tell(true)];
    return (webdriver) => (webdriver ? driven() : undriven());
  })();

  /** Visits on many days, of a page where each answer is clicked twice a visit. */
  readonly months: () => Promise<Months> = once(() => this.monthsOf(0));

  /** The same, with the answers that come so many later in each list. */
  monthsOf(later: number): Promise<Months> {
    return this.#with({ seed: 9 }, async (visit) => {
      const seen: (readonly [number, Seen])[] = [];
      const leaving = (await this.isRelayed()) ? LEAVING : [];
      for (const day of [...DAYS, ...leaving].sort((a, b) => a - b)) {
        await visit.open(day);
        if (day === 0) await visit.agree();
        for (let again = 0; again < 2 && DAYS.includes(day); again++)
          await visit.act((_, answers) => answers[(day + again + later) % answers.length]);
        await visit.settle(SENDING);
        seen.push([day, await seenOf(visit)]);
      }
      return seen;
    });
  }

  /** Agrees, answers, then touches something, and answers again days later. */
  readonly after: (selector: string) => Promise<{ readonly before: number; readonly seen: Seen }> = (selector) =>
    this.#with({ seed: 11 }, async (visit) => {
      await visit.open();
      await visit.agree();
      await visit.act((_, [answer]) => answer);
      await visit.idle();
      await visit.touch(selector, '', 'deny or forget');
      await visit.idle();
      const before = visit.reports.length;
      for (const day of [0, 8]) {
        if (day > 0) await visit.open(day);
        await visit.tryToAct();
        await visit.settle(SENDING);
      }
      return { before, seen: await seenOf(visit) };
    });

  async close(): Promise<void> {
    await this.#quiet?.close();
  }
}
