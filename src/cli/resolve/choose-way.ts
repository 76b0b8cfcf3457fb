import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { HandledAction, Input } from '../../actions/action.ts';
import { LARGEST_REPORT_BYTES } from '../../actions/resolve/read-report-file.ts';
import { MOST_IDS } from '../../actions/resolve/probe-ids.ts';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import type { Call } from '../command.ts';

/** A way to resolve a batch, as typed. Without `filled`, the action suggests its inputs. */
export type Way = { readonly action: HandledAction } & Partial<Pick<Input, 'filled' | 'file'>>;

export const WAY_OPTIONS = [
  ['--adopt <batchId>', 'the service has it under this batch id; every row of its result is compared first'],
  ['--probe [from..to]', `ask for each id in a range, at most ${MOST_IDS}, and compare; changes nothing`],
  ['--not-received', 'the service never received it; it is sent again (with --evidence and --reason)'],
  ['--report <report.csv>', "read the service's transaction report; rows missing from two reports were not charged"],
  ['--close-in-doubt', 'close it; its undecided rows get the outcome UNKNOWN (with --reason)'],
  ['--disown', 'for an exception: detach the result, which belongs to another batch (with --reason)'],
] as const;

const NAMES = ['adopt', 'probe', 'notReceived', 'report', 'closeInDoubt', 'disown'] as const;

/**
 * Reads which way was chosen; undefined when none was.
 * @throws PipelineError USAGE when more than one way is named, or its input cannot be read
 */
export async function chooseWay({ options }: Call): Promise<Way | undefined> {
  const [name, ...others] = NAMES.filter((one) => options[one] !== undefined);
  if (others.length > 0)
    throw usage(
      `${others.length + 1} options are given`,
      'Give one of --adopt, --probe, --not-received, --report, --close-in-doubt, --disown.',
    );
  if (options['evidence'] !== undefined && name !== 'notReceived')
    throw usage('--evidence belongs to --not-received', 'Leave it out.');
  switch (name) {
    case undefined:
      return undefined;
    case 'adopt':
      return { action: 'adopt', filled: { batchId: String(options['adopt']).trim() } };
    case 'probe':
      return { action: 'probe', ...readRange(options['probe']) };
    case 'notReceived':
      return { action: 'not-received', filled: { evidence: String(options['evidence'] ?? '').trim() } };
    case 'report': {
      const path = String(options['report']);
      return { action: 'journal', file: { name: basename(path), bytes: await readReport(path) } };
    }
    case 'closeInDoubt':
      return { action: 'close-in-doubt' };
    case 'disown':
      return { action: 'disown' };
  }
}

function readRange(text: string | true | undefined): Pick<Way, 'filled'> {
  if (text === undefined || text === true) return {};
  const [, from, to] = /^(\d{1,18})\.\.(\d{1,18})$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    throw usage('the range is not written as FROM..TO', 'Write it in digits, as in --probe 1000001..1000050.');
  return { filled: { from, to } };
}

/** @throws PipelineError USAGE for a file that cannot be read, or is larger than any report */
export async function readReport(path: string): Promise<Buffer> {
  const action = `read the report "${maskName(basename(path))}"`;
  try {
    const { size } = await stat(path);
    if (size <= LARGEST_REPORT_BYTES) return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new PipelineError('USAGE', action, 'there is no such file');
    throw new PipelineError('USAGE', action, systemCode(error) ?? reasonOf(error));
  }
  throw new PipelineError('USAGE', action, 'it is too large for a report of the service');
}

function usage(why: string, next: string): PipelineError {
  return new PipelineError('USAGE', 'resolve the batch', why, { next });
}
