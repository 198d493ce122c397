/** What a hypervisor takes of a machine's CPUs for others: a wait that it makes is nobody's here. */

import { readFileSync } from 'node:fs';

/** Ticks of all CPUs since the start: those that were stolen, and all. Only Linux tells. */
function ticks(): readonly [stolen: number, all: number] {
  let text: string;
  try {
    text = readFileSync('/proc/stat', 'latin1');
  } catch {
    return [0, 1];
  }
  const [, ...columns] = text.slice(0, text.indexOf('\n')).split(/\s+/);
  const counts = columns.slice(0, 8).map(Number); // user, nice, system, idle, iowait, irq, softirq, steal
  return [counts[7] as number, counts.reduce((sum, count) => sum + count, 0)];
}

/** Does some work, and gives what came of it with the share of the CPUs that was stolen meanwhile; 0 where nobody tells. */
export async function withStolen<T>(work: () => Promise<T>): Promise<readonly [result: T, stolen: number]> {
  const [stolen, all] = ticks();
  const result = await work();
  const [stolenThen, allThen] = ticks();
  return [result, (stolenThen - stolen) / Math.max(1, allThen - all)];
}
