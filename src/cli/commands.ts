import type { CliCommand } from './command.ts';
import { account } from './commands/account.ts';
import { audit } from './commands/audit.ts';
import { backup } from './commands/backup.ts';
import { repoll, retry, withdraw } from './commands/batch-actions.ts';
import { call } from './commands/call.ts';
import { customers } from './commands/customers.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { exceptions } from './commands/exceptions.ts';
import { approve, cancel, decline, rebuild, resubmit } from './commands/file-actions.ts';
import { find } from './commands/find.ts';
import { init } from './commands/init.ts';
import { key } from './commands/key.ts';
import { requeue } from './commands/requeue.ts';
import { restore } from './commands/restore.ts';
import { retention } from './commands/retention.ts';
import { people } from './commands/people.ts';
import { confirm, proposals, refuse } from './commands/proposals.ts';
import { report } from './commands/report.ts';
import { resolve } from './commands/resolve.ts';
import { run } from './commands/run.ts';
import { sandbox } from './commands/sandbox.ts';
import { schedule } from './commands/schedule.ts';
import { sender } from './commands/sender.ts';
import { show } from './commands/show.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { unknown } from './commands/unknown.ts';
import { validate } from './commands/validate.ts';
import { why } from './commands/why.ts';

/** The command table, in the order of `--help`. */
export const COMMANDS: readonly CliCommand[] = [
  demo,
  init,
  start,
  run,
  schedule,
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
  call,
  customers,
  sandbox,
];
