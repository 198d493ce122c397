/** Parts of a benchmark: each is a table, and the gates that did not hold. */

export interface Part {
  readonly title: string;
  /** Each gate that did not hold: what was expected, what came. */
  readonly failures: readonly string[];
  /** The first is the heading. */
  readonly rows: readonly (readonly string[])[];
  /** For `--json`. */
  readonly result: unknown;
}

export const percent = (x: number): string => `${(100 * x).toFixed(2)} %`;

/** Three figures, as 1.57e-4. */
export const scientific = (x: number): string => x.toExponential(2);

/** The gates and tables of some parts. */
export interface Ran {
  readonly result: { readonly passed: boolean; readonly failures: readonly string[]; readonly seconds: number };
  readonly rows: readonly (readonly string[])[];
}

/** Runs the parts that `--only` names, one after the other. @throws {TypeError} when it names another */
export async function runParts(parts: { readonly [name: string]: () => Part | Promise<Part> }, only: string, all: string): Promise<Ran> {
  const names = only.split(',');
  const unknown = names.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) throw new TypeError(`--only: expected some of ${all}, got ${JSON.stringify(unknown)}`);
  const found: Part[] = [];
  const started = performance.now();
  for (const name of names) found.push(await (parts[name] as () => Part | Promise<Part>)());
  const failures = found.flatMap((part) => part.failures);
  for (const failure of failures) process.stderr.write(`failed: ${failure}\n`);
  return {
    result: {
      passed: failures.length === 0,
      failures,
      seconds: Math.round(performance.now() - started) / 1_000,
      ...Object.fromEntries(names.map((name, i) => [name, (found[i] as Part).result])),
    },
    rows: found.flatMap(({ title, rows }, i) => [...(i > 0 ? [[]] : []), [title], ...rows]),
  };
}
