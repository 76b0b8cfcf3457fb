import { foldersHere } from '../../config/config.ts';
import { standing } from '../../ledger/batch/due-work.ts';
import type { FeatureWork } from '../../../workers/feature-work.ts';
import { transferAlarm } from './alarm.ts';
import { findUnpushed, pushTargetName } from './push-records.ts';
import { startTransfers } from './start-transfers.ts';

export const work: FeatureWork = {
  start: startTransfers,
  due: {
    pull: async (_ledger, { folders }, site) =>
      standing(foldersHere({ folders, site }).filter(({ pull }) => pull !== undefined).length),
    push: async (ledger, { push }, site) => {
      const unpushed = await Promise.all(
        push.map((target) => findUnpushed(ledger, { target: pushTargetName(target), site, accounts: target.accounts })),
      );
      return standing(unpushed.flat().length);
    },
  },
  alarms: { transfer: transferAlarm },
};
