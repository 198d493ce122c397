/**
 * `npm run bench -- scale --simulate [--devices 1e7,1e8,1e9] [--seconds 15] ...`: measures what batches and flushes cost here, checks the
 * simulation against measurements that it was not calibrated by, and simulates a day of more devices than this machine can serve.
 */

import { parseArgs } from 'node:util';
import { type Cluster, withCluster } from '../../faults/postgres/cluster.ts';
import { calibrate } from './calibrate.ts';
import { type Closed, simulateClosed } from './closed.ts';
import type { Costs } from './fleet.ts';
import { type MeasuredIds, measureIds } from './ids.ts';
import { type Measured, measure } from './measure.ts';
import { type Assumed, type Needs, needsOf } from './plans.ts';

type Row = readonly string[];

/** The runs that calibrate, and those that are predicted: collectors, and clients of each. */
const CALIBRATING = [
  [1, 4],
  [1, 128],
] as const;
const PREDICTED = [
  [1, 16],
  [1, 64],
  [2, 32],
  [2, 128],
] as const;

/** A prediction of throughput is good within this factor. The machine's other users come and go. */
const WITHIN = 1.5;

const OPTIONS = {
  devices: { type: 'string', default: '1e7,1e8,1e9' },
  seconds: { type: 'string', default: '15' },
  batches: { type: 'string', default: '1' },
  peak: { type: 'string', default: '3' },
  away: { type: 'string', default: '60' },
  network: { type: 'string', default: '0.002' },
  memory: { type: 'string', default: '128' },
  read: { type: 'string', default: '0.0001' },
  core: { type: 'string', default: '0.04' },
  gigabyte: { type: 'string', default: '0.1' },
} as const;

export function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && Number.isFinite(number)) return number;
  throw new TypeError(`--${name}: expected a number that is not negative, got ${JSON.stringify(text)}`);
}

const ms = (seconds: number): string => `${(1_000 * seconds).toPrecision(3)} ms`;
const us = (seconds: number): string => `${(1e6 * seconds).toPrecision(3)} µs`;
export const whole = (number: number): string => Math.round(number).toLocaleString('en');
export const bytes = (number: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, number)) / 3)));
  return `${(number / 1_000 ** unit).toPrecision(3)} ${units[unit]}`;
};

interface Compared {
  readonly measured: Measured;
  readonly predicted: Closed;
}

const perSecond = ({ batches, seconds }: Measured): number => batches / seconds;

function comparedRow({ measured, predicted }: Compared): Row {
  const { collectors, clients, flushes, batches, latencies, cores } = measured;
  const pair = (text: (of: number) => string, a: number, b: number): readonly [string, string] => [text(a), text(b)];
  return [
    `${collectors} x ${clients}`,
    cores.toFixed(2),
    ...pair(whole, perSecond(measured), predicted.perSecond),
    ...pair(whole, batches / flushes, predicted.perFlush),
    ...pair(ms, latencies.quantile(0.5), predicted.latencies.quantile(0.5)),
    ...pair(ms, latencies.quantile(0.99), predicted.latencies.quantile(0.99)),
  ];
}

const costRows = (costs: Costs, { costs: ids, pages, expected }: MeasuredIds, deltas: number): readonly Row[] => [
  ['measured here', '', ''],
  ['', 'a batch', 'a flush'],
  ['collector, processor time', us(costs.collectorBatch), us(costs.collectorFlush)],
  ['database, processor time', us(costs.databaseBatch), us(costs.databaseFlush)],
  ['sender, processor time', us(costs.clientBatch), ''],
  ['a commit that writes nothing', '', ms(costs.commit)],
  ['an id on the disk: table, index', bytes(ids.row), bytes(ids.index)],
  ['an id in the log; a whole page of its index', bytes(ids.logged), bytes(ids.page)],
  ['whole pages in the log: measured, expected', whole(pages), whole(expected)],
  ['the sums of a batch in the log, at 128 clients', bytes(deltas), ''],
];

