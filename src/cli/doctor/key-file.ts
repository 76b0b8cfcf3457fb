import { loadMasterKey } from '../../vault/master-key.ts';
import { bad, type Check, ok } from './check.ts';
import { findingOf } from './finding-of.ts';

/** The master key can be read, also where the ledger does not answer. Whether it is the right one only the ledger knows. */
export const keyFile: Check = {
  name: 'Key file',
  needs: 'nothing',
  async look({ settings, env }) {
    try {
      return [ok(`key ${loadMasterKey({ file: settings.paths.masterKey, env }).id} can be read`)];
    } catch (error) {
      return [findingOf(error, bad)];
    }
  },
};
