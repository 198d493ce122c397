/**
 * Mironov 2012, "On Significance of the Least Significant Bits for Differential Privacy", §4: the textbook sampler of
 * Laplace noise in doubles, and which outputs it can give. It draws u, a multiple of 2^-53 below 1, and a sign, and
 * reports x ± scale ln(1 - u). Not every double is such a logarithm, and adding x shifts and rounds those that are: so
 * which doubles can come out at all depends on x.
 */

/** How many values u has. */
const VALUES = 2 ** 53;

/** One report of x by the textbook, from u = drawn / 2^53 and a sign. */
export const textbook = (x: number, scale: number, drawn: number, negative: boolean): number => {
  const noise = -scale * Math.log(1 - drawn / VALUES);
  return negative ? x - noise : x + noise;
};

/**
 * Whether any u gives x this very output. Near the real solution an error of the exponential, of the logarithm and of the
 * sum is a few units of u each, and the sampler rises with u otherwise: so all u that could are among those tried.
 */
export function isPossible(x: number, scale: number, output: number): boolean {
  const solution = Math.round((1 - Math.exp(-Math.abs(output - x) / scale)) * VALUES);
  for (let drawn = Math.max(0, solution - 100); drawn <= Math.min(VALUES - 1, solution + 100); drawn++) {
    if (textbook(x, scale, drawn, output < x) === output) return true;
  }
  return false;
}
