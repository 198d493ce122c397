/**
 * `npm run faults -- client|collector|postgres [NAME...]`: runs the long fault tests, or those whose names contain one of the words, and prints
 * their table. Exit code 1 when one failed. With `client --mutants [WORD...]`, prints the table of mutants; exit code 1 when one survives.
 */

import { longBrowserFaults } from './browsers.ts';
import { mutation } from './client/mutation.ts';
import { clientFaults } from './client.ts';
import { collectorFaults } from './collector.ts';
import type { LongFault } from './fault.ts';
import type { Outcome } from './outcome.ts';
import { postgresFaults } from './postgres.ts';
import '../setup/compile-cache.ts';

const suites: { readonly [name: string]: readonly LongFault[] } = {
  client: [...clientFaults, ...longBrowserFaults],
  collector: collectorFaults,
  postgres: postgresFaults,
};

/** One row of the table. A test that can't run counts as failed in a long run. */
async function run({ name, unable, long }: LongFault): Promise<Outcome> {
  const reason = unable?.();
  if (reason !== undefined) return { fault: name, tried: 'nothing', seen: reason, failures: [reason] };
  try {
    return await long();
  } catch (error) {
    return { fault: name, tried: 'broke off', seen: '', failures: [(error as Error).message] };
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const [suite = '', ...words] = process.argv.slice(2);
if (suite === 'client' && words[0] === '--mutants') process.exit((await mutation(words.slice(1))) > 0 ? 1 : 0);
const faults = Object.hasOwn(suites, suite) ? suites[suite] : undefined;
const chosen = faults?.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen === undefined || chosen.length === 0) {
  const expected = faults === undefined ? Object.keys(suites) : faults.map(({ name }) => name);
  process.stderr.write(`expected one of ${expected.join(', ')}, got ${JSON.stringify([suite, ...words].join(' '))}\n`);
  process.exit(2);
}
console.log('| fault | tried | seen | |\n|---|---|---|---|');
async function report(one: LongFault): Promise<void> {
  process.stderr.write(`${one.name} ...\n`);
  const { fault, tried, seen, failures } = await run(one);
  console.log(`| ${fault} | ${tried} | ${seen} | ${failures.length === 0 ? 'passed' : `FAILED: ${failures.join('; ')}`} |`);
  if (failures.length > 0) process.exitCode = 1;
}

// What judges no rate runs two at a time, the longest first. The others then run one after the other.
const beside = chosen.filter((one) => one.beside !== undefined).sort((a, b) => (b.beside ?? 0) - (a.beside ?? 0));
const lane = async (): Promise<void> => {
  for (let one = beside.shift(); one !== undefined; one = beside.shift()) await report(one);
};
await Promise.all([lane(), lane()]);
for (const one of chosen) if (one.beside === undefined) await report(one);
