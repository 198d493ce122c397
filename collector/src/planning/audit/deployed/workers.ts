/**
 * The workers of a browser: dedicated ones, at any depth, shared ones and service workers. Each waits at its start until the hooks of its
 * visit have run in it. Playwright shows dedicated and service workers and their requests, but lets them run at once; shared ones it does not
 * show at all, so their requests are heard and answered here.
 */

import { setTimeout as sleep } from 'node:timers/promises';

/** A message of the Chrome DevTools Protocol. */
export interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

interface TargetInfo {
  readonly type: string;
  readonly url: string;
  readonly browserContextId: string;
}

/** A request as the browser makes it. */
export interface BrowserRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The same of a shared worker, as the browser tells of it. */
interface PausedRequest extends Omit<BrowserRequest, 'body'> {
  /** Parts of the body, in base64. */
  readonly postDataEntries?: readonly { readonly bytes?: string }[];
}

/** An answer that takes the place of the network's. */
export interface WorkerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The visit of a context, as its workers need it. */
export interface Host {
  /** The script that runs in a new worker before its own. */
  readonly hooks: () => string;
  /** An answer of the audit's own; undefined leaves the request to the network. */
  readonly answer: (request: BrowserRequest) => Promise<WorkerAnswer | undefined>;
}

/** A worker in which expressions can be evaluated. */
export interface WorkerRealm {
  readonly url: string;
  /** True once its hooks have run. Before, an expression would be taken for its first script. */
  readonly isReady: boolean;
  /** True once its first script has had the time to start other workers, which the browser tells of late. */
  readonly hasBegun: boolean;
  readonly hasEnded: boolean;
  readonly evaluate: (expression: string) => Promise<unknown>;
}

interface Attached extends WorkerRealm {
  readonly sessionId: string;
  readonly context: string;
  isReady: boolean;
  hasBegun: boolean;
  hasEnded: boolean;
}

const KINDS: ReadonlySet<string> = new Set(['worker', 'service_worker', 'shared_worker']);

/** Milliseconds that a first script has for that. */
const BEGINNING = 250;

/** Ids of this module's requests: above all of Playwright's, which count from 1. */
const FIRST_ID = 1_000_000_000;

export class Workers {
  readonly #hosts = new Map<string, Host>();
  readonly #attached: Attached[] = [];
  readonly #waiting = new Map<number, { readonly sessionId: string; readonly told: (answer: Message) => void }>();
  /** Sessions that have run no script yet. */
  readonly #stopped = new Map<string, Host>();
  /** Sessions of shared workers and of those that they start. Playwright does not hear of them. */
  readonly #own = new Map<string, Host | undefined>();
  #write: (message: object) => unknown = () => undefined;
  #id = FIRST_ID;

  /** Tells where messages to the browser go. */
  begin(write: (message: object) => unknown): void {
    this.#write = write;
  }

  /** Prepares the workers of a context. */
  host(context: string, host: Host): void {
    this.#hosts.set(context, host);
  }

  /** The workers of a context, in the order in which they began, with those that have ended. */
  of(context: string): readonly WorkerRealm[] {
    return this.#attached.filter((each) => each.context === context);
  }

