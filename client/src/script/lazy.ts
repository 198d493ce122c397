/** @module The script for pages without a build that load another one when the person agrees, on the global `murmuration`. */

export { createLazyTelemetry } from '../lazy.ts';
