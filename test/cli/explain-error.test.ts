import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { explainError } from '../../src/cli/run-command-line.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { CARD } from '../support/payment-rows.ts';
import { takeDown } from './support/take-down.ts';

describe('explainError', () => {
  it.each([
    [new CommanderError(0, 'commander.help', '(outputHelp)'), 0, ''],
    [new CommanderError(1, 'commander.unknownOption', 'said by commander'), 1, ''],
    [new PipelineError('USAGE', 'run'), 1, 'Cannot run: the command was not understood. See --help.\n'],
    [
      new PipelineError('NOT_FOUND', 'find a file "x"', 'none', { next: 'Look.' }),
      1,
      'Cannot find a file "x": none. Look.\n',
    ],
    [new PipelineError('TIMED_OUT', 'wait', 'late', { next: 'Wait.' }), 5, 'Cannot wait: late. Wait.\n'],
    [new TypeError('x is not a function'), 5, 'Something unforeseen went wrong: x is not a function\n'],
    ['thrown text', 5, 'Something unforeseen went wrong: thrown text\n'],
  ])('%s ends with %i and one line', async (error, status, line) => {
    expect(await takeDown(() => explainError(error))).toEqual({ result: status, out: '', err: line });
  });

  it('hides a number that an unforeseen error quotes', async () => {
    const { err } = await takeDown(() => explainError(new Error(`invalid input "${CARD}"`)));
    expect(err).toContain('2220');
    expect(err).not.toContain(CARD);
  });
});
