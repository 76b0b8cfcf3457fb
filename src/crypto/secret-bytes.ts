import { inspect } from 'node:util';

const HIDDEN = '[hidden]';

/**
 * Marks the bytes of a key so that they show as "[hidden]" wherever an object is printed: JSON, a log line, an uncaught
 * error. Keys travel in small objects through many functions; without this, one careless `log.info({ key })` would
 * write a key in clear.
 * @returns the same Buffer; reading its bytes works as before
 */
export function secretBytes(bytes: Buffer): Buffer {
  Object.defineProperty(bytes, 'toJSON', { value: () => HIDDEN });
  Object.defineProperty(bytes, inspect.custom, { value: () => HIDDEN });
  return bytes;
}
