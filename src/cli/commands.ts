import type { CliCommand } from './command.ts';
import { account } from './commands/account.ts';
import { audit } from './show/audit.ts';
import { backup, restore } from './commands/backup.ts';
import { repoll, requeue, retry, withdraw } from './commands/batch-actions.ts';
import { call } from './call/call.ts';
import { customers } from './call/customers.ts';
import { demo } from './demo/demo.ts';
import { docs } from './show/docs.ts';
import { doctor } from './doctor/doctor.ts';
import { exceptions } from './show/exceptions.ts';
import { approve, cancel, decline, rebuild, resubmit } from './commands/file-actions.ts';
import { find, searchIndex, why } from './show/find.ts';
import { init } from './commands/init.ts';
import { key } from './commands/key.ts';
import { retention } from './retention/retention.ts';
import { people } from './commands/people.ts';
import { completion } from './commands/completion.ts';
import { confirm, proposals, refuse } from './commands/proposals.ts';
import { profile } from './profile/profile.ts';
import { reprocess } from './commands/reprocess.ts';
import { report } from './show/report.ts';
import { resolve, unknown } from './commands/resolve.ts';
import { run } from './process/run.ts';
import { sandbox } from './commands/sandbox.ts';
import { schedule } from './commands/schedule.ts';
import { sender } from './commands/sender.ts';
import { show } from './show/show.ts';
import { start } from './process/start.ts';
import { status } from './show/status.ts';
import { validate } from './validate/validate.ts';

/** The command table, in the order of `--help`. */
export const COMMANDS: readonly CliCommand[] = [
  demo,
  init,
  start,
  run,
  schedule,
  profile,
  validate,
  status,
  doctor,
  show,
  find,
  exceptions,
  report,
  why,
  approve,
  decline,
  proposals,
  confirm,
  refuse,
  cancel,
  retry,
  withdraw,
  unknown,
  resolve,
  resubmit,
  reprocess,
  account,
  people,
  requeue,
  repoll,
  rebuild,
  audit,
  backup,
  restore,
  sender,
  key,
  retention,
  searchIndex,
  call,
  customers,
  sandbox,
  docs,
  completion,
];
