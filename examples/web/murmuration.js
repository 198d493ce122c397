// In Node this is the package; in the page serve.ts answers this address with the built bundle.
export * from '@murmuration/client';
