import { openFingerprinter } from '../../crypto/fingerprints/fingerprint.ts';
import { findKeyPlace } from '../../crypto/key-place.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { bad, type Check, ok } from './check.ts';
import { findingOf } from './finding-of.ts';

/** The key must be readable and open what the ledger keeps under it. */
export const masterKey: Check = {
  name: 'Master key',
  needs: 'ledger',
  async look({ settings, env, ledger }) {
    try {
      const keys = openKeyRing(findKeyPlace(settings, env));
      const { rows } = await ledger.pool.query<{ wrapped: Buffer }>(
        `SELECT wrapped FROM vault_key WHERE name = 'fingerprint'`,
      );
      if (!rows[0]) return [ok(`key ${keys.current.id} can be read; nothing was kept under it yet`)];
      openFingerprinter(keys, rows[0].wrapped);
      return [ok(`key ${keys.current.id} can be read and is the one of this ledger`)];
    } catch (error) {
      return [findingOf(error, bad)];
    }
  },
};
