/**
 * A device with one permanent metric, made of the client's own parts: question, randomizer, ledger, slots and outbox. Its transcript
 * is the bodies that it sends.
 */

import { type MetricDocument, type SchemaDocument, toBase64url } from '@murmuration/shared';
import { emptyState } from '#client/ledger/state.ts';
import { bodyOf } from '#client/outbox.ts';
import type { DeviceQuestion } from '#client/questions/question.ts';
import type { Coins } from '#client/random/coins.ts';
import type { Randomize } from '#client/randomizers/randomizer.ts';
import { randomize } from '#client/record.ts';
import { parts } from '#client/schema.ts';
import { advance, answer } from '#client/slots.ts';
import type { Device } from './histories.ts';

/** A schema of one metric. */
export interface Asked {
  readonly document: SchemaDocument;
  readonly questions: { readonly asked: DeviceQuestion<never> };
  readonly wire: string;
}

export const metricOf = ({ document }: Asked): MetricDocument => document.metrics['asked'] as MetricDocument;

const FIRST_DAY = 20_000;

/** A device that was asked every day, and answered with these values by their number; -1 is a day without an answer. */
export const deviceOf =
  (asked: Asked, values: readonly unknown[]): Device =>
  (history, coins) => {
    const { document, questions, wire } = asked;
    const state = emptyState();
    let day = FIRST_DAY;
    const device = {
      ...document,
      ...parts,
      questions,
      wire,
      segment: undefined,
      fallback: 'ask' as const,
      perDay: 8,
      ...coins,
      newId: () => 'batch',
      now: () => day * 86_400_000,
      today: () => day,
      me: 'me',
      said: [],
    };
    for (const [slot, value] of history.entries()) {
      day = FIRST_DAY + slot;
      advance(device, state);
      if (value < 0) continue;
      const claim = randomize(device, 'asked', values[value]);
      if (typeof claim === 'string') throw new Error(`expected a symbol, got ${claim}`);
      const why = answer(device, state, { ...claim, id: `answer ${slot}`, wire, day, place: claim.metric });
      if (why !== 'recorded') throw new Error(`expected an answer to count, got ${why}`);
    }
    return state.outbox.map(bodyOf).join('\n');
  };

/** The same device, whose reports each come from a symbol of their own: as if there were no epoch. */
export function withoutEpochs(asked: Asked): Asked {
  let fresh: Uint8Array = new Uint8Array();
  const { law } = metricOf(asked);
  const question = asked.questions.asked;
  const randomize = question.randomizers[law.mechanism] as Randomize<unknown, unknown>;
  const mutant: DeviceQuestion<never> = {
    ...question,
    randomizers: {
      [law.mechanism]: (of: unknown, input: unknown, coins: Coins) => {
        fresh = randomize(of, input, coins);
        return fresh;
      },
    },
    respondStored: (of, _stored, coins) =>
      (question.respondStored as NonNullable<typeof question.respondStored>)(of, toBase64url(fresh), coins),
  };
  return { ...asked, questions: { asked: mutant } };
}

/** The same device, which keeps a symbol for each value instead of one for the epoch: RAPPOR's paper, §2, step 2. */
export function memoizing(asked: Asked, values: readonly unknown[]): Device {
  return (history, coins) => {
    const memo = new Map<string, Uint8Array>();
    const { law } = metricOf(asked);
    const question = asked.questions.asked;
    const mutant = withoutEpochs({
      ...asked,
      questions: {
        asked: {
          ...question,
          randomizers: {
            [law.mechanism]: (of: unknown, input: unknown, own: Coins) => {
              const key = JSON.stringify(input);
              const symbol = memo.get(key) ?? (question.randomizers[law.mechanism] as Randomize<unknown, unknown>)(of, input, own);
              memo.set(key, symbol);
              return symbol;
            },
          },
        },
      },
    });
    return deviceOf(mutant, values)(history, coins);
  };
}
