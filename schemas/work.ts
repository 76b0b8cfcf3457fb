/**
 * What paydrop does by itself and retries after a failure. `doing` is followed by what it is about. `next` says what
 * helps when it keeps failing; `FILE` and `BATCH` in it are placeholders.
 */
export const WORK = {
  watch: {
    doing: 'take drops from folder',
    next: 'Fix the cause; it is tried again by itself, and nothing was sent. "paydrop doctor" looks at all folders.',
  },
  intake: {
    doing: 'check file',
    next: 'Fix the cause; it is tried again by itself. "paydrop requeue FILE" asks for it at once, "paydrop cancel FILE --reason …" gives it up: nothing of it was sent.',
  },
  admit: {
    doing: 'send from host',
    next: 'Until then nothing leaves from there, and nothing is lost. "paydrop sender list" shows all hosts.',
  },
  submit: {
    doing: 'send for',
    next: 'Nothing of it has left. See "paydrop doctor"; it is tried again by itself, and "paydrop account pause ACCOUNT" stops that.',
  },
  poll: {
    doing: 'fetch the result of',
    next: 'The service has it; it is not sent again. See "paydrop doctor"; "paydrop repoll BATCH" asks at once.',
  },
  deliver: {
    doing: 'write the output files of',
    next: 'Every outcome is safe in the ledger. Fix the cause, such as rights or space of the out folder; "paydrop requeue FILE" tries at once.',
  },
  schedule: {
    doing: 'make the run of schedule',
    next: '"paydrop schedule list" shows its runs. Fix the cause; it is tried again by itself, and "paydrop schedule run" with its name tries at once.',
  },
  pull: {
    doing: 'fetch files from the SFTP server for folder',
    next: 'See "paydrop doctor"; what lies on the server stays there.',
  },
  push: { doing: 'upload output files to', next: 'See "paydrop doctor"; the output files stay here.' },
  sweep: { doing: 'compare queue and ledger at', next: 'See "paydrop doctor".' },
  shred: { doing: 'destroy keys whose time is over at', next: 'See "paydrop retention report" and "paydrop doctor".' },
  alarm: { doing: 'deliver alarms to', next: 'Check the target in paydrop.yaml; until then look at "paydrop status".' },
} as const satisfies Record<string, { doing: string; next: string }>;

export type WorkName = keyof typeof WORK;
