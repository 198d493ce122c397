/**
 * A visit: a fresh browser context with the agent in it. Its clock stands still and is moved by the audit, its random numbers come from a
 * seed, and the reports are answered here, so no collector needs to run. Requests of all pages, frames and workers are written down.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Frame, Page, Request } from 'playwright-core';
import { UsageError } from '../../../base/fault.ts';
import type {
  Agent,
  AgentOptions,
  Draw,
  Drawn,
  FoundDevice,
  Kept,
  Outcome,
  Run,
  SealingKeys,
  Sending,
  Stored,
  Words,
} from './agent-api.ts';
import { userAgentOf } from './browser.ts';
import { isMessage, openMessage, UNOPENED } from './messages.ts';
import { answerOf, hashScript, hooksOf, isReport, preflightOf, type Sent, type Site, type VisitOptions } from './site.ts';
import { act, firstAnswers, touch } from './touch.ts';
import { workerClock } from './worker-clock.ts';
import type { BrowserRequest, WorkerAnswer, WorkerRealm } from './workers.ts';

/** Noon, far from a change of the day. */
const NOON = 43_200_000;
const DAY = 86_400_000;

/** Milliseconds of the page's clock in a step. */
const STEP = 2_000;

/** The most steps of a day in which the page stays open. */
const MOST_STEPS = 150;

/** Milliseconds that a page may take to tell its keys: one that waits for a request in a synchronous way can't. */
const PATIENCE_OF_KEYS = 5_000;

/** Milliseconds that a selector may take to appear. */
const PATIENCE = 30_000;
/** The same where it need not appear. */
const IMPATIENCE = 2_000;

/** Steps of the page's clock in which it may. */
const PATIENT_STEPS = 10;

/** A page's frame or a worker. */
type Realm = Frame | WorkerRealm;

/** A device, and where it is. */
export interface Found extends FoundDevice {
  readonly realm: Realm;
  readonly at: number;
}

/** The parameters of a call about a device, without its number. */
type Of<F extends (...args: never[]) => unknown> = Parameters<F> extends [number, ...infer R] ? R : never;

/** The name of a worker's clock. */
const clockOf = (secret: string): string => `${secret}c`;

export class Visit {
  readonly sent: Sent[] = [];
  readonly site: Site;
  readonly page: Page;
  readonly #context: BrowserContext;
  /** The browser's name of the context. */
  readonly #name: string;
  readonly #start: number;
  #isOpen = false;
  #step = 0;
  #patience = PATIENT_STEPS;
  #day = 0;
  /** The time of the page's clock. */
  #now: number;
  #armed: Words = {};
  readonly #noted = new WeakMap<Request, Sent>();
  /** Records of documents that were left, and of workers when the page was left. */
  readonly #before = new Map<unknown, Kept>();

  private constructor(site: Site, page: Page, name: string, start: number) {
    this.site = site;
    this.page = page;
    this.#context = page.context();
    this.#name = name;
    this.#start = start;
    this.#now = start;
  }

  /** Opens a context. Nothing is loaded. */
  static async begin(site: Site, { seed = 1, webdriver = false, privacyControl = false }: VisitOptions = {}): Promise<Visit> {
    const { browser, storageState, secret, files } = site;
    const context = await browser.newContext({
      userAgent: userAgentOf(browser),
      ...(storageState !== undefined && { storageState }),
      ...(privacyControl && { extraHTTPHeaders: { 'Sec-GPC': '1' } }),
    });
    context.setDefaultTimeout(PATIENCE);
    // A day of the real calendar: certificates and logins hold, and all visits of an audit see the same time.
    const start = Math.floor(Date.now() / DAY) * DAY + NOON;
    await context.clock.install({ time: start - 1_000 });
    await context.clock.pauseAt(start);
    const options: AgentOptions = { secret, seed, webdriver, privacyControl };
    const hooks = hooksOf(options);
    await context.addInitScript(hooks);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    const visit = new Visit(site, page, targetInfo.browserContextId ?? '', start);
    await context.route(
      () => true,
      async (route) => {
        const request = route.request();
        const message = isMessage(request.method(), request.headers()) && visit.#noted.get(request);
        const answer = message ? await visit.#open(message) : answerOf(files, request.url());
        await (answer === undefined ? route.fallback() : route.fulfill(answer)).catch(() => undefined); // a page that was left
      },
    );
    site.workers.host(visit.#name, {
      hooks: () =>
        `(${workerClock})(${JSON.stringify(clockOf(secret))}, ${visit.#now});${hooks};globalThis[${JSON.stringify(secret)}].arm(${JSON.stringify(visit.#armed)})`,
      answer: async (made) => {
        const { url, method, headers } = made;
        const added = visit.#add('worker', 'fetch', made);
        if (added && isMessage(method, headers)) return visit.#open(added);
        return answerOf(files, url) ?? (method === 'OPTIONS' ? preflightOf(headers) : undefined);
      },
    });
    context.on('request', (request) => visit.#note(request));
    context.on('response', (response) => hashScript(site, response));
    return visit;
  }

