/** A process that tries to charge as often as it can, until nothing is left. Arguments: the kind of store, its location, its name, the limit. */

import { places } from './places.ts';

const [kind, location = '', name = '', limit] = process.argv.slice(2);
const place = places.find((each) => each.name === kind);
if (place === undefined) throw new Error(`expected a kind of store, got ${kind}`);
const ledger = place.open(location);
let charged = 0;
for (let isLeft = true; isLeft; ) {
  isLeft = await ledger.transact(async (transaction) => {
    const spent = (await transaction.find({ kind: 'charge', app: 'notes' })).length;
    if (spent >= Number(limit)) return false;
    await transaction.append(name, { kind: 'charge', app: 'notes', analyst: name, question: `${name} ${charged}`, body: null });
    return true;
  });
  if (isLeft) charged++;
}
await ledger.close();
process.stdout.write(`${charged}\n`);