  /** Takes note of a message of the browser, and tells if it is for Playwright. */
  passes({ id, sessionId, method, params = {}, ...answer }: Message): boolean {
    if (id !== undefined && id > FIRST_ID) {
      this.#waiting.get(id)?.told(answer);
      this.#waiting.delete(id);
      return false;
    }
    if (method === 'Target.attachedToTarget') {
      const { sessionId: child, targetInfo } = params as { readonly sessionId: string; readonly targetInfo: TargetInfo };
      if (KINDS.has(targetInfo.type)) this.#attach(child, targetInfo, sessionId);
      return !this.#own.has(child);
    }
    if (method === 'Target.detachedFromTarget') {
      const { sessionId: child } = params as { readonly sessionId: string };
      this.#end(child);
      return !this.#own.delete(child);
    }
    const stopped = this.#stopped.get(sessionId ?? '');
    if (sessionId !== undefined && stopped && method === 'Debugger.paused') {
      this.#stopped.delete(sessionId);
      void this.#prepare(sessionId, stopped);
    }
    if (method?.startsWith('Debugger.')) return false;
    if (sessionId === undefined || !this.#own.has(sessionId)) return true;
    void this.#hear(sessionId, method, params);
    return false;
  }

  #send(sessionId: string, method: string, params: object = {}): Promise<Message> {
    const id = ++this.#id;
    this.#write({ id, sessionId, method, params });
    return new Promise((told) => this.#waiting.set(id, { sessionId, told }));
  }

  async #prepare(sessionId: string, host: Host): Promise<void> {
    await this.#send(sessionId, 'Runtime.evaluate', { expression: host.hooks() });
    await this.#send(sessionId, 'Debugger.disable');
    Object.assign(this.#worker(sessionId) ?? {}, { isReady: true });
    await sleep(BEGINNING, undefined, { ref: false });
    Object.assign(this.#worker(sessionId) ?? {}, { hasBegun: true });
  }

  #worker(sessionId: string): Attached | undefined {
    return this.#attached.find((each) => each.sessionId === sessionId);
  }

  #end(sessionId: string): void {
    Object.assign(this.#worker(sessionId) ?? {}, { hasEnded: true });
    for (const [id, waiting] of this.#waiting)
      if (waiting.sessionId === sessionId) {
        waiting.told({ error: { message: 'the worker ended' } });
        this.#waiting.delete(id);
      }
  }

  #attach(sessionId: string, { type, url, browserContextId }: TargetInfo, parent: string | undefined): void {
    const host = this.#hosts.get(browserContextId);
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result, error } = await this.#send(sessionId, 'Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (error) throw new Error(error.message);
      return (result?.['result'] as { readonly value?: unknown } | undefined)?.value;
    };
    // Service workers and shared ones may be told of twice: for the browser, and for their page, which Playwright leaves again.
    if (type !== 'worker' && parent !== undefined) return;
    this.#attached.push({ url, isReady: false, hasBegun: false, hasEnded: false, evaluate, sessionId, context: browserContextId });
    // The browser takes them in this order, and before those that Playwright sends when it hears of the worker.
    void this.#send(sessionId, 'Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
    // While a worker waits for a debugger it lacks parts of its scope, so it is stopped again before its first script.
    if (host) {
      this.#stopped.set(sessionId, host);
      void this.#send(sessionId, 'Debugger.enable');
      void this.#send(sessionId, 'Debugger.setInstrumentationBreakpoint', { instrumentation: 'beforeScriptExecution' });
    }
    if (parent === undefined ? type !== 'shared_worker' : !this.#own.has(parent)) return;
    this.#own.set(sessionId, host);
    void this.#send(sessionId, 'Fetch.enable');
    void this.#send(sessionId, 'Runtime.runIfWaitingForDebugger');
  }

  /** A message of such a session. */
  async #hear(sessionId: string, method: string | undefined, params: Readonly<Record<string, unknown>>): Promise<void> {
    const host = this.#own.get(sessionId);
    const { request, requestId } = params as { readonly request: PausedRequest; readonly requestId: string };
    if (method !== 'Fetch.requestPaused') return;
    const { postDataEntries = [], ...rest } = request;
    const body = Buffer.concat(postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64')));
    const answer = await host?.answer({ ...rest, body });
    if (answer === undefined) void this.#send(sessionId, 'Fetch.continueRequest', { requestId });
    else
      void this.#send(sessionId, 'Fetch.fulfillRequest', {
        requestId,
        responseCode: answer.status,
        responseHeaders: Object.entries(answer.headers).map(([name, value]) => ({ name, value })),
        body: Buffer.from(answer.body).toString('base64'),
      });
  }
}
