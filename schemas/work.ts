import type { Step } from './steps.ts';

/**
 * What paydrop does by itself and retries after a failure. `doing` is followed by what it is about. `next` says what
 * helps when it keeps failing; its commands get their ids later.
 */
export const WORK = {
  watch: {
    doing: 'take drops from folder',
    next: [
      'Fix the cause; paydrop retries automatically. Nothing was sent. ',
      { run: 'doctor' },
      ' checks all folders.',
    ],
  },
  intake: {
    doing: 'check file',
    next: [
      'Fix the cause; paydrop retries automatically. ',
      { run: 'requeue' },
      ' retries at once; ',
      { action: 'cancel' },
      ' gives up. Nothing in it was sent.',
    ],
  },
  admit: {
    doing: 'send from host',
    next: ['Until then that host sends nothing; nothing is lost. ', { run: 'senders' }, ' shows all hosts.'],
  },
  submit: {
    doing: 'send for',
    next: [
      'Nothing in it was sent. See ',
      { run: 'doctor' },
      '. paydrop retries automatically; ',
      { action: 'pause' },
      ' stops that.',
    ],
  },
  poll: {
    doing: 'fetch the result of',
    next: [
      'The service has it; it is not sent again. See ',
      { run: 'doctor' },
      '; ',
      { action: 'repoll' },
      ' retries at once.',
    ],
  },
  deliver: {
    doing: 'write the output files of',
    next: [
      'Every outcome is safe in the ledger. Fix the cause, such as permissions or space of the out folder. ',
      { run: 'requeue' },
      ' retries at once.',
    ],
  },
  schedule: {
    doing: 'make the run of schedule',
    next: [
      { see: 'schedules' },
      ' shows its runs. Fix the cause; paydrop retries automatically. ',
      { action: 'run-now' },
      ' retries at once.',
    ],
  },
  pull: {
    doing: 'fetch files from the SFTP server for folder',
    next: ['See ', { run: 'doctor' }, '; the files stay on the server.'],
  },
  push: { doing: 'upload output files to', next: ['See ', { run: 'doctor' }, '; the output files stay here.'] },
  sweep: { doing: 'compare queue and ledger at', next: ['See ', { run: 'doctor' }, '.'] },
  shred: {
    doing: 'destroy keys whose retention has ended at',
    next: ['See ', { run: 'retention' }, ' and ', { run: 'doctor' }, '.'],
  },
  alarm: {
    doing: 'deliver alarms to',
    next: ['Check the target in paydrop.yaml; until then check ', { see: 'status' }, '.'],
  },
} as const satisfies Record<string, { doing: string; next: Step }>;

export type WorkName = keyof typeof WORK;
