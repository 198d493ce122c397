/**
 * `npm run bench -- accuracy`: the numbers that estimates are held to. Errors of lists beside their bound, their simulation
 * and other libraries; long lists in length, time and error; means and counts beside their bound; permanent metrics beside one-shot ones; distributions as they are
 * drawn; costs, also of the association of a string and a list; what intervals cover, among the reports and among all users; intervals over fleets of the demo. `--only` takes
 * some of these, `mechanisms` too, which is every mechanism of lists; `--rounds`, `--clients`, `--fleets` and `--devices`
 * shorten it.
 */

import { parseArgs } from 'node:util';
import { MECHANISM_NAMES } from '#collector/planning/simulate/lists.ts';
import { targets } from '../../kit/coverage/targets.ts';
import { lists } from '../../kit/lists.ts';
import { type Part, type Ran, runParts } from '../../kit/part.ts';
import { association } from './association.ts';
import { cost } from './cost.ts';
import { coverage } from './coverage.ts';
import { distributions } from './distributions.ts';
import { errors, everyMechanism } from './errors.ts';
import { numbers } from './numbers.ts';
import { permanent } from './permanent.ts';

const DEFAULT_PARTS = 'cost,association,lists,numbers,errors,permanent,distributions,targets,coverage';

function whole(option: string, text: string, least = 1): number {
  const value = Number(text);
  if (!(Number.isSafeInteger(value) && value >= least))
    throw new TypeError(`--${option}: expected a whole number of at least ${least}, got ${text}`);
  return value;
}

/** Runs the parts, one after the other. */
export async function accuracy(args: readonly string[]): Promise<Ran> {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: text(DEFAULT_PARTS),
      rounds: text('20'),
      clients: text('100000'),
      fleets: text('200'),
      devices: text('10000'),
    },
  });
  const size = { clients: whole('clients', values.clients), rounds: whole('rounds', values.rounds, 2), seed: 1 };
  const [fleets, devices] = [whole('fleets', values.fleets), whole('devices', values.devices)];
  const parts: { readonly [name: string]: () => Part | Promise<Part> } = {
    association,
    cost,
    lists,
    numbers,
    errors: () => errors(size),
    mechanisms: () => everyMechanism(MECHANISM_NAMES.split(', '), size),
    permanent: () => permanent(size.clients),
    distributions: () => distributions(size.clients, size.rounds),
    targets,
    coverage: () => coverage(fleets, devices),
  };
  return runParts(parts, values.only, Object.keys(parts).join(','));
}
