import { withRows } from './features.ts';
import { type AlarmRow, lasting, once } from './table-rows.ts';

/** Those of the core; each has its sentence in `workers/upkeep/alarms`. */
const CORE_ALARMS = {
  batch_unknown: lasting('a batch is in doubt: the service may or may not have taken it', 'paydrop unknown list'),
  rows_undecided: lasting(
    'it is not known whether the service charged some rows of a finished batch',
    'paydrop unknown list',
  ),
  account_stopped: lasting('an account is stopped and sends nothing until an operator acts', 'paydrop account list'),
  paid_meanwhile: lasting('a batch waits because a payment in it may have been charged meanwhile', 'paydrop status'),
  perhaps_twice: lasting('payments were perhaps made twice', 'paydrop status'),
  exception: lasting('a result does not match what was sent', 'paydrop exceptions'),
  result_overdue: lasting('the service has a batch and has not returned its result', 'paydrop status'),
  file_held: lasting('a file needs approval', 'paydrop status'),
  came_late: lasting('bytes or a control file came after a file was taken', 'paydrop status'),
  file_refused: once('a file was rejected; nothing in it is sent', 'Send the .nak.csv to the sender.'),
  rows_withheld: {
    ...once(
      'rows of a file have faults and were not paid',
      'Correct them in the .rejects.csv of the file and drop that file.',
    ),
    asked: 'kinds',
  },
  file_done: { ...once('a file is done; its results are written', 'No action is needed.'), asked: 'kinds' },
  profile_changed: once(
    'another version of an import profile reads the files of a folder',
    'If you did not expect it, run "paydrop profile retire" with its name; its folders then take nothing.',
  ),
  silence: lasting('no process does a kind of work: files are not taken, sent or answered', 'paydrop status'),
  not_reached: lasting(
    'batches repeatedly go back unsent, usually because the service cannot be reached',
    'paydrop doctor',
  ),
  failing: lasting('work fails repeatedly, or no process takes it up', 'paydrop status'),
  late: lasting('a scheduled run was missed or failed, or an expected file has not arrived', 'paydrop status'),
  trouble: lasting('the ledger or the queue does not answer, or refuses', 'paydrop doctor'),
  digest: {
    ...once('the day before, and what needs attention now', 'Open the dashboard, or run "paydrop status".'),
    asked: 'digest',
  },
} as const satisfies Record<string, AlarmRow>;

/** The alarms that paydrop sends by mail or webhook. */
export const ALARM_KINDS = withRows(CORE_ALARMS, 'alarms');

type CoreAlarmKind = keyof typeof CORE_ALARMS;
export type AlarmKind = keyof typeof ALARM_KINDS;

/** Returns whether an alarm is none of a feature. */
export function isCoreAlarm(kind: AlarmKind): kind is CoreAlarmKind {
  return Object.hasOwn(CORE_ALARMS, kind);
}

const ALL_KINDS = Object.keys(ALARM_KINDS) as AlarmKind[];

/** The kinds that a target can list. */
export const LISTED_ALARM_KINDS = ALL_KINDS.filter((kind) => ALARM_KINDS[kind].asked !== 'digest');

/** The kinds for targets that list none. */
export const USUAL_ALARM_KINDS = ALL_KINDS.filter((kind) => ALARM_KINDS[kind].asked === false);
