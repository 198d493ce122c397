/**
 * How exactly any joint fit can know a string. The oracle subtracts all other strings as they are; a fit has to estimate them from the same
 * cells. With the true numbers of strings of each strength as its prior, message passing ends where (Bayati and Montanari 2011)
 *   τ² = 1 + U / n + τ² / n Σ_v E Var[θ_v / τ | θ_v / τ + N(0, 1)],
 * in the oracle's standard errors. n are the degrees of freedom of the cells, θ_v is what the oracle expects of string v, and U = Σ θ_u² over the
 * strings that are on no list, whose cells a linear fit can only take for noise.
 */

/** The prior's atoms, in fitted standard errors. From STRONG on no prior shrinks an estimate. */
const [ATOM, STRONG] = [0.25, 7.5];
const ATOMS: number = STRONG / ATOM + 2;
/** The z that are summed over. */
const [LEAST, MOST, STEP] = [-6, STRONG + 6, 0.1];
const [ROUNDS, SETTLED] = [200, 1e-4];

/** The sum of the posterior variances of so many candidates at each atom, in fitted standard errors. */
function variances(counts: Float64Array): number {
  let sum = 0;
  for (let z = LEAST; z <= MOST; z += STEP) {
    let [density, first, second] = [0, 0, 0];
    for (let a = 0; a < ATOMS; a++) {
      const theta = a * ATOM;
      const weight = (counts[a] as number) * Math.exp(-0.5 * (z - theta) ** 2);
      density += weight;
      first += weight * theta;
      second += weight * theta * theta;
    }
    if (density > 0) sum += second - (first * first) / density;
  }
  return (STEP * sum) / Math.sqrt(2 * Math.PI);
}

/** τ: each string's standard error in the best joint fit, in those of the oracle. `signal` is θ of each candidate, `unlisted` is U. */
export function limitOf(signal: Float64Array, unlisted: number, freedom: number): number {
  const noise = 1 + unlisted / freedom;
  let square = noise + signal.reduce((sum, theta) => sum + theta * theta, 0) / freedom;
  for (let round = 0; round < ROUNDS; round++) {
    const error = Math.sqrt(square);
    const counts = new Float64Array(ATOMS);
    let strong = 0;
    for (const theta of signal) {
      const place = theta / error / ATOM;
      if (place * ATOM >= STRONG) {
        strong++;
        continue;
      }
      const atom = Math.floor(place);
      counts[atom] = (counts[atom] as number) + 1 - (place - atom);
      counts[atom + 1] = (counts[atom + 1] as number) + place - atom;
    }
    const next = noise + (square * (strong + variances(counts))) / freedom;
    if (Math.abs(next - square) < SETTLED * square) return Math.sqrt(next);
    square = next;
  }
  return Math.sqrt(square);
}
