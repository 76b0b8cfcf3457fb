import { pause, resume } from './account-actions.ts';
import { answerAddress } from './answer-address.ts';
import { archiveRows } from './archive-rows.ts';
import { cancelOneBatch, repoll, retry, withdraw } from './batch-actions.ts';
import type { Action, AppAction, HandledAction, KindOf } from './action.ts';
import { adopt, closeBatchInDoubt, disown, notReceived } from './resolve/doubt-actions.ts';
import { acknowledgeBatch, release } from './double-actions.ts';
import { acknowledge, approve, cancel, decline } from './file-actions.ts';
import { journal } from './resolve/journal-action.ts';
import { move } from './move-action.ts';
import { checkOutputs, rebuildMissing } from './output-actions.ts';
import { probe } from './resolve/probe-action.ts';
import { confirm, refuse } from './proposal-actions.ts';
import { confirmProfileWith } from './profile/confirm-profile.ts';
import { importProfile, retireProfile } from './profile/profile-actions.ts';
import { readSample } from './profile/read-sample.ts';
import { reprocess, stopRun } from './reprocess/reprocess-actions.ts';
import { resubmit } from './resubmit-action.ts';
import { acknowledgeOneRun, runScheduleNow } from './schedule-actions.ts';

/** All actions on a file, a batch, an account, a proposal, a schedule, a run of one, a selection or a profile. */
export const HANDLERS: { readonly [Name in HandledAction]: Action<KindOf<Name>> | AppAction<KindOf<Name>> } = {
  approve,
  decline,
  cancel,
  acknowledge,
  move,
  resubmit,
  'check-outputs': checkOutputs,
  'rebuild-outputs': rebuildMissing,
  'cancel-batch': cancelOneBatch,
  repoll,
  retry,
  release,
  'acknowledge-batch': acknowledgeBatch,
  withdraw,
  adopt,
  probe,
  'not-received': notReceived,
  journal,
  'close-in-doubt': closeBatchInDoubt,
  disown,
  pause,
  resume,
  'answer-address': answerAddress,
  'archive-rows': archiveRows,
  confirm,
  refuse,
  'run-now': runScheduleNow,
  'acknowledge-run': acknowledgeOneRun,
  reprocess,
  'stop-run': stopRun,
  'import-profile': importProfile,
  'confirm-profile': confirmProfileWith(readSample),
  'retire-profile': retireProfile,
};
