/** The names in `--mechanism` by kind of question, collected from the mechanisms' files in estimation/mechanisms/. */

import type { CountMechanism, DistributionMechanism, ListMechanism, MeanMechanism, TextMechanism } from '@murmuration/client/mechanisms';
import * as client from '@murmuration/client/mechanisms';
import { UsageError } from '../../base/usage.ts';
import type { Simulated } from '../../estimation/estimation.ts';
import { estimations } from '../../estimation/mechanisms/table.ts';

/** The kinds of questions that can be simulated. */
export type Of = Simulated['of'];

/** The client's mechanisms, by the kind that they take. */
type ClientMechanism = CountMechanism | DistributionMechanism | ListMechanism | MeanMechanism | TextMechanism;

/** All mechanisms of this kind, in the table's order. */
export function simulatedOf<T extends Of>(of: T): readonly Extract<Simulated, { readonly of: T }>[] {
  const is = (each: Simulated): each is Extract<Simulated, { readonly of: T }> => each.of === of;
  return Object.values(estimations).flatMap(({ simulated }) => simulated.filter(is));
}

/** Their names. */
export const namesOf = (of: Of): readonly string[] => simulatedOf(of).map(({ name }) => name);

/**
 * The client's mechanism with a law's randomizers. It has no parameters except the bits of dBitFlip, whose randomizers are the same for any
 * number of bits.
 *
 * @throws {Error} when the client exports no mechanism of that name and kind
 */
export function clientMechanism<T extends ClientMechanism['takes']>(
  takes: T,
  name: string,
): Extract<ClientMechanism, { readonly takes: T }> {
  const make = (client as unknown as { readonly [name: string]: ((options: { bits: number }) => ClientMechanism) | undefined })[name];
  const made = make?.({ bits: 1 });
  if (made?.takes !== takes) throw new Error(`expected ${name} of @murmuration/client/mechanisms to take a ${takes}, got ${made?.takes}`);
  return made as Extract<ClientMechanism, { readonly takes: T }>;
}

/**
 * The mechanism that a simulation names.
 *
 * @throws {UsageError} when no mechanism of this kind has the name
 */
export function simulatedAs<T extends Of>(of: T, mechanism: string): Extract<Simulated, { readonly of: T }> {
  const found = simulatedOf(of).find(({ name }) => name === mechanism);
  if (found === undefined) throw new UsageError(`--mechanism: expected ${namesOf(of).join(' or ')}, got ${JSON.stringify(mechanism)}`);
  return found;
}
