/** Requests from a mutator, two million in the long run: never a 5xx, never a partial count, and constant memory. */

import { readFileSync } from 'node:fs';
import { type Batch, canonicalSchema, dayNumber, dayText, type SchemaDocument } from '@murmuration/shared';
import { median } from '../kit/quantile.ts';
import { chance } from './chance.ts';
import { type Answer, Connection, report } from './connection.ts';
import { type Draw, mutateBody, mutateRequest } from './mutate.ts';
import { failuresOf, type Outcome, sleep } from './outcome.ts';
import { memoryOf, type Server, serve, withFolder } from './server.ts';

const CLIENTS = 16;
const BURST = 8;
/** A request that breaks HTTP may wait for ever, so the client gives up first. */
const PATIENCE = 100;
/** The memory growth that still counts as constant. */
const FLAT = 1.1;

const vectors = JSON.parse(readFileSync(new URL('../vectors/batch-v1.json', import.meta.url), 'utf8')) as {
  readonly document: SchemaDocument;
  readonly accepted: readonly { readonly body: string }[];
};
const seeds = vectors.accepted.map(({ body }) => JSON.parse(body) as Batch);

/** What clients know about a fuzzed collector. */
class Knowledge {
  readonly failures: ReturnType<typeof failuresOf> = failuresOf();
  readonly statuses = new Map<number, number>();
  readonly reports = new Map<string, number>();
  readonly #known = new Set<string>();

  /** Records a response, and what the collector must have counted if it was an acknowledgement. */
  note({ status, body: text }: Answer, body: Buffer | undefined): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 || status === 429) this.failures.add(`a ${status}`, `${text} to ${body?.toString('utf8').slice(0, 300)}`);
    if (status >= 400 && text !== '' && !/^\{"error":".*","expected":".*","got":.*\}\n$/.test(text))
      this.failures.add('a refusal that is no line of JSON', text);
    if (status !== 204 || body === undefined) return;
    const { batch, reports } = JSON.parse(body.toString('utf8')) as Batch;
    if (this.#known.has(batch)) return;
    this.#known.add(batch);
    for (const [metric] of reports) this.reports.set(metric, (this.reports.get(metric) ?? 0) + 1);
  }

  get accepted(): number {
    return this.#known.size;
  }
}

/**
 * Bytes of a body, 15 times the largest that is taken. Longer ones are refused while they are sent, and closing then may reset the connection
 * before a sender has read the answer.
 */
const MOST_ANSWERED = 1_000_000;

/** Sends bodies over one connection. Bodies without a response are sent again, each over its own connection, until they have one. */
async function sendBodies(connection: Connection, port: number, bodies: readonly Buffer[], knowledge: Knowledge): Promise<void> {
  connection.socket.cork();
  const answers = bodies.map((body) => connection.send(report(body)).catch(() => undefined));
  connection.socket.uncork();
  for (const [i, body] of bodies.entries()) {
    let answer = await answers[i];
    for (let attempt = 0; answer === undefined && attempt < 5; attempt++) {
      const own = new Connection(port);
      answer = await own.send(report(body)).catch(() => undefined);
      own.close();
    }
    if (answer !== undefined) knowledge.note(answer, body);
    else if (body.length <= MOST_ANSWERED) knowledge.failures.add('a body that is never answered', body.toString('utf8').slice(0, 300));
  }
}

/** Sends a request that breaks HTTP or is unusual. */
async function sendOdd(port: number, valid: Buffer, draw: Draw, knowledge: Knowledge): Promise<void> {
  const { bytes, body } = mutateRequest(valid, draw);
  const connection = new Connection(port);
  const answer = await Promise.race([connection.send(bytes).catch(() => undefined), sleep(body === undefined ? PATIENCE : 10_000)]);
  connection.close();
  if (answer !== undefined) knowledge.note(answer, body);
  else if (body !== undefined) await sendBodies(new Connection(port), port, [body], knowledge);
}

async function client(server: Server, draw: Draw, more: (requests: number) => boolean, knowledge: Knowledge, today: number): Promise<void> {
  const fresh = (): Batch => {
    const batch = Array.from({ length: 4 }, () =>
      draw(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
    return { ...(seeds[draw(seeds.length)] as Batch), batch, day: dayText(today - draw(14)) };
  };
  let connection = new Connection(server.port);
  while (more(BURST)) {
    if (draw(12) === 0) {
      const bodies = Array.from({ length: BURST }, () => Buffer.from(JSON.stringify(fresh())));
      await Promise.all(bodies.map((body) => sendOdd(server.port, body, draw, knowledge)));
      continue;
    }
    if (connection.closed || connection.socket.destroyed) connection = new Connection(server.port);
    await sendBodies(
      connection,
      server.port,
      Array.from({ length: BURST }, () => mutateBody(fresh() as never, draw)),
      knowledge,
    );
  }
  connection.close();
}

/** The collector's own counts, by metric. */
async function countedBy(port: number): Promise<ReadonlyMap<string, number>> {
  const { metrics } = (await (await fetch(`http://127.0.0.1:${port}/v1/metrics`)).json()) as {
    metrics: { metric: string; reports: number }[];
  };
  return new Map(metrics.map(({ metric, reports }) => [metric, reports]));
}

/** Sends this many requests. */
export const fuzz = (requests: number, seed: number): Promise<Outcome> =>
  withFolder(async (folder) => {
    const [knowledge, today] = [new Knowledge(), dayNumber(Date.now())];
    const server = await serve(`${folder}/data`, { schema: canonicalSchema(vectors.document) });
    const memory: number[] = [];
    let sent = 0;
    const more = (next: number): boolean => {
      if (Math.floor((sent * 100) / requests) > memory.length) memory.push(memoryOf(server.pid));
      sent += next;
      return sent <= requests;
    };
    const begun = performance.now();
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(server, chance(seed * CLIENTS + i), more, knowledge, today)));
    const seconds = (performance.now() - begun) / 1_000;
    const counted = await countedBy(server.port);
    const { failures } = knowledge;
    for (const metric of Object.keys(vectors.document.metrics)) {
      const [is, should] = [counted.get(metric) ?? 0, knowledge.reports.get(metric) ?? 0];
      if (is !== should) failures.add('counts differ from what was acknowledged', `${metric}: ${is}, not ${should}`);
    }
    // Medians, because a late garbage collection is not growth.
    const part = (from: number, to: number): number =>
      median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)));
    const growth = part(2 / 3, 1) / part(1 / 3, 2 / 3);
    if (requests >= 100_000 && growth > FLAT) failures.add('memory grows', `${growth.toFixed(2)} times`);
    if ((await server.stop('SIGTERM')) !== 0) failures.add('the collector did not stop well');
    if (server.logs().includes('a request failed'))
      failures.add('the log has an error', /.*a request failed.*/.exec(server.logs())?.[0].slice(0, 600));
    const statuses = [...knowledge.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} x ${status}`);
    return {
      fault: 'fuzzing',
      tried: `${requests} requests, ${Math.round(requests / seconds)} a second`,
      seen: `${statuses.join(', ')}; ${knowledge.accepted} batches counted whole; memory ${Math.round(part(1 / 3, 2 / 3))} MiB, then ${growth.toFixed(2)} times`,
      failures: failures.list(),
    };
  });
