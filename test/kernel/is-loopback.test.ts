import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/kernel/is-loopback.ts';

describe('isLoopback', () => {
  it.each(['localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]'])('knows %s', (host) =>
    expect(isLoopback(host)).toBe(true),
  );
  it.each(['0.0.0.0', '::', '127.evil.example', '128.0.0.1', 'localhost.evil.example', '127.0.0.1.example'])(
    'does not take %s for it',
    (host) => expect(isLoopback(host)).toBe(false),
  );
});
