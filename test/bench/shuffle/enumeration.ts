/** The ε of two shuffled answers by enumeration: all compositions of the others, and all events. */

/** ln(i!) for i up to n. */
function logFactorials(n: number): Float64Array {
  const found = new Float64Array(n + 1);
  for (let i = 2; i <= n; i++) found[i] = (found[i - 1] as number) + Math.log(i);
  return found;
}

/** The distribution of the sum of `zeros` coins of q and `ones` coins of 1 - q. */
function sumOfCoins(zeros: number, ones: number, q: number, logs: Float64Array): Float64Array {
  const binomial = (n: number, p: number): readonly number[] =>
    Array.from({ length: n + 1 }, (_, k) => {
      const ways = (logs[n] as number) - (logs[k] as number) - (logs[n - k] as number);
      return Math.exp(ways + k * Math.log(p) + (n - k) * Math.log1p(-p));
    });
  const found = new Float64Array(zeros + ones + 1);
  const second = [...binomial(ones, 1 - q).entries()].filter(([, mass]) => mass > 1e-25);
  for (const [i, mass] of binomial(zeros, q).entries())
    if (mass > 1e-25) for (const [j, other] of second) found[i + j] = (found[i + j] as number) + mass * other;
  return found;
}

/** δ at ε: the sum over all counts of ones of what one answer has more than e^ε times the other. */
function deltaOf(others: Float64Array, q: number, epsilon: number): number {
  const e = Math.exp(epsilon);
  let delta = 0;
  for (let y = 0; y <= others.length; y++) {
    const [one, zero] = [others[y - 1] ?? 0, others[y] ?? 0];
    delta += Math.max(0, (1 - q - e * q) * one - (e * (1 - q) - q) * zero);
  }
  return delta;
}

/** The least ε that is enough for every composition of n - 1 others. */
export function worstOfTwo(q: number, n: number, delta: number, local: number): number {
  const logs = logFactorials(n);
  let worst = 0;
  for (let ones = 0; ones < n; ones++) {
    const others = sumOfCoins(n - 1 - ones, ones, q, logs);
    if (deltaOf(others, q, worst) <= delta) continue;
    let [low, high] = [worst, local];
    for (let i = 0; i < 50; i++) {
      const middle = (low + high) / 2;
      if (deltaOf(others, q, middle) > delta) low = middle;
      else high = middle;
    }
    worst = high;
  }
  return worst;
}
