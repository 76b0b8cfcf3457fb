import type { CoreActionName } from '../../schemas/actions.ts';
import { pause, resume } from './account-actions.ts';
import { answerAddress } from './answer-address.ts';
import { cancelOneBatch, repoll, retry, withdraw } from './batch-actions.ts';
import { besideCore, type Feature } from '../feature.ts';
import type { Action, ActionContext, AppAction, AppContext, HandledAction, KindOf, Subject } from './action.ts';
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

type CoreAction = Extract<HandledAction, CoreActionName>;

/** All actions of the core on a file, a batch, an account, a proposal, a schedule, a run of one, a selection or a profile. */
export const HANDLERS: { readonly [Name in CoreAction]: Action<KindOf<Name>> | AppAction<KindOf<Name>> } = {
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

/** An action of any kind of subject and context. */
export type Handler = Action<Subject['kind'], ActionContext | AppContext>;

/** Returns all actions: of the core, then of the features that are on. */
export function handlersOf(features: readonly Feature[]): Readonly<Partial<Record<HandledAction, Handler>>> {
  const core = HANDLERS as unknown as Readonly<Record<string, Handler>>;
  const added = features.map(({ actions }) => actions as unknown as Readonly<Record<string, Handler>> | undefined);
  return besideCore(core, added);
}
