/** A network in which bytes are on their way for a while, between two processes of one machine. */

import { connect } from 'node:net';
import { type Relay, startRelay } from '../../kit/relay.ts';

/** Starts a network that leads to a port. Bytes take at least so many milliseconds in each direction. */
export const startDelay = (port: number, milliseconds: number): Promise<Relay> =>
  startRelay(
    () => connect(port, '127.0.0.1'),
    (from, to) => from.setNoDelay(true).on('data', (bytes) => setTimeout(() => to.write(bytes), milliseconds)), // equal times run in their order
  );