const LINES: readonly (readonly [string, (needs: Needs) => string])[] = [
  ['devices a day', ({ devices }) => devices.toExponential(0).replace('+', '')],
  ['batches a second: mean, peak', ({ plan, peak }) => `${whole(plan.batches / 86_400)}, ${whole(peak.perSecond)}`],
  ['collectors of one core; used at the peak', ({ plan, peak }) => `${plan.collectors}; ${(100 * peak.collectors).toFixed(0)} %`],
  ['cores of the database; used at the peak', ({ plan, peak }) => `${plan.databaseCores}; ${(100 * peak.database).toFixed(0)} %`],
  ['acknowledged within, over the day: half', ({ day }) => ms(day.quantile(0.5))],
  ['... 99 %', ({ day }) => ms(day.quantile(0.99))],
  ['... 99.9 %', ({ day }) => ms(day.quantile(0.999))],
  ['... at the peak: 99 %', ({ peak }) => ms(peak.latencies.quantile(0.99))],
  ['incident at the peak: most batches that wait at devices', ({ incident }) => whole(incident.backlog)],
  ['... none are left after the primary is back for', ({ incident }) => `${incident.drained} s`],
  [
    '... 99 % of batches sent in these 15 minutes are counted within',
    ({ incident }) => `${incident.waits.quantile(0.99).toPrecision(3)} s`,
  ],
  ['ids of 17 days on the disk', ({ ids }) => bytes(ids)],
  ['index of one day, to be held in memory', ({ index }) => bytes(index)],
  ['log of a day', ({ logged }) => bytes(logged)],
  ['a million reports: core hours of collectors', ({ collectorHours }) => collectorHours.toPrecision(2)],
  ['... of the database', ({ databaseHours }) => databaseHours.toPrecision(2)],
  ['... price of all machines and disks', ({ price }) => price.toPrecision(2)],
];

/** Measures and predicts. A prediction knows the cores that others left during the run, and what a commit took just before it. */
async function compare(
  cluster: Cluster,
  seconds: number,
): Promise<{ readonly costs: Costs; readonly compared: readonly Compared[]; readonly deltas: number }> {
  const [few, many] = [await measure(cluster, ...CALIBRATING[0], seconds), await measure(cluster, ...CALIBRATING[1], seconds)];
  const costs = calibrate(few, many);
  const compared: Compared[] = [];
  for (const [collectors, clients] of PREDICTED) {
    const measured = await measure(cluster, collectors, clients, seconds);
    compared.push({ measured, predicted: simulateClosed({ ...costs, commit: measured.commit }, measured.cores, collectors, clients, 10) });
  }
  return { costs, compared, deltas: many.logged / many.batches };
}

/** What the options say: numbers of devices, seconds of a run, and what is assumed of other machines. */
export function optionsOf(args: readonly string[]): {
  readonly devices: readonly number[];
  readonly seconds: number;
  readonly assumed: Assumed;
} {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const option = (name: Exclude<keyof typeof OPTIONS, 'devices'>): number => numberOf(name, values[name]);
  return {
    devices: values.devices.split(',').map((text) => numberOf('devices', text)),
    seconds: option('seconds'),
    assumed: {
      ...{ batches: option('batches'), reports: 10, peak: option('peak'), databaseAway: option('away'), collectorsAway: 120 },
      ...{ network: option('network'), memory: option('memory'), read: option('read'), core: option('core'), gigabyte: option('gigabyte') },
    },
  };
}

export async function simulation(
  args: readonly string[],
): Promise<{ readonly result: { readonly passed: boolean }; readonly rows: readonly Row[] }> {
  const { devices, seconds, assumed } = optionsOf(args);
  const ids = await measureIds();
  const { costs, compared, deltas } = await withCluster((cluster) => compare(cluster, seconds));
  // The log of the runs has ids as well, which are counted by themselves.
  const sums = Math.max(0, deltas - ids.costs.logged);
  const needs = devices.map((count) => needsOf(count, costs, ids.costs, sums, assumed));
  const passed = compared.every(({ measured, predicted }) => {
    const ratio = predicted.perSecond / perSecond(measured);
    return ratio < WITHIN && ratio > 1 / WITHIN;
  });
  return {
    result: { passed, costs, ids, sums, assumed, needs, compared: compared.map(comparedRow) } as { readonly passed: boolean },
    rows: [
      ...costRows(costs, ids, sums),
      [],
      [`${passed ? 'passed' : 'FAILED'}: batches a second are predicted within ${WITHIN} times`],
      [
        'collectors x clients',
        'cores',
        'batches/s',
        'predicted',
        'a flush',
        'predicted',
        'half within',
        'predicted',
        '99 % within',
        'predicted',
      ],
      ...compared.map(comparedRow),
      [],
      ['simulated', ...needs.map(() => '')],
      ...LINES.map(([what, cell]) => [what, ...needs.map(cell)]),
    ],
  };
}
