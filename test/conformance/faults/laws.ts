/** Laws that misstate ε, laws that refuse nothing, and codecs that accept a non-canonical form or lose what a report says. */

import { lnUp } from '@murmuration/shared';
import { multiply, type Rational, rational } from '../../proofs/rational.ts';
import { codec, law as isLaw, odds as statesOdds } from '../checks/channel.ts';
import type { Subject } from '../subject.ts';
import { type Fault, inLaw, type Parts } from './fault.ts';

const PRECISION = 1e12;

/** The odds of an ε that is larger by this many percent. */
const oddsOff = (odds: Rational, percent: number): Rational =>
  multiply(odds, rational(Math.round(PRECISION * Math.exp((Number(lnUp(odds)) * percent) / 100)), PRECISION));

/** ε of a report and of an epoch, 1 % off, in each law separately. */
export const misstated = ({ specimen, mechanism: { odds } }: Subject): readonly Fault[] =>
  specimen.laws.flatMap((law) =>
    (['report', 'permanent'] as const)
      .filter((stage) => odds(law)[stage] !== undefined)
      .flatMap((stage) =>
        [1, -1].map((percent) => ({
          kind: `ε of the ${stage} is misstated by ${percent} %`,
          detail: inLaw(law),
          caughtBy: statesOdds.name,
          parts: {
            specimen: { laws: [law] },
            mechanism: { odds: (of) => ({ ...odds(of), [stage]: oddsOff(odds(of)[stage] as Rational, percent) }) },
          },
        })),
      ),
  );

/** What the bytes say. If they are not a report: what they say with one bit cleared. */
function withoutBit<R>(bytes: Uint8Array, decode: (bytes: Uint8Array) => R): R {
  const bits = Array.from({ length: 8 * bytes.length }, (_, bit) => bit).reverse();
  const forms = bits.map((bit) => bytes.map((byte, at) => (at === bit >> 3 ? byte & ~(1 << (bit & 7)) : byte)));
  for (const form of [bytes, ...forms]) {
    try {
      return decode(form);
    } catch {}
  }
  return decode(bytes);
}

/** Codecs with a fault, and laws that refuse nothing. */
export function codecs({ mechanism: { decode, reportBytes } }: Subject): readonly Fault[] {
  const fault = (kind: string, caughtBy: string, mechanism: Parts['mechanism'] & object): Fault => ({
    kind,
    caughtBy,
    parts: { mechanism },
  });
  const decoders: { readonly [name: string]: typeof decode } = {
    'a byte after a report is taken': (law, bytes) => decode(law, bytes.length > reportBytes(law) ? bytes.slice(0, -1) : bytes),
    'a zero before a report is taken': (law, bytes) =>
      decode(law, bytes.length > reportBytes(law) && bytes[0] === 0 ? bytes.slice(1) : bytes),
    'a report short of a byte is taken': (law, bytes) => decode(law, bytes.length < reportBytes(law) ? Uint8Array.of(...bytes, 0) : bytes),
    'a bit that belongs to no report is taken': (law, bytes) => withoutBit(bytes, (form) => decode(law, form)),
    'the first cell is dropped': (law, bytes) => ({ ...decode(law, bytes), cells: decode(law, bytes).cells.slice(1) }),
    'the last cell is dropped': (law, bytes) => ({ ...decode(law, bytes), cells: decode(law, bytes).cells.slice(0, -1) }),
    'each cell is the next': (law, bytes) => ({ ...decode(law, bytes), cells: decode(law, bytes).cells.map((cell) => cell + 1) }),
    'the cohort is the next': (law, bytes) => ({ ...decode(law, bytes), cohort: decode(law, bytes).cohort + 1 }),
  };
  return [
    ...Object.entries(decoders).map(([name, wrong]) => fault(name, codec.name, { decode: wrong })),
    fault('reports are stated a byte too short', codec.name, { reportBytes: (law) => reportBytes(law) - 1 }),
    fault('any integers are a law', isLaw.name, { validate: () => undefined }),
  ];
}
