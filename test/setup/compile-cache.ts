/**
 * Importing this module makes every process and thread started from here use Node's compile cache: JavaScript without types, and its
 * bytecode. Threads need it. Node strips types with WebAssembly, and V8 sometimes crashes (`jit_page.has_value()`, SIGSEGV) when several
 * threads of a process do that; see https://github.com/nodejs/node/issues/64500. Built files have no types to strip.
 */

import { fileURLToPath } from 'node:url';

process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));
