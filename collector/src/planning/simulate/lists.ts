/** The names in `--mechanism` by kind of question, and the laws and production randomizers of simulated lists. */

import { choice, permanent } from '@murmuration/client';
import type { CountMechanism, DistributionMechanism, ListMechanism, MeanMechanism, TextMechanism } from '@murmuration/client/mechanisms';
import * as client from '@murmuration/client/mechanisms';
import { type ListLaw, longListLaw, permanentListLaw } from '@murmuration/shared';
import { UsageError } from '../../base/fault.ts';
import type { Simulated, SimulatedList } from '../../estimation/estimation.ts';
import { estimationOf, estimations } from '../../estimation/mechanisms/table.ts';
import type { Randomizing, Simulation } from './simulation.ts';

/** The input of a simulation. */
export interface ChoiceSimulation extends Simulation {
  readonly answers: number;
  /** For dBitFlip: the number of answers for which a report has a bit. */
  readonly bits?: number;
}

const namesWhere = (is: (each: SimulatedList) => boolean): string =>
  simulatedOf('list')
    .filter(is)
    .map(({ name }) => name)
    .join(', ');

/** Names in `--mechanism` that need no other option, and those that need `--bits`. */
export const MECHANISM_NAMES: string = namesWhere(({ takesBits }) => takesBits === undefined);
export const BITS_NAMES: string = namesWhere(({ takesBits }) => takesBits === true);

/** The mechanism with this name: with a second stage if one is wanted. */
function namedList(mechanism: string, isPermanent: boolean): SimulatedList {
  const isOne = (each: SimulatedList): boolean => !isPermanent || each.isPermanent === true;
  const found = simulatedOf('list').find((each) => each.name === mechanism && isOne(each));
  if (found !== undefined) return found;
  const where = isPermanent ? ' where --permanent is given' : '';
  throw new UsageError(`--mechanism: expected one of ${namesWhere(isOne)}${where}, got ${JSON.stringify(mechanism)}`);
}

function assertBits(takesBits: boolean, { answers, mechanism, bits }: ChoiceSimulation): void {
  if (takesBits && bits === undefined) throw new UsageError(`--mechanism ${mechanism}: expected --bits, got none`);
  if (bits === undefined) return;
  if (!takesBits) throw new UsageError(`--bits: expected --mechanism ${BITS_NAMES} with it, got ${mechanism ?? 'none'}`);
  if (bits > answers) throw new UsageError(`--bits: expected at most as many as there are answers, ${answers}, got ${bits}`);
}

/**
 * The law of a simulation.
 *
 * @throws {UsageError} when no mechanism has the name, or a second stage is wanted and it has none
 * @throws {RangeError} when no 32-bit law exists
 */
export function lawOf(simulation: ChoiceSimulation): ListLaw {
  const { answers, epsilon, mechanism, permanent: epoch, bits = 1 } = simulation;
  if (mechanism === undefined) {
    assertBits(false, simulation);
    return epoch === undefined ? longListLaw(answers, epsilon) : permanentListLaw(answers, epsilon, epoch);
  }
  const takesBits = simulatedOf('list').some(({ name, takesBits }) => name === mechanism && takesBits === true);
  assertBits(takesBits, simulation);
  const { law, fewest = 2 } = namedList(mechanism, epoch !== undefined);
  if (answers < fewest) throw new UsageError(`--mechanism ${mechanism}: expected at least ${fewest} answers, got ${answers}`);
  return law(answers, epsilon, epoch, bits);
}

const asked = choice(['a', 'b'], { epsilon: 1, description: 'only its randomizers are used' });

/** The production randomizers of a law, including those of its second stage. */
export function randomizersOf(law: ListLaw): Randomizing {
  const { simulated } = estimationOf(law);
  const [exported] = simulated.flatMap((each) => (each.of === 'list' && each.client !== undefined ? [each.client] : []));
  const { randomizers, respond } = exported === undefined ? asked : clientMechanism('list', exported);
  return permanent({ ...asked, randomizers, ...(respond && { respond }) }, { epsilon: 1, renew: 'never' });
}

// The names in `--mechanism` by kind of question, collected from the mechanisms' files in estimation/mechanisms/.

/** The kinds of questions that can be simulated. */
export type Of = Simulated['of'];

/** The client's mechanisms, by the kind that they take. */
type ClientMechanism = CountMechanism | DistributionMechanism | ListMechanism | MeanMechanism | TextMechanism;

/** All mechanisms of this kind, in the table's order. */
function simulatedOf<T extends Of>(of: T): readonly Extract<Simulated, { readonly of: T }>[] {
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
