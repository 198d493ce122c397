#!/usr/bin/env node
// From a checkout the sources run as they are; the published package has them built.
import { existsSync } from 'node:fs';

const source = new URL('../src/node/command/command.ts', import.meta.url);
const isBuilt = import.meta.url.includes('/node_modules/') || !existsSync(source);
const { main } = await import(isBuilt ? new URL('../dist/development/node/command/command.js', import.meta.url).href : source.href);
process.exitCode = await main(process.argv.slice(2));
