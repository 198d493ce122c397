/**
 * @module A preset for Jest. Jest runs CommonJS unless it is told otherwise, and the package holds its modules in that form for it: those of
 * the development build, with the checks of the schema and the options.
 */

import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../jest', import.meta.url));

const preset: { readonly moduleNameMapper: { readonly [pattern: string]: string } } = {
  moduleNameMapper: {
    '^@murmuration/client$': `${modules}/index.js`,
    '^@murmuration/client/(.+)$': `${modules}/$1`,
    '^@murmuration/shared$': `${modules}/shared.js`,
  },
};

export default preset;
