/** The integers of a law, at any depth of its JSON. */

/** The path of an integer: keys and indices from the law down. */
export type Path = readonly (string | number)[];

/** Every integer of a law, with its path. */
export function leavesOf(law: unknown, at: Path = []): readonly (readonly [path: Path, value: number])[] {
  if (typeof law === 'number') return [[at, law]];
  if (typeof law !== 'object' || law === null) return [];
  return Object.entries(law).flatMap(([key, inner]) => leavesOf(inner, [...at, key]));
}

/** A law with another value in one place. */
export function withLeaf<L>(law: L, [key, ...rest]: Path, value: unknown): L {
  if (key === undefined) return value as L;
  const copy = (Array.isArray(law) ? [...law] : { ...law }) as Record<string | number, unknown>;
  copy[key] = withLeaf(copy[key], rest, value);
  return copy as L;
}
