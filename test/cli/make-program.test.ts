import { describe, expect, it, vi } from 'vitest';
import type { Call, CliCommand } from '../../src/cli/command.ts';
import { makeProgram } from '../../src/cli/make-program.ts';
import { CARD } from '../support/payment-rows.ts';
import { takeDown } from './support/take-down.ts';

/** A table of one command that takes down how it was called. */
function table(calls: Call[]): CliCommand[] {
  return [
    {
      name: 'pay',
      about: 'Pay something',
      takes: [['<what>', 'what is paid']],
      required: [['--reason <text>', 'why']],
      options: [
        ['--times <number>', 'how often', '1'],
        ['--loud', 'say it'],
      ],
      examples: ['pay rent --reason "it is due"'],
      run: async (call) => {
        calls.push(call);
        return 3;
      },
    },
  ];
}

async function parse(words: readonly string[]) {
  const calls: Call[] = [];
  const finish = vi.fn<(status: number) => void>();
  const program = makeProgram(table(calls), finish);
  const { result: failed, ...printed } = await takeDown(() =>
    program.parseAsync([...words], { from: 'user' }).then(
      () => undefined,
      (error: { exitCode: number }) => error.exitCode,
    ),
  );
  return { calls, statuses: finish.mock.calls.flat(), failed, ...printed };
}

describe('makeProgram', () => {
  it('hands arguments, options with their fallbacks and the folder to the command, and its status on', async () => {
    const { calls, statuses } = await parse(['--dir', '/a', 'pay', 'rent', '--reason', 'due']);
    expect(calls).toEqual([{ arguments: ['rent'], options: { reason: 'due', times: '1' }, dir: '/a' }]);
    expect(statuses).toEqual([3]);
  });

  it('takes --dir behind the command as well, and from PAYDROP_DIR', async () => {
    const behind = await parse(['pay', 'rent', '--loud', '--reason', 'due', '--dir', '/b']);
    expect(behind.calls).toMatchObject([{ dir: '/b', options: { loud: true } }]);
    vi.stubEnv('PAYDROP_DIR', '/c');
    const fromEnvironment = await parse(['pay', 'rent', '--reason', 'due']);
    vi.unstubAllEnvs();
    expect(fromEnvironment.calls).toMatchObject([{ dir: '/c' }]);
    expect((await parse(['pay', 'rent', '--reason', 'due'])).calls).toMatchObject([{ dir: '.' }]);
  });

  it.each([
    [['pya', 'rent'], "unknown command 'pya'"],
    [['pay', 'rent', '--reason', 'x', '--lou'], "unknown option '--lou'"],
    [['pay', '--reason', 'x'], "missing required argument 'what'"],
    [['pay', 'rent'], "required option '--reason <text>' not specified"],
    [['pay', 'rent', 'food', '--reason', 'x'], 'too many arguments'],
  ])('%j ends with 1, a hint and nothing on standard output', async (words, message) => {
    const { failed, out, err, calls } = await parse(words);
    expect({ failed, out, calls }).toEqual({ failed: 1, out: '', calls: [] });
    expect(err).toContain(message);
    expect(err).toContain('See --help.');
  });

  it('suggests what was meant', async () => {
    expect((await parse(['pya'])).err).toContain('Did you mean pay?');
  });

  it('hides a number that was typed in the wrong place', async () => {
    const { err } = await parse([CARD]);
    expect(err).toContain('************2220');
    expect(err).not.toContain(CARD);
  });

  it('help of the whole has commands, the way to examples, and exit statuses at its end', async () => {
    const { failed, out } = await parse(['--help']);
    expect(failed).toBe(0);
    expect(out).toMatch(/Commands:\n {2}pay .*Pay something/);
    expect(out).toContain('"paydrop <command> --help" has examples.');
    expect(out.trimEnd().split('\n').slice(-7)[0]).toBe('Exit status:');
  });

  it('help of a command has its arguments, options, fallbacks, the folder and examples', async () => {
    const { failed, out } = await parse(['pay', '--help']);
    expect(failed).toBe(0);
    for (const text of [
      'Usage: paydrop pay <what> --reason <text> [options]\n',
      'what is paid',
      'how often (default: "1")',
      '--dir <folder>',
      'Examples:\n  paydrop pay rent --reason "it is due"\n',
    ])
      expect(out).toContain(text);
  });
});
