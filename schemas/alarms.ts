/**
 * The alarms that paydrop sends by mail or webhook. `means` follows the name in a heading, `next` ends the message.
 *
 * `lasts`  raised once while it lasts, and cleared when it is over; other alarms are sent once
 * `asked`  sent only to targets that list it in `kinds`
 */
type AlarmRow = {
  readonly means: string;
  readonly next: string;
  readonly lasts: boolean;
  readonly asked: boolean;
};

export const ALARM_KINDS = {
  batch_unknown: lasting('a batch is in doubt: the service may or may not have taken it', 'paydrop unknown list'),
  account_stopped: lasting('an account sends nothing until a person has looked', 'paydrop account list'),
  exception: lasting('a result does not fit what was sent', 'paydrop exceptions'),
  result_overdue: lasting('the service has a batch and gives no result of it', 'paydrop status'),
  file_held: lasting('a file waits for approve or decline', 'paydrop status'),
  file_refused: told('a file was refused; nothing of it is sent', 'Send the .nak.csv to the sender.'),
  rows_withheld: {
    ...told(
      'rows of a file have faults and were not paid',
      'Correct them in the .rejects.csv of the file and drop that.',
    ),
    asked: true,
  },
  file_done: { ...told('a file is done; its results are written', 'Nothing is to be done.'), asked: true },
  silence: lasting('a folder is not listed, or results are not asked for', 'paydrop doctor'),
  not_reached: lasting(
    'batches are put back unsent again and again, mostly because the service is not reached',
    'paydrop doctor',
  ),
  failing: lasting('work fails again and again, or nobody takes it up', 'paydrop status'),
  transfer: lasting('an SFTP server cannot be used: nothing is fetched or uploaded', 'paydrop doctor'),
  late: lasting('a run of a schedule was missed or failed, or an expected file has not come', 'paydrop status'),
  trouble: lasting('ledger or queue do not answer, or refuse', 'paydrop doctor'),
} as const satisfies Record<string, AlarmRow>;

export type AlarmKind = keyof typeof ALARM_KINDS;

/** The kinds for targets that list none. */
export const USUAL_ALARM_KINDS = (Object.keys(ALARM_KINDS) as AlarmKind[]).filter((kind) => !ALARM_KINDS[kind].asked);

function lasting(means: string, next: string) {
  return { means, next, lasts: true, asked: false } as const;
}

function told(means: string, next: string) {
  return { means, next, lasts: false, asked: false } as const;
}
