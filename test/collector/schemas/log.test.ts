/** The tree and the notes of the log of schemas, against RFC 6962, published notes and a straightforward proof. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { entryText, parseEntry } from '#collector/schemas/log/entry.ts';
import { checkpointText, createLogKey, openCheckpoint, openNote, signNote, verifierText } from '#collector/schemas/log/note.ts';
import { bundleOf, entriesIn, leafOf, pathOf, placeOf, rootOf, tileOf } from '#collector/schemas/log/tree.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Entries and roots of the test of Certificate Transparency's own tree, which RFC 6962 implementations share. */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(hex);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

test('roots are those of RFC 6962', () => {
  expect(rootOf([]).toString('hex')).toBe(createHash('sha256').digest('hex'));
  for (const [i, root] of ROOTS.entries()) expect(rootOf(ENTRIES.slice(0, i + 1).map(leafOf)).toString('hex')).toBe(root);
});

test('tiles of all levels add up to the root, and there is none beyond the entries', () => {
  const entries = Array.from({ length: 70_000 }, (_, i) => Buffer.from(`${i}`));
  const tile = (level: number, index: number, width = 256): Buffer => tileOf(entries, { level, index, width }) as Buffer;
  const split = (bytes: Buffer): readonly Buffer[] =>
    Array.from({ length: bytes.length / 32 }, (_, i) => bytes.subarray(32 * i, 32 * (i + 1)));
  const [first, whole] = [split(tile(1, 0)), tile(2, 0, 1)];
  expect(rootOf(split(tile(0, 3)))).toEqual(first[3]);
  expect(rootOf(first)).toEqual(whole);
  // 70,000 = 256 · 256 + 17 · 256 + 112: the rest is right of the largest whole tree.
  const right = rootOf([...Array.from({ length: 17 }, (_, i) => split(tile(0, 256 + i))).flat(), ...split(tile(0, 273, 112))]);
  const node = (left: Buffer): string => createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest('hex');
  expect(tile(1, 1, 17)).toEqual(Buffer.concat(Array.from({ length: 17 }, (_, i) => rootOf(split(tile(0, 256 + i))))));
  expect(node(whole)).toBe(rootOf(entries.map(leafOf)).toString('hex'));
  for (const [level, index, width] of [
    [0, 273, 113],
    [0, 274, 1],
    [1, 1, 18],
    [2, 0, 2],
    [3, 0, 1],
  ] as const)
    expect(tileOf(entries, { level, index, width })).toBeUndefined();
});

test('each place has one path, and other paths have none', () => {
  const places = [
    [{ level: 0, index: 67, width: 256 }, 'tile/0/067'],
    [{ level: 2, index: 0, width: 17 }, 'tile/2/000.p/17'],
    [{ level: undefined, index: 999, width: 1 }, 'tile/entries/999.p/1'],
  ] as const;
  for (const [place, path] of places) {
    expect(pathOf(place)).toBe(path);
    expect(placeOf(path)).toEqual(place);
  }
  const wrong = ['000.p/256', '000.p/0', '000.p/01', '000.p/300', '0', '0000', 'x000/001', '../000', '000/', '000.p/'];
  for (const path of wrong) expect(placeOf(`tile/0/${path}`), path).toBeUndefined();
  for (const path of ['tile/9/000', 'tile/00/000', 'tile/-1/000', 'tile//000', 'checkpoint', ''])
    expect(placeOf(path), path).toBeUndefined();
});

test('bundles hold entries of any length, and one that is cut is refused', () => {
  const entries = [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(65_535, 7)];
  expect(entriesIn(bundleOf(entries))).toEqual(entries);
  const bundle = bundleOf(entries);
  for (const length of [1, 3, bundle.length - 1]) expect(() => entriesIn(bundle.subarray(0, length))).toThrow('expected a whole bundle');
});

/** The note that documentation of signed notes shows everywhere, by another implementation. */
const KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;

test('a note of another implementation opens with its key, and with no other', () => {
  expect(openNote(NOTE, KEY)).toBe("If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n");
  expect(() => openNote(NOTE.replace('answer', 'Answer'), KEY)).toThrow('expected a signature of PeterNeumann over this text');
  expect(() => openNote(NOTE, verifierText(createLogKey()))).toThrow('got none of its signatures');
  for (const wrong of ['', 'a+b', `\u001b${KEY}`, KEY.replace('c74f20a3', 'c74f20a4'), KEY.replace('ARpc', 'AhPc')])
    expect(() => openNote(NOTE, wrong)).toThrow('expected a key as name+id+base64');
});

test('a checkpoint is signed and opens as it was; another signer, and another key of the same name, are refused', () => {
  const key = createLogKey();
  const root = rootOf([]);
  const note = signNote(checkpointText({ origin: key.name, size: 0, root }), key);
  expect(note).toMatch(
    /^murmuration\/[0-9a-f]{16}\n0\n47DEQpj8HBSa\+\/TImW\+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— murmuration\/[0-9a-f]{16} [\w+/]+=*\n$/,
  );
  expect(openCheckpoint(note, verifierText(key))).toEqual({ origin: key.name, size: 0, root });
  const thief = { name: key.name, secret: createLogKey().secret };
  expect(() => openCheckpoint(signNote(checkpointText({ origin: key.name, size: 0, root }), thief), verifierText(key))).toThrow();
  const foreign = signNote(checkpointText({ origin: 'murmuration/another', size: 0, root }), key);
  expect(() => openCheckpoint(foreign, verifierText(key))).toThrow('expected the name of its key, a size and a root');
  const both = `${note}— witness.example ${Buffer.alloc(68).toString('base64')}\n`;
  expect(openCheckpoint(both, verifierText(key)).size).toBe(0); // a stranger's line says nothing
});

test('entries are read in their form only, without anything that a terminal obeys', () => {
  const entry = { day: '2026-11-20', fingerprint: 'a'.repeat(64), schema: 'maps/1/0123456789abcdef', what: 'published' } as const;
  expect(parseEntry(Buffer.from(entryText(entry)))).toEqual(entry);
  const { fingerprint: _fingerprint, ...retired } = { ...entry, what: 'retired' } as const;
  expect(parseEntry(Buffer.from(entryText(retired)))).toEqual(retired);
  const { day: _day, ...undated } = entry;
  const wrong = [
    { ...entry, schema: '\u001b[2Jmaps/1/0123456789abcdef' },
    { ...entry, what: 'retired' },
    { ...retired, what: 'published' },
    undated,
    null,
  ];
  const text = entryText(entry);
  for (const other of [text.replace('{', '{"schema":"other/9/0123456789abcdef",'), `${text}\n`, text.replace(',', ', ')])
    expect(() => parseEntry(Buffer.from(other)), other).toThrow('as canonical JSON');
  for (const each of wrong) expect(() => parseEntry(Buffer.from(JSON.stringify(each)))).toThrow('entry: expected day, schema and what');
});
