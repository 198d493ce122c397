/**
 * Quantiles of a sum of independent variables, from its cumulant generating function K(s) = ln E e^{s X}, by the saddlepoint.
 * With w = sign(s) √(2 (s K'(s) - K(s))) and u = s √K''(s), P(X > K'(s)) is that of a standard normal variable above
 *   r* = w + ln(u / w) / w
 * to an error that is a share of the tail, not of 1 (Lugannani and Rice 1980; Barndorff-Nielsen 1986): it holds for a sum of
 * which few terms count, where the normal approximation's quantile is too near.
 */

/** K(s), K'(s) and K''(s). */
export type Cumulants = readonly [value: number, slope: number, bend: number];

function normalOf(s: number, [value, slope, bend]: Cumulants): number {
  const w = Math.sign(s) * Math.sqrt(2 * Math.max(0, s * slope - value));
  const u = s * Math.sqrt(bend);
  return w === 0 || u === 0 ? w : w + Math.log(u / w) / w;
}

/** Of a normal variable: how near to z is near enough. */
const NEAR = 1e-4;

/**
 * The x that X exceeds, or of a negative z falls short of, as rarely as a standard normal variable does z; of a variable
 * that ends before that, its end, as near as `most`, the largest |s|, tells it. Illinois' false position (Dowell and
 * Jarratt 1971), for r* is nearly linear in s.
 */
export function quantileAt(z: number, most: number, cumulantsAt: (s: number) => Cumulants): number {
  const side = Math.sign(z);
  const target = Math.abs(z);
  let last: Cumulants = cumulantsAt(0);
  if (!(last[2] > 0)) return last[1];
  const lackAt = (s: number): number => {
    last = cumulantsAt(side * s);
    return side * normalOf(side * s, last) - target;
  };
  let [from, to] = [0, Math.min(most, target / Math.sqrt(last[2]))];
  let [atFrom, atTo] = [-target, lackAt(to)];
  while (atTo < 0 && to < most) {
    [from, atFrom, to] = [to, atTo, Math.min(most, 2 * to)];
    atTo = lackAt(to);
  }
  for (let step = 0; atTo > NEAR && step < 50; step++) {
    const between = to - (atTo * (to - from)) / (atTo - atFrom);
    const lack = lackAt(between);
    if (Math.abs(lack) <= NEAR) break;
    if (lack > 0) [to, atTo, atFrom] = [between, lack, atFrom / 2];
    else [from, atFrom, atTo] = [between, lack, atTo / 2];
  }
  return last[1];
}
