/**
 * `npm run bench -- linkage`: what sending reports alone costs, and what it hides. Fleets of devices that run the shipped client open their app
 * by different habits for a month. Rows: uploads of a device and the share of its reports that arrive, in both modes; and, of reports sent
 * alone, how many an attacker without addresses joins to another one of their device, beside chance. `--devices`, `--fleets`. With `--relay`
 * reports that are sent alone go through a relay, with `--tokens` each with a token.
 */

import { parseArgs } from 'node:util';
import { attack, poissonTail } from '../../kit/linkage/attacker.ts';
import { arrivalsOf, type Fleet, sixOfTwelve, twoTexts } from '../../kit/linkage/fleet.ts';
import { always, atItsHour, bursts, daily, HOUR, inOneHour, MINUTE, once, threeDays, weekly } from '../../kit/linkage/habits.ts';

const DAYS = 30;
/** Days of an attack: reports older than 14 days are dropped. */
const ATTACKED = 14;
const NEVER = 1e-6;

interface Row {
  readonly name: string;
  readonly fleet: Pick<Fleet, 'habit' | 'offline' | 'down'>;
  /** Whether an attacker is to join reports at most twice as often as chance. */
  readonly isHeld?: true;
  /** Whether devices never send two reports, so that there is nothing to join. */
  readonly isOnce?: true;
}

const rows: readonly Row[] = [
  { name: 'one visit of 5 seconds', fleet: { habit: once(5_000) }, isOnce: true },
  { name: 'one visit of 2 minutes', fleet: { habit: once(2 * MINUTE) }, isOnce: true },
  { name: 'one visit of 1 hour', fleet: { habit: once(HOUR) }, isOnce: true },
  { name: '2 minutes, once a week', fleet: { habit: weekly(2 * MINUTE) } },
  { name: '2 minutes, once a day', fleet: { habit: daily(2 * MINUTE) }, isHeld: true },
  { name: '2 minutes, three times a day', fleet: { habit: daily(2 * MINUTE, 3) }, isHeld: true },
  { name: '2 minutes, six times in one hour', fleet: { habit: inOneHour(2 * MINUTE) }, isHeld: true },
  { name: '2 minutes a day, offline for 3 days', fleet: { habit: daily(2 * MINUTE), offline: threeDays }, isHeld: true },
  { name: '2 minutes a day, 503 in bursts', fleet: { habit: daily(2 * MINUTE), down: bursts }, isHeld: true },
  { name: '20 minutes, once a day', fleet: { habit: daily(20 * MINUTE) }, isHeld: true },
  { name: '20 minutes a day, 503 in bursts', fleet: { habit: daily(20 * MINUTE), down: bursts }, isHeld: true },
  { name: '8 hours, once a day', fleet: { habit: daily(8 * HOUR) }, isHeld: true },
  { name: 'always open', fleet: { habit: always }, isHeld: true },
  { name: '1 hour, once a week', fleet: { habit: weekly(HOUR) } },
  { name: '2 minutes, at the same half hour', fleet: { habit: atItsHour(2 * MINUTE) } },
];

const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)} %`;

/** Uploads of a device that arrive in a month, and the share of its reports that are acknowledged. */
async function price(fleet: Row['fleet'], schema: Fleet['schema'], devices: number, way: Pick<Fleet, 'isRelayed' | 'isTokened'>) {
  const { requests, made, delivered } = await arrivalsOf({ ...fleet, schema, devices, days: DAYS, seed: 1, ...way });
  return { requests: requests / devices, delivered: delivered / made };
}

export async function linkage(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      devices: { type: 'string', default: '200' },
      fleets: { type: 'string', default: '12' },
      relay: { type: 'boolean', default: false },
      tokens: { type: 'boolean', default: false },
    },
  });
  const way = { isRelayed: values.relay || values.tokens, isTokened: values.tokens };
  const [devices, fleets] = [Number(values.devices), Number(values.fleets)];
  const results = [];
  for (const { name, fleet, isHeld, isOnce } of rows) {
    const prices = [];
    for (const schema of [sixOfTwelve, twoTexts]) {
      for (const sending of ['together', 'alone'] as const)
        prices.push(await price(fleet, schema(sending), devices / 2, sending === 'alone' ? way : {}));
    }
    const attacked = (seed: number) => arrivalsOf({ ...fleet, schema: sixOfTwelve('alone'), devices, days: ATTACKED, seed, ...way });
    const joined = isOnce ? undefined : await attack(async (seed) => (await attacked(seed)).sightings, fleets);
    const isTwice = joined !== undefined && poissonTail(joined.pairs, 2 * joined.chance) < NEVER;
    results.push({ name, prices, joined, passed: !(isHeld && isTwice) });
  }
  const table = results.map(({ name, prices, joined }) => [
    name,
    ...prices.flatMap(({ requests, delivered }) => [requests.toFixed(1), percent(delivered)]),
    joined ? percent(joined.right / joined.reports, 2) : '',
    joined ? percent(joined.chance / joined.reports, 2) : '',
    joined ? (joined.right / joined.chance).toFixed(1) : '',
  ]);
  return {
    result: { passed: results.every(({ passed }) => passed), devices, fleets, days: DAYS, rows: results },
    rows: [
      ['', 'a month: 6 of 12 flags once, then 2 permanent texts a day'],
      [
        'visits',
        ...['flags together', 'alone', 'texts together', 'alone'].flatMap((mode) => [mode, 'arrive']),
        'joined',
        'chance',
        'ratio',
      ],
      ...table,
    ],
  };
}
