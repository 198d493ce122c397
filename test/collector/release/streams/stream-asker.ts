/** A process that asks a stream for each of its cells, and prints the answers. Arguments: the kind of store, its location, the stream, the analyst. */

import { systemRandom } from '#collector/release/mechanisms/random.ts';
import { StreamOver } from '#collector/release/streams/ask.ts';
import { Streams } from '#collector/release/streams/streams.ts';
import { places } from '../places.ts';
import { stored } from './table.ts';

const [kind, location = '', stream, analyst = ''] = process.argv.slice(2);
const place = places.find((each) => each.name === kind);
if (place === undefined) throw new Error(`expected a kind of store, got ${kind}`);
const ledger = place.open(location);
const streams = new Streams({ ledger, read: stored(), random: systemRandom() });
for (const platform of ['web', 'ios', 'android']) {
  for (const tier of ['free', 'pro']) {
    try {
      const { value } = await streams.ask({ analyst, apps: [], stream: Number(stream), where: { platform: [platform], tier: [tier] } });
      process.stdout.write(`${platform} ${tier} ${value}\n`);
    } catch (error) {
      if (!(error instanceof StreamOver)) throw error;
      process.stdout.write(`over: ${error.message}\n`);
    }
  }
}
await ledger.close();
