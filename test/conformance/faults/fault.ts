/**
 * A mechanism that is deliberately broken in one place, with the check that must detect it. Faults are derived from any specimen, so a new
 * mechanism has them as soon as it has a specimen.
 */

import type { Law } from '@murmuration/shared';
import type { Specimen } from '../specimens/specimen.ts';
import type { NumberSubject, ShareSubject, Subject } from '../subject.ts';

/** Parts that replace those of a subject. */
export interface Parts<S = Subject> {
  readonly specimen?: Partial<Specimen<Law>>;
  readonly mechanism?: S extends ShareSubject ? Partial<ShareSubject['mechanism']> : Partial<Subject['mechanism']>;
  readonly estimates?: Subject['estimates'];
  readonly supports?: ShareSubject['supports'];
  readonly scores?: NumberSubject['scores'];
}

/** What is broken, and the name of the check that must throw. */
export interface Fault<S = Subject> {
  readonly kind: string;
  /** For several faults of one kind in a mechanism: in which law, at which integer. */
  readonly detail?: string;
  readonly caughtBy: string;
  readonly parts: Parts<S>;
}

/** The subject with a fault. */
export const broken = <S extends object>(subject: S, { specimen, mechanism, ...rest }: Parts<S>): S => {
  const whole = subject as unknown as Subject;
  return {
    ...whole,
    ...rest,
    specimen: { ...whole.specimen, ...specimen },
    mechanism: { ...whole.mechanism, ...mechanism },
  } as unknown as S;
};

/** A law as printed in a fault's detail. */
export const inLaw = (law: object): string => `for ${JSON.stringify(law)}`;

/** The first fault of each kind and check. */
export const oneOfEachKind = <F extends Pick<Fault, 'kind' | 'caughtBy'>>(faults: readonly F[]): readonly F[] => [
  ...new Map([...faults].reverse().map((fault) => [`${fault.kind}, ${fault.caughtBy}`, fault])).values(),
];
