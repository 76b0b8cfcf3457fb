import { describe, expect, it } from 'vitest';
import { readListenAddress } from '../../src/config/config-dashboard.ts';

describe('readListenAddress', () => {
  it.each([
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['[::1]:65535', { host: '::1', port: 65_535 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ])('reads %s', (text, address) => {
    expect(readListenAddress(text)).toEqual(address);
  });

  it.each(['9464', ':9464', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '::1:9464', 'a b:1', 'http://a:1', ''])(
    'does not take %j, which may not be what was meant',
    (text) => {
      expect(readListenAddress(text)).toBeUndefined();
    },
  );
});
