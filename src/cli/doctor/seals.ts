import { bodyPurpose } from '../../../workers/intake/cut-bodies.ts';
import { readNewestBody } from '../../ledger/key/read-originals.ts';
import { unwrapDataKey } from '../../crypto/data-key.ts';
import { findKeyPlace } from '../../crypto/key-place.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { openBytes } from '../../crypto/seal.ts';
import { bad, type Check, ok } from './check.ts';
import { findingOf } from './finding-of.ts';

/** The keys must open the newest seal, which tests the whole chain from the master key to the bytes of a batch. */
export const seals: Check = {
  name: 'Seals',
  needs: 'ledger',
  async look({ settings, env, ledger }) {
    try {
      const body = await readNewestBody(ledger);
      if (!body) return [ok('nothing is sealed yet')];
      const keys = openKeyRing(findKeyPlace(settings, env));
      openBytes(unwrapDataKey(keys, body.fileId, body.wrapped), bodyPurpose(body.batchNo), body.sealed);
      return [ok(`batch ${body.fileId}/${body.batchNo}, the newest, can be opened`)];
    } catch (error) {
      return [findingOf(error, bad)];
    }
  },
};
