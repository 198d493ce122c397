import { type HierarchicalLaw, hierarchicalLaw, type LevelLaw } from '@murmuration/shared';
import { randomizeHierarchical } from '#client/randomizers/hierarchical.ts';
import { bitsReport, distribution, kAryRow, range, subsetRow } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { multiply, rational } from '../../proofs/rational.ts';
import type { Specimen } from './specimen.ts';

/** The nodes that an answer to a level names. */
const nodesOf = (law: LevelLaw, report: string): readonly number[] => {
  const bytes = Uint8Array.from(Buffer.from(report, 'hex'));
  return law.mechanism === 'k-ary'
    ? [Number.parseInt(report, 16)]
    : range(law.size).filter((node) => (bytes[node >> 3] as number) & (1 << (node & 7)));
};

/** Zeros, as many as the words that an answer to a level uses: for its coin, and for its dice with more than one side. */
const wordsOf = (law: LevelLaw): readonly number[] => {
  const dice = law.mechanism === 'k-ary' ? [law.size - 1] : range(law.subset).map((i) => law.size - law.subset + i);
  return [0, ...dice.filter((sides) => sides > 1).map(() => 0)];
};

/** The row of a node in its level. */
export const levelRow = (law: LevelLaw, T: number, node: number): Distribution =>
  law.mechanism === 'k-ary' ? kAryRow(law.size, law.truth, T, node) : subsetRow(law.size, law.subset, law.include, T, node);

/** The row of a cell: the level's number, if there are several levels, followed by the row of the cell's node in that level. */
export const hierarchicalRow = ({ size, branching, levels }: HierarchicalLaw, cell: number, T: number): Distribution =>
  distribution(
    levels.flatMap((law, level) => {
      const node = Math.floor(cell / branching ** (levels.length - 1 - level));
      return [...levelRow(law, T, node)].map(
        ([report, p]) =>
          [bitsReport(nodesOf(law, report), size, levels.length > 1 ? level : undefined), multiply(p, rational(1, levels.length))] as const,
      );
    }),
  );

/** Over words below 16. */
const few = (size: number, branching: number, levels: readonly LevelLaw[]): HierarchicalLaw => ({
  mechanism: 'hierarchical',
  size,
  branching,
  levels,
});
const kAry = (size: number, truth: number): LevelLaw => ({ mechanism: 'k-ary', size, truth });

export const hierarchical: Specimen<HierarchicalLaw> = {
  randomize: randomizeHierarchical,
  row: hierarchicalRow,
  encode: ({ size, levels }, { cohort, cells }) => bitsReport(cells, size, levels.length > 1 ? cohort : undefined),
  thresholds: ({ levels }) =>
    levels.map((law, level) => {
      const before = levels.slice(0, level).flatMap(wordsOf);
      return [law.mechanism === 'k-ary' ? law.truth : law.include, levels.length > 1 ? [level, ...before] : before] as const;
    }),
  laws: [hierarchicalLaw(3, 0.01, 2), hierarchicalLaw(4, 1, 2), hierarchicalLaw(5, 4, 3), hierarchicalLaw(5, 0.5, 5)],
  small: [
    [few(4, 2, [kAry(2, 11), kAry(4, 7)]), 16],
    [few(4, 2, [kAry(2, 9), { mechanism: 'subset', size: 4, subset: 2, include: 11 }]), 16],
    [few(3, 3, [kAry(3, 13)]), 16],
  ],
  large: [hierarchicalLaw(10, 1, 3), hierarchicalLaw(16, 4, 4)],
  at: (e) => hierarchicalLaw(8, e, 2),
  lengths: [hierarchicalLaw(2, 1), hierarchicalLaw(10, 2, 3), hierarchicalLaw(64, 1), hierarchicalLaw(100, 4)],
};