  #note(request: Request): void {
    const made = {
      url: request.url(),
      method: request.method(),
      headers: request.headers(),
      body: request.postDataBuffer() ?? Buffer.alloc(0),
    };
    const added = this.#add(request.serviceWorker() ? 'worker' : 'page', request.resourceType(), made);
    if (added) this.#noted.set(request, added);
  }

  #add(from: Sent['from'], type: string, { url, method, headers, body }: BrowserRequest): Sent | undefined {
    if (!/^https?:/.test(url) || method === 'OPTIONS') return undefined;
    const sealed = isMessage(method, headers);
    const isOwn = (this.site.plan.own ?? []).some((each) => url.includes(each));
    const added = {
      from,
      method,
      url,
      type,
      headers,
      body: sealed ? body.toString('hex') : body.toString(),
      isReport: sealed ? !isOwn : isReport(url),
      step: this.#step,
      time: this.#now,
      ...(sealed && { message: { url, headers, bytes: body.toString('hex'), key: undefined, fields: [] } }),
    };
    this.sent.push(added);
    return added;
  }

  /** Opens a message, puts the request in it in its place, and gives the answer to it. */
  async #open(sent: Sent): Promise<WorkerAnswer> {
    const { message } = sent;
    const all = await Promise.race([this.#all('keys'), sleep(PATIENCE_OF_KEYS, [], { ref: false })]);
    const keys: SealingKeys = {
      secrets: all.flatMap(({ secrets }) => secrets),
      recipients: [...new Set(all.flatMap(({ recipients }) => recipients))],
    };
    const opened = message && (await openMessage(Buffer.from(message.bytes, 'hex'), keys));
    if (opened === undefined) return UNOPENED;
    const { method, scheme, authority, path, fields, content } = opened.request;
    const url = `${scheme}://${authority}${path}`;
    Object.assign(sent, {
      method,
      url,
      headers: Object.fromEntries(fields),
      body: Buffer.from(content).toString(),
      isReport: URL.canParse(url) && isReport(url),
      message: { ...message, key: opened.key, fields },
    });
    return opened.answer;
  }

  /** The reports' bodies. */
  get reports(): readonly Sent[] {
    return this.sent.filter((each) => each.isReport);
  }

  /** Loads the page, so many days after the first visit. */
  async open(day = 0): Promise<void> {
    if (this.#isOpen) await this.#keep();
    this.#isOpen = true;
    if (day > this.#day) {
      this.#now = this.#start + day * DAY;
      await this.#context.clock.pauseAt(this.#now).catch(() => undefined);
      await this.#moveWorkers(false);
      await this.idle(); // what the page before sends when it wakes
    }
    this.#day = day;
    try {
      await this.page.goto(this.site.url, { waitUntil: 'load', timeout: 120_000 });
    } catch (error) {
      throw new UsageError(`audit: expected ${this.site.url} to load, got: ${(error as Error).message.split('\n')[0]}`);
    }
    await this.settle(1);
  }

  get #workers(): readonly WorkerRealm[] {
    return this.site.workers.of(this.#name).filter(({ isReady, hasEnded }) => isReady && !hasEnded);
  }

  get #realms(): readonly Realm[] {
    return [...this.page.frames(), ...this.#workers];
  }

  /** Keeps what frames and workers tell before the page is left. Workers may go on. */
  async #keep(): Promise<void> {
    await this.#gather();
    for (const realm of this.#realms) {
      const draws = await this.#call(realm, 'draws');
      const sent = await this.#call(realm, 'sent');
      const words = await this.#call(realm, 'words');
      const devices = await this.#call(realm, 'devices');
      if (draws && sent && words && devices) this.#before.set(await this.#keyOf(realm), { draws, sent, words, devices });
    }
  }

  /** Takes the records of documents that were left. */
  async #gather(): Promise<void> {
    for (const left of await this.#all('left')) for (const [id, kept] of Object.entries(left)) this.#before.set(id, kept);
  }

  #keyOf = async (realm: Realm): Promise<unknown> => ('hasEnded' in realm ? realm : ((await this.#call(realm, 'id')) ?? realm));

  async #moveWorkers(again: boolean): Promise<void> {
    for (const worker of this.#workers) {
      const call = `globalThis[${JSON.stringify(clockOf(this.site.secret))}]?.to(${this.#now}, ${again})`;
      await worker.evaluate(call).catch(() => undefined);
    }
  }

  async #call<N extends keyof Agent>(
    realm: Realm,
    name: N,
    ...args: Parameters<Agent[N]>
  ): Promise<Awaited<ReturnType<Agent[N]>> | undefined> {
    const call = `Promise.resolve(globalThis[${JSON.stringify(this.site.secret)}]?.[${JSON.stringify(name)}](...${JSON.stringify(args)}))`;
    return (await (realm as WorkerRealm).evaluate(call).catch(() => undefined)) as Awaited<ReturnType<Agent[N]>> | undefined;
  }

  async #all<N extends keyof Agent>(name: N, ...args: Parameters<Agent[N]>): Promise<readonly Awaited<ReturnType<Agent[N]>>[]> {
    const results = await Promise.all(this.#realms.map((realm) => this.#call(realm, name, ...args)));
    return results.filter((each) => each !== undefined) as readonly Awaited<ReturnType<Agent[N]>>[];
  }

  /** How many workers begin, and how many steps and requests are pending. */
  async #pending(): Promise<number> {
    const { length } = this.site.workers.of(this.#name).filter(({ hasBegun, hasEnded }) => !hasBegun && !hasEnded);
    return (await this.#all('busy')).reduce((sum, each) => sum + each, length);
  }

  /** Waits until no step of IndexedDB and no request is pending, in real time. What was open all that time is not waited for again. */
  async idle(): Promise<void> {
    let [quiet, open] = [0, Number.POSITIVE_INFINITY];
    for (let tries = 0; quiet < 2 && tries < 200; tries++) {
      const before = this.sent.length;
      await sleep(25);
      const pending = await this.#pending();
      open = Math.min(open, pending);
      quiet = pending > this.site.background.pending || this.sent.length > before ? 0 : quiet + 1;
    }
    if (quiet < 2) this.site.background.pending = Math.max(open, this.site.background.pending);
  }

  /** Lets so many steps of the page's clock pass, and waits at each timer of over a second for what follows: two visits have the same times. */
  async settle(steps: number): Promise<void> {
    await this.idle();
    for (let left = steps * STEP; left > 0; ) {
      const wait = Math.min(left, STEP, ...(await this.#all('untilTimer')));
      await this.#advance(wait, 'runFor');
      left -= wait;
    }
  }

  /**
   * Leaves the page open from the next midnight on for a day. The clock goes from timer to timer and waits at each for what follows, so that two
   * visits have the same times.
   */
  async stay(): Promise<void> {
    const midnight = Math.floor(this.#now / DAY + 1) * DAY;
    await this.#advance(midnight - this.#now, 'fastForward');
    for (let steps = 0; this.#now < midnight + DAY; steps++) {
      const wait = steps < MOST_STEPS ? Math.min(...(await this.#all('untilTimer'))) : DAY;
      await this.#advance(Math.min(wait, midnight + DAY - this.#now), 'fastForward');
    }
    this.#day = (midnight + DAY - this.#start) / DAY;
  }

  /** Moves the clock on, and waits until nothing is pending. What a timer of the page throws, the clock throws once all have run: it is no matter. */
  async #advance(milliseconds: number, by: 'runFor' | 'fastForward'): Promise<void> {
    this.#step++;
    const before = this.sent.length;
    this.#now += milliseconds;
    await this.page.clock[by](milliseconds).catch(() => undefined);
    await this.#moveWorkers(by === 'runFor');
    if (this.sent.length > before || (await this.#pending()) > this.site.background.pending) await this.idle();
  }

  /** Touches an element, and lets the clock go on until it appears: a page may show it some seconds later. */
  touch = async (selector: string, text: string, where: string): Promise<void> => {
    const element = this.page.locator(selector).first();
    for (let steps = 0; steps < this.#patience && !(await element.isVisible()); steps++) await this.settle(1);
    await touch(this.page, selector, text, where);
  };

  async agree(): Promise<void> {
    const { consent } = this.site.plan;
    if (consent !== undefined) await this.touch(consent, '', 'consent');
    await this.settle(1);
  }

  act(choose: (metric: string, answers: readonly string[]) => string | undefined): Promise<void> {
    return act(this.touch, this.site.plan, choose);
  }

  /** Clicks the first answers of a person who does not agree. A page may hide them, so what can't be clicked is left out. */
  async tryToAct(): Promise<void> {
    this.#context.setDefaultTimeout(IMPATIENCE);
    this.#patience = 0;
    for (const [answer, selector] of firstAnswers(this.site.plan)) await this.touch(selector, answer, 'acts').catch(() => undefined);
    this.#context.setDefaultTimeout(PATIENCE);
    this.#patience = PATIENT_STEPS;
  }

  /** Records of all frames and workers, also of those that are no more. */
  async #records<N extends keyof Kept>(name: N): Promise<Awaited<ReturnType<Agent[N]>>> {
    await this.#gather();
    const heard = new Map<unknown, unknown>([...this.#before].map(([key, record]) => [key, record[name]]));
    for (const realm of this.#realms) {
      const record = await this.#call<keyof Kept>(realm, name);
      const key = await this.#keyOf(realm);
      heard.delete(key); // those that are there come last, in their order
      if (record !== undefined) heard.set(key, record);
    }
    return [...heard.values()].flat() as unknown as Awaited<ReturnType<Agent[N]>>;
  }

  async devices(): Promise<readonly Found[]> {
    const found = await Promise.all(
      this.#realms.map(async (realm) => ((await this.#call(realm, 'devices')) ?? []).map((device, at) => ({ ...device, realm, at }))),
    );
    return found.flat();
  }

  written = async (): Promise<readonly FoundDevice['document'][]> => (await this.#all('written')).flat();
  /** The devices of all documents and workers, also of those that are no more. */
  asked = (): Promise<readonly FoundDevice[]> => this.#records('devices');
  draws = (): Promise<readonly Draw[]> => this.#records('draws');
  scripts = (): Promise<readonly Sending[]> => this.#records('sent');
  words = (): Promise<readonly Drawn[]> => this.#records('words');
  reads = async (): Promise<readonly string[]> => [...new Set((await this.#all('reads')).flat())];
  given = async (): Promise<readonly string[]> => (await this.#all('given')).flat();
  stored = async (): Promise<readonly Stored[]> => this.#all('stored');
  /** Sets the words of draws, also in the documents that follow: those to which a click leads, and those of later days. */
  arm = async (words: Words): Promise<unknown> => {
    this.#armed = words;
    await this.#context.addInitScript(`globalThis[${JSON.stringify(this.site.secret)}].arm(${JSON.stringify(words)})`);
    return this.#all('arm', words);
  };

  /** The browser's own account of IndexedDB. */
  databases = async (): Promise<string> => JSON.stringify((await this.#context.storageState({ indexedDB: true })).origins);

  run = (device: Found, ...args: Of<Agent['run']>): Promise<readonly Run[] | undefined> =>
    this.#call(device.realm, 'run', device.at, ...args);

  channel = (device: Found, ...args: Of<Agent['channel']>): Promise<readonly Outcome[] | undefined> =>
    this.#call(device.realm, 'channel', device.at, ...args);

  /** Workers in which no agent runs, or that ended before they were read. */
  async unwatched(): Promise<readonly string[]> {
    const workers = this.site.workers.of(this.#name).filter((each) => !this.#before.has(each));
    const heard = await Promise.all(workers.map((worker) => (worker.isReady ? this.#call(worker, 'busy') : undefined)));
    const urls = workers.filter((_, at) => heard[at] === undefined).map(({ url }) => url);
    for (const url of urls) this.site.unwatched.add(url.replace(/^blob:.*/, 'a blob'));
    return urls;
  }

  close = (): Promise<void> => this.#context.close();
}
