/**
 * The square wave (SW) on the device; the law is in shared/src/mechanisms/square-wave.ts. Its channel is the piecewise mechanism's
 * without the rounding: a cell is a point.
 */

export { respondAround as randomizeSquareWave } from './piecewise.ts';
