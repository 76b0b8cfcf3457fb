import { pause, resume } from './account-deeds.ts';
import { cancelOneBatch, repoll, retry, withdraw } from './batch-deeds.ts';
import type { DeedHandler, HandledDeed, KindOf } from './deed-handler.ts';
import { adopt, closeBatchInDoubt, disown, notReceived } from './doubt-deeds.ts';
import { approve, cancel, decline } from './file-deeds.ts';
import { journal } from './journal-deed.ts';
import { checkOutputs, rebuildMissing } from './output-deeds.ts';
import { probe } from './probe-deed.ts';
import { confirm, refuse } from './proposal-deeds.ts';
import { resubmit } from './resubmit-deed.ts';
import { runScheduleNow } from './schedule-deeds.ts';

/** All actions on a file, a batch, an account, a proposal or a schedule. */
export const HANDLERS: { readonly [Name in HandledDeed]: DeedHandler<KindOf<Name>> } = {
  approve,
  decline,
  cancel,
  resubmit,
  'check-outputs': checkOutputs,
  'rebuild-outputs': rebuildMissing,
  'cancel-batch': cancelOneBatch,
  repoll,
  retry,
  withdraw,
  adopt,
  probe,
  'not-received': notReceived,
  journal,
  'close-in-doubt': closeBatchInDoubt,
  disown,
  pause,
  resume,
  confirm,
  refuse,
  'run-now': runScheduleNow,
};
