import { MOST_IDS, type IdRange } from '../../actions/resolve/probe-ids.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Call } from '../command.ts';
import { readReason } from '../read-reason.ts';

/** What the operator wants done with a batch in doubt, as typed. */
export type Verb =
  /** No action was named: show what is known of the batch, and what can be done. */
  | { kind: 'show' }
  | { kind: 'adopt'; batchId: string; reason?: string }
  /** Without a range, the ids between the previous and the next batch are used. */
  | { kind: 'probe'; range?: IdRange }
  | { kind: 'not-received'; evidence: string; reason: string }
  | { kind: 'journal'; path: string; reason: string }
  | { kind: 'close-in-doubt'; reason: string }
  | { kind: 'disown'; reason: string };

export const VERB_OPTIONS = [
  ['--adopt <batchId>', 'the service has it under this id; every row of its result is compared first'],
  ['--probe [from..to]', `ask for each id of a range, at most ${MOST_IDS}, and compare; changes nothing`],
  ['--not-received', 'the service never took it; it is sent once more (with --evidence and --reason)'],
  ['--journal <report.csv>', "read the service's own transaction report; rows that two of them lack were not charged"],
  ['--close-in-doubt', 'nobody can say; its rows go out as UNKNOWN (with --reason)'],
  ['--disown', "of an exception: the result is another batch's, so this one is in doubt (with --reason)"],
] as const;

const NAMES = ['adopt', 'probe', 'notReceived', 'journal', 'closeInDoubt', 'disown'] as const;

/** @throws PipelineError USAGE when more than one action is named, or one lacks an option it needs */
export function chooseVerb(call: Call): Verb {
  const named = NAMES.filter((name) => call.options[name] !== undefined);
  const [name] = named;
  if (named.length > 1)
    throw usage(
      `${named.length} ways are named`,
      'Name one of --adopt, --probe, --not-received, --journal, --close-in-doubt, --disown.',
    );
  if (call.options['evidence'] !== undefined && name !== 'notReceived')
    throw usage('--evidence belongs to --not-received', 'Leave it out.');
  return name === undefined ? { kind: 'show' } : readVerb(call, name);
}

function readVerb(call: Call, name: (typeof NAMES)[number]): Verb {
  const { options } = call;
  const reason = options['reason'] === undefined ? {} : { reason: readReason(call, ACTION) };
  switch (name) {
    case 'adopt':
      return { kind: 'adopt', batchId: String(options['adopt']).trim(), ...reason };
    case 'probe':
      return { kind: 'probe', ...readRange(options['probe']) };
    case 'notReceived':
      return { kind: 'not-received', evidence: readEvidence(call), reason: readReason(call, ACTION) };
    case 'journal':
      return { kind: 'journal', path: String(options['journal']), reason: 'what the report says', ...reason };
    case 'closeInDoubt':
      return { kind: 'close-in-doubt', reason: readReason(call, ACTION) };
    case 'disown':
      return { kind: 'disown', reason: readReason(call, ACTION) };
  }
}

const ACTION = 'resolve the batch';

function readRange(text: string | true | undefined): { range?: IdRange } {
  if (text === undefined || text === true) return {};
  const [, from, to] = /^(\d{1,18})\.\.(\d{1,18})$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    throw usage('the range is not written as FROM..TO', 'Write it in digits, as in --probe 1000001..1000050.');
  return { range: { from, to } };
}

/** Reads the evidence; it is stored like a reason, so numbers in it are masked too. */
function readEvidence(call: Call): string {
  const evidence = String(call.options['evidence'] ?? '');
  return readReason({ ...call, options: { reason: evidence.trim() || 'none' } }, ACTION);
}

function usage(why: string, next: string): PipelineError {
  return new PipelineError('USAGE', ACTION, why, { next });
}
