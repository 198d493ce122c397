/**
 * The shares of a list's answers from projective geometry response (PGR). Supports are computed one coordinate after the other, by the
 * dynamic program of Feldman, Nelson, Nguyen, Talwar 2022, in about K q t steps instead of K d.
 *
 * Write v by its coordinates V_1 .. V_t, highest first, and u by U_1 .. U_t, lowest first, so that they pair to Σ U_i V_i. The points u
 * with leading coordinate U_i = 1 are the w in GF(q)^(i-1) below it, in their order. Of these, v is supported by those with w·V_<i = -V_i.
 * So let A_i(b, z) count the w with w·b = z, for prefixes b of v that are points themselves (V's first nonzero coordinate is 1), numbered
 * as points are: b followed by β is number q·b + β + 1. Each step exchanges one coordinate of w for one of b: F(rest of w, (b, β), z) = Σ_ω
 * F((ω, rest), b, z - ωβ).
 */

import { type Field, fieldOf, mechanismOf, type ProjectiveLaw, pointCount, projectiveLaw } from '@murmuration/shared';
import type { AnswerEstimation } from '../estimation.ts';
import { jointSupports } from '../pairs.ts';
import { pureList } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { inSets } from '../watch/bounds.ts';
import { absentOf, absentSquares, onDesign } from '../watch/designs.ts';

/** Counts of w by rest, prefix and value. Under prefixes that are all 0, by rest alone. */
interface Stage {
  readonly prefixes: number;
  readonly byValue: Float64Array;
  readonly ofZero: Float64Array;
}

function nextStage({ order, add, negative, multiply }: Field, { prefixes, byValue, ofZero }: Stage): Stage {
  const rests = ofZero.length / order;
  const children = prefixes * order + 1;
  const next = { prefixes: children, byValue: new Float64Array(rests * children * order), ofZero: new Float64Array(rests) };
  for (let rest = 0; rest < rests; rest++) {
    for (let omega = 0; omega < order; omega++) {
      const count = ofZero[rest * order + omega] as number;
      next.ofZero[rest] = (next.ofZero[rest] as number) + count;
      next.byValue[rest * children * order + omega] = count; // β = 1 after zeros: the value is ω
    }
  }
  if (prefixes === 0) return next;
  const sources = new Int32Array(order);
  for (let beta = 0; beta < order; beta++) {
    for (let omega = 0; omega < order; omega++) {
      const shift = negative(multiply(omega, beta));
      for (let z = 0; z < order; z++) sources[z] = add(z, shift);
      for (let rest = 0; rest < rests; rest++) {
        for (let prefix = 0; prefix < prefixes; prefix++) {
          const from = ((rest * order + omega) * prefixes + prefix) * order;
          const to = (rest * children + prefix * order + beta + 1) * order;
          for (let z = 0; z < order; z++) {
            next.byValue[to + z] = (next.byValue[to + z] as number) + (byValue[from + (sources[z] as number)] as number);
          }
        }
      }
    }
  }
  return next;
}

function projectiveSupports({ size, order, dimension }: ProjectiveLaw, tallies: Tallies): Float64Array {
  const field = fieldOf(order);
  const cells = new Float64Array(pointCount(order, dimension));
  for (const tally of tallies.values()) {
    tally.cells.forEach((count, cell) => {
      cells[cell] = (cells[cell] as number) + count;
    });
  }
  let [supports, ofZero] = [new Float64Array(0), 0]; // by prefixes of i - 1 coordinates; and for the all-zero prefix
  for (let i = 1; i <= dimension; i++) {
    const ofLead = cells.slice(pointCount(order, i - 1), pointCount(order, i));
    let stage: Stage = { prefixes: 0, byValue: new Float64Array(0), ofZero: ofLead };
    for (let j = 1; j < i; j++) stage = nextStage(field, stage);
    const longer = new Float64Array(supports.length * order + 1);
    longer[0] = ofZero;
    supports.forEach((support, prefix) => {
      for (let digit = 0; digit < order; digit++) {
        longer[prefix * order + digit + 1] = support + (stage.byValue[prefix * order + field.negative(digit)] as number);
      }
    });
    ofZero += stage.ofZero[0] as number;
    supports = longer;
  }
  return supports.slice(0, size);
}

const supportOf = (law: ProjectiveLaw) => mechanismOf(law).support(law);

export const projective: AnswerEstimation<ProjectiveLaw> = {
  ...pureList(projectiveSupports),
  named: ({ size, order }) => [(e) => projectiveLaw(size, e), (e) => projectiveLaw(size, e, order)],
  pairs: jointSupports,
  isSumFixed: (law) => mechanismOf(law).shape(law).cells === law.size,
  bounds: ({ order, dimension, inside }) => inSets(inside, pointCount(order, dimension - 1), pointCount(order, dimension)),
  fit: onDesign({
    design: ({ order, dimension }) => ({
      answers: pointCount(order, dimension),
      outputs: pointCount(order, dimension),
      common: pointCount(order, dimension - 2) / pointCount(order, dimension - 1),
    }),
    support: supportOf,
    supports: projectiveSupports,
    squares: (law, supported) => absentSquares(absentOf(supportOf(law), supported.design), supported),
  }),
  simulated: [{ of: 'list', name: 'projective', law: (answers, epsilon) => projectiveLaw(answers, epsilon), client: 'projective' }],
};
