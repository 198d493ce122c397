/** Every mechanism: its law, and the object that table.ts registers under its name. One line each. */

export * from './count-mean-sketch.ts';
export * from './d-bit-flip.ts';
export * from './exponential.ts';
export * from './geometric.ts';
export * from './hadamard.ts';
export * from './hadamard-count-mean-sketch.ts';
export * from './hierarchical.ts';
export * from './hybrid.ts';
export * from './k-ary.ts';
export * from './laplace.ts';
export * from './local-hashing.ts';
export * from './one-bit.ts';
export * from './piecewise.ts';
export * from './prefix-hashing.ts';
export * from './privset.ts';
export * from './projective.ts';
export * from './rappor.ts';
export * from './scored.ts';
export * from './square-wave.ts';
export * from './string-hashing.ts';
export * from './subset.ts';
export * from './unary.ts';
