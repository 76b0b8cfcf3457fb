import type { CliCommand } from './command.ts';
import { approve, decline } from './commands/approve.ts';
import { call } from './commands/call.ts';
import { customers } from './commands/customers.ts';
import { demo } from './commands/demo.ts';
import { find } from './commands/find.ts';
import { init } from './commands/init.ts';
import { run } from './commands/run.ts';
import { sandbox } from './commands/sandbox.ts';
import { show } from './commands/show.ts';
import { start } from './commands/start.ts';
import { status } from './commands/status.ts';
import { validate } from './commands/validate.ts';

/** The command table, in the order of `--help`. */
export const COMMANDS: readonly CliCommand[] = [
  demo,
  init,
  start,
  run,
  validate,
  status,
  show,
  find,
  approve,
  decline,
  call,
  customers,
  sandbox,
];
