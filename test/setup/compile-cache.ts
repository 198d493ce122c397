/**
 * Importing this lets every process and thread that is started from here keep what Node makes of a source file: JavaScript without
 * types, and its bytecode. Threads need it: Node strips types by WebAssembly, and V8 crashes now and then (`jit_page.has_value()`,
 * SIGSEGV) where several threads of a process run that, as https://github.com/nodejs/node/issues/64500 has it. What is built has no
 * types to strip.
 */

import { fileURLToPath } from 'node:url';

process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));
