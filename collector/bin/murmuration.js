#!/usr/bin/env node
// From a checkout the sources run as they are; the published package has them built.
import { existsSync } from 'node:fs';

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`murmuration: expected Node 24 or newer, got ${process.version}`);
  process.exit(1);
}
const source = new URL('../src/cli.ts', import.meta.url);
const fromCheckout = existsSync(source) && !import.meta.url.includes('/node_modules/');
const { main } = await import(fromCheckout ? source.href : new URL('../dist/cli.js', import.meta.url).href);
await main(process.argv);
