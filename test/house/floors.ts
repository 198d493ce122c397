/**
 * The law of the collector's rooms: an import between rooms points down, types included. The table of rooms in ARCHITECTURE.md is the list of
 * floors. Since each room has a floor of its own, there is no circle of rooms either; Biome finds circles of files. Part of `npm run check`.
 */

import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The rooms, the highest floor first, as a page prints them: `| 13 | `dashboard/` | the page |`. */
export const floorsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^\| (\d+) +\| `([\w-]+)\/` +\|/gm)]
    .map(([, floor, room]) => [Number(floor), room as string] as const)
    .toSorted(([one], [other]) => other - one)
    .map(([, room]) => room);

/** A law within the rooms: files of one folder that must not know others, and why. */
interface Wall {
  readonly from: RegExp;
  readonly to: RegExp;
  readonly why: string;
}

const WALLS: readonly Wall[] = [
  { from: /^dashboard\//, to: /^(?!dashboard\/|api\/|base\/)/, why: 'the dashboard reads the API, and formats of base' },
  { from: /^storage\/sqlite\//, to: /^storage\/postgres\//, why: 'one backend does not know the other' },
  { from: /^storage\/postgres\//, to: /^storage\/sqlite\//, why: 'one backend does not know the other' },
  { from: /^storage\/(sqlite|postgres)\//, to: /^storage\/migration\//, why: 'a backend does not know the migration' },
];

/** What a file imports, types included: the specifiers of imports, exports and workers. */
const specifiersIn = (code: string): readonly string[] =>
  [...code.matchAll(/(?:\bfrom |\bimport |\bimport\(|\bnew URL\()'(\.[^']+\.tsx?)'/g)].map(([, specifier]) => specifier as string);

/**
 * The imports that break the law, a line each.
 *
 * @param floors the rooms, the highest first
 * @param files the text of each file, by its path in the collector's `src`
 */
export function againstTheLaw(floors: readonly string[], files: ReadonlyMap<string, string>): readonly string[] {
  const floorOf = (file: string): number => floors.length - floors.indexOf(file.slice(0, file.indexOf('/')));
  return [...files].flatMap(([file, code]) => {
    if (!file.includes('/')) return []; // the package's entry stands above all rooms
    const room = file.slice(0, file.indexOf('/'));
    if (!floors.includes(room)) return [`${file}: expected a room of ARCHITECTURE.md, got ${room}/`];
    return specifiersIn(code).flatMap((specifier) => {
      const imported = posix.join(posix.dirname(file), specifier);
      const says = (why: string): string => `${file} imports ${imported}: ${why}`;
      if (!imported.includes('/')) return [says('the entry stands above all rooms')];
      if (floorOf(imported) > floorOf(file)) return [says(`floor ${floorOf(file)} may not import from floor ${floorOf(imported)}`)];
      return WALLS.filter(({ from, to }) => from.test(file) && to.test(imported)).map(({ why }) => says(why));
    });
  });
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const sources = join(root, 'collector/src');
  const files = new Map(globSync('**/*.{ts,tsx}', { cwd: sources }).map((file) => [file, readFileSync(join(sources, file), 'utf8')]));
  const floors = floorsOf(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
  const complaints = againstTheLaw(floors, files);
  for (const complaint of complaints) console.error(complaint);
  console.log(`Floors: ${floors.length} rooms, ${files.size} files, ${complaints.length} imports against the law`);
  if (complaints.length > 0 || floors.length === 0 || files.size === 0) process.exitCode = 1;
}
