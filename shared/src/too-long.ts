/** The limit on the length of strings. It is kept apart from hashing.ts so that apps that use only lists do not bundle MurmurHash3. */

/** Longer strings, in UTF-8 bytes, are replaced by `TOO_LONG`. */
export const MAX_STRING_BYTES = 256;

/** The replacement for a string over the limit. Such a string is still answered, not missing. */
export const TOO_LONG = '\u0000long';
