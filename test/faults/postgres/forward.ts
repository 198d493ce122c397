/** Passes connections on, in a process of its own: `node forward.ts HOST PORT TO_HOST TO_PORT`. Sends the port that it listens on. */

import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [host = '', port = '', toHost = '', toPort = ''] = process.argv.slice(2);
const server = createServer((near) => {
  const far = connect(Number(toPort), toHost);
  pipeline(near, far, near, () => undefined);
});
server.listen(Number(port), host, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
