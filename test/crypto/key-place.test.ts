import { describe, expect, it } from 'vitest';
import { describeKeyPlace, findKeyPlace } from '../../src/crypto/key-place.ts';

const SETTINGS = { root: '/srv/pay', paths: { masterKey: '/srv/pay/data/master.key' } };
const ENV = { PAYDROP_MASTER_KEY: 'a', OTHER: 'b' };

describe('findKeyPlace', () => {
  it.each([
    [undefined, {}, { kind: 'file', path: '/srv/pay/data/master.key' }],
    [undefined, { PAYDROP_MASTER_KEY: ' ' }, { kind: 'file', path: '/srv/pay/data/master.key' }],
    [undefined, ENV, { kind: 'environment', name: 'PAYDROP_MASTER_KEY', env: ENV }],
    ['file:keys/a', ENV, { kind: 'file', path: '/srv/pay/keys/a' }],
    ['file:/etc/key', {}, { kind: 'file', path: '/etc/key' }],
    ['env:OTHER', ENV, { kind: 'environment', name: 'OTHER', env: ENV }],
    ['command:vault  read key', ENV, { kind: 'command', words: ['vault', 'read', 'key'], env: ENV }],
  ])('%j with %j', (masterKey, env, place) => {
    expect(findKeyPlace({ ...SETTINGS, masterKey }, env)).toEqual(place);
  });
});

describe('describeKeyPlace', () => {
  it('names the place, and of a command no word that may be secret', () => {
    expect(describeKeyPlace({ kind: 'file', path: '/a' })).toBe('"/a"');
    expect(describeKeyPlace({ kind: 'environment', name: 'A', env: { A: 'secret' } })).toBe('A');
    expect(describeKeyPlace({ kind: 'command', words: ['vault', 'secret'], env: {} })).toBe('the command "vault"');
  });
});
