/** The types that a package's entry shows: its declarations and all that they reach, without comments. */

import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** The declarations of an entry, each file once, in the order in which they are reached. */
export async function surfaceOf(entry: string): Promise<string> {
  const root = dirname(entry);
  const texts = new Map<string, string>();
  const visit = async (file: string): Promise<void> => {
    if (texts.has(file)) return;
    texts.set(file, '');
    const text = (await readFile(file, 'utf8')).replace(/\/\*\*[\s\S]*?\*\/\s*/g, '').replace(/^\/\/# .*$/gm, '');
    texts.set(file, text.trim());
    for (const [, path] of text.matchAll(/from '(\.[^']*)\.(?:js|ts)'/g)) await visit(join(dirname(file), `${path}.d.ts`));
  };
  await visit(entry);
  return [...texts].map(([file, text]) => `// ${relative(root, file)}\n${text}\n`).join('\n');
}
