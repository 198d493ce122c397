/** Several groups as one, so that a spill of many small groups is forwarded in few transactions. */

import { batchesOf, type Group, type Partition } from '../../group.ts';

/** The batches of groups, in order, in one group. */
export function merged(groups: readonly Group[]): Group {
  const partitions: Partition[] = [];
  const indices = new Map<string, number>();
  const indexOf = (partition: Partition): number => {
    const name = partition.join('\n');
    const known = indices.get(name);
    if (known !== undefined) return known;
    indices.set(name, partitions.length);
    return partitions.push(partition) - 1;
  };
  const words = new Int32Array(groups.reduce((sum, group) => sum + group.words.length, 0));
  let from = 0;
  for (const group of groups) {
    const moved = group.partitions.map(indexOf);
    words.set(group.words, from);
    for (const at of batchesOf(group.words)) words[from + at] = moved[group.words[at] as number] as number;
    from += group.words.length;
  }
  return { partitions, words };
}
