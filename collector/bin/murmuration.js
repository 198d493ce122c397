#!/usr/bin/env node
// From a checkout the sources run as they are; the published package has them built. Removing the types from the sources takes longer than most
// commands do, so the result is kept in the checkout.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// All imports above are there in older versions, too: a name that one lacks would end it before it says this.
if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`murmuration: expected Node 24 or newer, got ${process.version}. In a project, npm i -D node@24 gives npx one`);
  process.exit(1);
}
const source = new URL('../src/cli/cli.ts', import.meta.url);
const fromCheckout = existsSync(source) && !import.meta.url.includes('/node_modules/');
if (fromCheckout) module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/murmuration', import.meta.url)));
const { main, watchOutput } = await import(fromCheckout ? source.href : new URL('../dist/cli/cli.js', import.meta.url).href);
watchOutput();
await main(process.argv);
