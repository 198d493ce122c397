/** The Walsh-Hadamard transform: F(m) = Σ_u f(u) (-1)^(u·m), where u·m is the number of ones that u and m have in common. */

/** Transforms in place a vector whose length is a power of two. */
export function walshHadamard(values: Float64Array): Float64Array {
  for (let half = 1; half < values.length; half *= 2) {
    for (let start = 0; start < values.length; start += 2 * half) {
      for (let i = start; i < start + half; i++) {
        const [a, b] = [values[i] as number, values[i + half] as number];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
  return values;
}
