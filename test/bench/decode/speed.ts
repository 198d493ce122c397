/** CPU time and memory of a decode against the number of candidates, with the map given: 64 cohorts of 128 cells, one hash. */

import { decode } from '#collector/decoding/decode/decode.ts';
import type { Part } from '../../kit/part.ts';
import { chancesOf, simulated, type Unlisted } from '../../kit/simulated-set.ts';
import { holds, type Line, rowOf } from '../lines.ts';
import { FDR } from './trial.ts';

const COUNTS = [1_000, 10_000, 100_000, 1_000_000];
const STRINGS = 300;
/** Of each list. */
const RUNS = 3;
/** Of the largest. */
const [MOST_SECONDS, MOST_GIGABYTES] = [10, 1.5];
const SMALL_SECONDS = 0.3;
/** Ten times the candidates may take this many times as long. */
const MOST_GROWTH = 12;

function secondsOf(candidates: number, unlisted: Unlisted): number {
  const { counts, map } = simulated(
    {
      cells: 128,
      hashes: 1,
      cohorts: 64,
      ...chancesOf(0.25, 0.75, 0.5),
      reports: 1_000_000,
      strings: STRINGS,
      nulls: candidates - STRINGS,
      shape: 'zipf',
      unlisted,
    },
    7,
  );
  const runs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    decode({ counts, map, fdr: FDR });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  // Other processes slow a run down, and the first one compiles. The first of all is what a command takes.
  return candidates === COUNTS[0] ? (runs[0] as number) : Math.min(...runs);
}

/** The first decode of a process compiles, too. So the smallest list comes first. */
export function speed(): Part {
  const lines: Line[] = [];
  for (const unlisted of ['none', 'the top two'] as const) {
    let last = Number.NaN;
    for (const candidates of COUNTS) {
      const seconds = secondsOf(candidates, unlisted);
      const what = `${candidates.toLocaleString('en')} candidates, unlisted: ${unlisted}`;
      const atMost = candidates <= 1_000 ? SMALL_SECONDS : candidates === COUNTS.at(-1) ? MOST_SECONDS : undefined;
      lines.push({ what, measured: seconds, unit: 's', ...(atMost === undefined ? {} : { target: { atMost } }) });
      if (candidates === COUNTS.at(-1))
        lines.push({ what: 'times the tenth of them', measured: seconds / last, unit: '', target: { atMost: MOST_GROWTH } });
      last = seconds;
    }
  }
  const gigabytes = process.resourceUsage().maxRSS / 1e6;
  lines.push({ what: 'memory, simulation included', measured: gigabytes, unit: 'GB', target: { atMost: MOST_GIGABYTES } });
  return {
    title: 'CPU time against the number of candidates: 64 cohorts of 128 cells, one hash, a million reports',
    failures: lines.filter((line) => !holds(line)).map(({ what, measured }) => `speed: ${what}: ${measured.toPrecision(3)}`),
    rows: [['', 'measured', 'to be', ''], ...lines.map(rowOf)],
    result: lines,
  };
}
