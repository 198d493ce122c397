/** The laws and production randomizers of simulated lists, by the names in `--mechanism`. */

import { choice, permanent } from '@murmuration/client';
import { type ListLaw, longListLaw, permanentListLaw } from '@murmuration/shared';
import { UsageError } from '../../base/usage.ts';
import type { SimulatedList } from '../../estimation/estimation.ts';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import { clientMechanism, simulatedOf } from './named.ts';
import type { Randomizing } from './round.ts';
import type { Simulation } from './simulation.ts';

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
