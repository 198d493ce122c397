import { symmetricUnaryLaw, type UnaryLaw, unaryLaw } from '@murmuration/shared';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeUnary } from '#client/randomizers/unary.ts';
import { bitsReport } from '../../proofs/channel.ts';
import { bits, type Specimen, type Stages } from './specimen.ts';

export const unary: Specimen<UnaryLaw> = {
  randomize: randomizeUnary,
  row: (law, input, T) => bits(law.size, law, T, [input]),
  respond: respondBits,
  again: ({ size, irr }, { cells }, T) => bits(size, irr as Stages, T, cells),
  encode: ({ size }, { cells }) => bitsReport(cells, size),
  thresholds: ({ one, zero }) => [
    [one, []],
    [zero, [0]],
  ],
  laws: [
    unaryLaw(2, 0.01),
    symmetricUnaryLaw(3, 0.01),
    unaryLaw(4, 1),
    symmetricUnaryLaw(4, 2),
    unaryLaw(3, 1, 4),
    symmetricUnaryLaw(3, 1, 4),
  ],
  small: [
    [unaryLaw(3, 1, undefined, 32), 32],
    [symmetricUnaryLaw(3, 2, undefined, 32), 32],
    [unaryLaw(2, 1, 3, 16), 16],
    [symmetricUnaryLaw(2, 1, 3, 16), 16],
  ],
  large: [unaryLaw(20, 1), symmetricUnaryLaw(20, 2), unaryLaw(20, 1, 4), symmetricUnaryLaw(20, 1, 4)],
  at: (e) => unaryLaw(5, e),
  lengths: [unaryLaw(2, 1), symmetricUnaryLaw(31, 2), unaryLaw(64, 1, 4), unaryLaw(65, 1)],
};
