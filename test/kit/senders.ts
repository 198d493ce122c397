/** A small schema, batches of it, and connections that send what they are told: what no proper client would, too. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { choice, defineSchema } from '@murmuration/client';
import { dayNumber, dayText, wireName } from '@murmuration/shared';

export const schema = defineSchema({
  app: 'abuse',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: {
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
    theme: choice(['light', 'dark'], { epsilon: 1, description: 'Which theme?' }),
  },
});

let serial = 0;
/** A batch with an id of its own. */
export const batch = (reports: readonly (readonly [string, string])[] = [['plan', 'AQ']]): string =>
  JSON.stringify({
    v: 1,
    schema: wireName(schema.document),
    day: dayText(dayNumber(Date.now())),
    batch: (++serial).toString(16).padStart(32, '0'),
    reports,
  });

/** A connection that says what it is told, and all that it is answered until it is closed. */
export async function raw(url: string, text: string): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  await once(socket, 'connect');
  let said = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  // Senders that go on writing after the answer that ends the connection meet a reset: what was heard before is the answer.
  socket.on('error', () => {});
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(said)));
  socket.write(text);
  return { socket, answer };
}

/** The head of a report whose body has so many bytes, with further header lines. */
export const head = (length: number, headers = ''): string =>
  `POST /v1/reports HTTP/1.1\r\nHost: t\r\nContent-Length: ${length}\r\n${headers}\r\n`;

/** A whole report. */
export const report = (body = batch()): string => head(Buffer.byteLength(body)) + body;
