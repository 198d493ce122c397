/** Randomizers that run a law other than the stated one, use another input, or omit a stage. */

import { createCoins } from '@murmuration/client/testing';
import { encodeKAry, type KAryLaw, type Law, MODULUS } from '@murmuration/shared';
import { allBut } from '#client/randomizers/k-ary.ts';
import { hex } from '../../proofs/enumerate.ts';
import { draws, exhaustion, reportRows, thresholds } from '../checks/channel.ts';
import { leavesOf, type Path, withLeaf } from '../leaves.ts';
import type { Specimen } from '../specimens/specimen.ts';
import { isPermanent } from '../specimens.ts';
import type { Subject } from '../subject.ts';
import { type Fault, inLaw } from './fault.ts';

/** A randomizer that runs the law with another value in one place. */
export const runsAnother = ({ randomize, respond }: Specimen<Law>, path: Path, value: number): Partial<Specimen<Law>> => ({
  randomize: (law, input, coins, T) => randomize(withLeaf(law, path, value), input, coins, T),
  ...(respond && { respond: (law, symbol, coins) => respond(withLeaf(law, path, value), symbol, coins) }),
});

/** Each integer of a law plus one, and minus one unless it is a size that would then leave no choice. */
const neighbours = (law: Law, T: number): readonly (readonly [path: Path, near: number])[] =>
  leavesOf(law).flatMap(([path, value]) =>
    [value + 1, value - 1].filter((near) => near <= T && near > 1).map((near) => [path, near] as const),
  );

/** What a law states about its reports; nothing if it is not a law. */
function stated({ mechanism: { shape, reportBytes, odds } }: Subject, law: Law): string {
  try {
    const { numerator, denominator } = odds(law).report;
    return [JSON.stringify(shape(law)), reportBytes(law), numerator, denominator].join();
  } catch {
    return '';
  }
}

/** The channel of the first inputs; nothing if the definition has no such law. */
function channelOf(subject: Subject, law: Law, inputs: number, T: number): string | undefined {
  try {
    const rows = reportRows(subject, law, T).slice(0, inputs);
    return rows.map((row) => [...row].map(([report, p]) => `${report} ${p.numerator}/${p.denominator}`).sort()).join(';');
  } catch {
    return undefined;
  }
}

/** Whether two laws have different reports, or different probabilities for an input that both have. */
function differ(subject: Subject, law: Law, other: Law, T: number): boolean {
  const common = Math.min(subject.inputs(law), subject.inputs(other));
  const found = channelOf(subject, other, common, T);
  return found === undefined ? stated(subject, law) !== stated(subject, other) : found !== channelOf(subject, law, common, T);
}

/**
 * Each integer off by one: over all strings of words, and at each threshold of 2^32 that moves with it. A change that leaves reports and
 * probabilities as they are is not a fault: a hash may serve a few more answers equally well.
 */
export function offByOne(subject: Subject): readonly Fault[] {
  const { specimen } = subject;
  const fault = (law: Law, path: Path, near: number, caughtBy: string, over: Partial<Specimen<Law>>): Fault => ({
    kind: `its randomizer has another ${path.join('.')}`,
    detail: `(${near}) ${inLaw(law)}`,
    caughtBy,
    parts: { specimen: { ...runsAnother(specimen, path, near), ...over } },
  });
  const decisions = (law: Law): string => JSON.stringify(specimen.thresholds(law).map(([threshold]) => threshold));
  return [
    ...specimen.small.flatMap(([law, T]) =>
      neighbours(law, T)
        .filter(([path, near]) => differ(subject, law, withLeaf(law, path, near), T))
        .map(([path, near]) => fault(law, path, near, exhaustion.name, { small: [[law, T]] })),
    ),
    ...specimen.laws.flatMap((law) =>
      neighbours(law, MODULUS)
        .filter(([path, near]) => decisions(withLeaf(law, path, near)) !== decisions(law))
        .map(([path, near]) => fault(law, path, near, thresholds.name, { laws: [law], large: [] })),
    ),
  ];
}

/** The next input, and a second stage that does nothing. */
export function otherRandomizers({ specimen, inputs }: Subject): readonly Fault[] {
  const { randomize, respond, small } = specimen;
  const next: Fault = {
    kind: 'its randomizer reports the next input',
    caughtBy: exhaustion.name,
    parts: { specimen: { randomize: (law, input, coins, T) => randomize(law, (input + 1) % inputs(law), coins, T) } },
  };
  const silent: Fault = {
    kind: 'its second stage does nothing',
    caughtBy: exhaustion.name,
    parts: { specimen: { respond: (_law, symbol) => symbol, small: small.filter(([law]) => isPermanent(law)) } },
  };
  return respond === undefined ? [next] : [next, silent];
}

/**
 * Coins and dice that leak information: through the input, through the report, and in k-ary response through a second word that is drawn
 * only for a lie.
 */
export function tellingDraws({ specimen: { randomize, laws } }: Subject): readonly Fault[] {
  const fault = (kind: string, wrong: typeof randomize): Fault => ({
    kind,
    caughtBy: draws.name,
    parts: { specimen: { randomize: wrong } },
  });
  const more: typeof randomize = (law, input, coins, T) => {
    if (input === 0) coins.flip(1);
    return randomize(law, input, coins, T);
  };
  const sides: typeof randomize = (law, input, coins, T) => {
    coins.uniform(input === 0 ? 3 : 4);
    return randomize(law, input, coins, T);
  };
  const after: typeof randomize = (law, input, coins, T) => {
    const report = randomize(law, input, coins, T);
    const zeros = createCoins(() => 0);
    if (hex(report) === hex(randomize(law, input, zeros, T))) coins.flip(1);
    return report;
  };
  const lie: typeof randomize = (law, input, { flip, uniform }) => {
    const { size, truth } = law as KAryLaw;
    return encodeKAry({ size }, flip(truth) ? input : allBut(input)(uniform(size - 1)));
  };
  return [
    fault('its randomizer draws one coin more for the first input', more),
    fault('its randomizer draws a die of other sides for the first input', sides),
    fault('its randomizer draws one coin more for one report', after),
    ...(laws[0]?.mechanism === 'k-ary' ? [fault('its randomizer draws the other answer only where it does not tell the truth', lie)] : []),
  ];
}
