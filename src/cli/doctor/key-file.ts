import { findKeyPlace } from '../../crypto/key-place.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { bad, type Check, ok } from './check.ts';
import { findingOf } from './finding-of.ts';

/** The master key must be readable even without the ledger. Only the ledger knows whether it is the right one. */
export const keyFile: Check = {
  name: 'Key file',
  needs: 'nothing',
  async look({ settings, env }) {
    try {
      return [ok(`key ${openKeyRing(findKeyPlace(settings, env)).current.id} can be read`)];
    } catch (error) {
      return [findingOf(error, bad)];
    }
  },
};
