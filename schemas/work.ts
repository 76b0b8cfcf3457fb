import type { Step } from './steps.ts';

/**
 * What paydrop does by itself and retries after a failure. `doing` is followed by what it is about. `next` says what
 * helps when it keeps failing; its commands get their ids later.
 */
export const WORK = {
  watch: {
    doing: 'take drops from folder',
    next: [
      'Fix the cause; it is tried again by itself, and nothing was sent. ',
      { run: 'doctor' },
      ' looks at all folders.',
    ],
  },
  intake: {
    doing: 'check file',
    next: [
      'Fix the cause; it is tried again by itself. ',
      { run: 'requeue' },
      ' asks for it at once, ',
      { action: 'cancel' },
      ' gives it up: nothing of it was sent.',
    ],
  },
  admit: {
    doing: 'send from host',
    next: ['Until then nothing leaves from there, and nothing is lost. ', { run: 'senders' }, ' shows all hosts.'],
  },
  submit: {
    doing: 'send for',
    next: [
      'Nothing of it has left. See ',
      { run: 'doctor' },
      '; it is tried again by itself, and ',
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
      ' asks at once.',
    ],
  },
  deliver: {
    doing: 'write the output files of',
    next: [
      'Every outcome is safe in the ledger. Fix the cause, such as rights or space of the out folder; ',
      { run: 'requeue' },
      ' tries at once.',
    ],
  },
  schedule: {
    doing: 'make the run of schedule',
    next: [
      { see: 'schedules' },
      ' shows its runs. Fix the cause; it is tried again by itself, and ',
      { action: 'run-now' },
      ' tries at once.',
    ],
  },
  pull: {
    doing: 'fetch files from the SFTP server for folder',
    next: ['See ', { run: 'doctor' }, '; what lies on the server stays there.'],
  },
  push: { doing: 'upload output files to', next: ['See ', { run: 'doctor' }, '; the output files stay here.'] },
  sweep: { doing: 'compare queue and ledger at', next: ['See ', { run: 'doctor' }, '.'] },
  shred: {
    doing: 'destroy keys whose time is over at',
    next: ['See ', { run: 'retention' }, ' and ', { run: 'doctor' }, '.'],
  },
  alarm: {
    doing: 'deliver alarms to',
    next: ['Check the target in paydrop.yaml; until then look at ', { see: 'status' }, '.'],
  },
} as const satisfies Record<string, { doing: string; next: Step }>;

export type WorkName = keyof typeof WORK;
