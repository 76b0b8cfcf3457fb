import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf } from '../../../src/web/access/log-in-place.ts';

describe('networkOf', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001::7', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('of "%s" is "%s"', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same for all addresses of a network, however they are written', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const groups = (count: number) => fc.array(group, { minLength: count, maxLength: count });
    const write = (parts: readonly number[]) => parts.map((part) => part.toString(16)).join(':');
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), (network, one, other) => {
        const [left, right] = [one, other].map((host) => networkOf(write([...network, ...host])));
        expect(left).toBe(`${write(network)}::/64`);
        expect(right).toBe(left);
        expect(networkOf(`${write(network)}::1`)).toBe(left);
      }),
      { numRuns: 100 },
    );
  });
});
