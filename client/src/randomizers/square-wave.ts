/**
 * The square wave (SW) on the device; the law is in shared/src/mechanisms/square-wave.ts. Its channel is that of the piecewise mechanism
 * without rounding: a cell takes the place of a point.
 */

export { respondAround as randomizeSquareWave } from './piecewise.ts';
