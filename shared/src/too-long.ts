/** Which strings are too long: apart from hashing.ts, whose MurmurHash3 whoever asks lists alone does not carry. */

/** Strings of more UTF-8 bytes are answered with `TOO_LONG`. */
export const MAX_STRING_BYTES = 256;

/** What stands for a string over the limit: it is answered, not missing. */
export const TOO_LONG = '\u0000long';
