/** Where a condition stops holding, by halving. */

/** The point between `from` and `to` at which a condition that holds at `from` stops holding. */
export function endOf(from: number, to: number, holds: (f: number) => boolean): number {
  let [inside, outside] = [from, to];
  for (let halving = 0; halving < 60; halving++) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}
