import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { CommanderError } from 'commander';
import { runHere, takeDown } from './support/run-here.ts';
import type { Call, CliCommand } from '../../src/cli/command.ts';
import { describeExitCodes, explainError, makeProgram } from '../../src/cli/run-command-line.ts';
import { CARD } from '../support/payment-rows.ts';
import { EXIT } from '../../schemas/errors.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { fishScript, placesOf, zshScript } from '../../src/cli/commands/completion.ts';
import { FEATURES } from '../../src/features.ts';

const COMMANDS = await loadCommands(FEATURES);

describe('run command line', () => {
  describe('runCommandLine', () => {
    it('answers the status of the command', async () => {
      const { status, out, err } = await runHere(['validate', 'samples/card/card.csv', '--operation', 'card']);
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toContain('ACCEPTED');
    });

    it.each([
      [['--version'], 0],
      [['--help'], 0],
      [['help', 'show'], 0],
      [['show', '--help'], 0],
      [[], 1],
      [['stats'], 1],
      [['status', '--jsno'], 1],
      [['--dir', 'no/such/folder', 'status'], 1],
    ])('%j ends with %i', async (words, status) => {
      const ran = await runHere(words);
      expect(ran.status).toBe(status);
      // Data and help go to one stream, complaints to the other, never both.
      expect([ran.out === '', ran.err === '']).toEqual(status === 0 ? [false, true] : [true, false]);
    });

    it('says what is missing and what to do', async () => {
      const { err } = await runHere(['--dir', 'no/such/folder', 'status']);
      expect(err).toMatch(/^Cannot read ".*paydrop\.yaml": this folder has no configuration\. Run "paydrop init"/);
    });
  });

  /** A table with one command that records its calls. */
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

  async function parse(words: readonly string[], tableOf = table) {
    const calls: Call[] = [];
    const finish = vi.fn<(status: number) => void>();
    const program = makeProgram(tableOf(calls), { finish, features: FEATURES });
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
      expect(calls).toEqual([
        { arguments: ['rent'], options: { reason: 'due', times: '1' }, dir: '/a', features: FEATURES },
      ]);
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
      expect(err).toContain('Run it with --help.');
    });

    it('suggests what was meant', async () => {
      expect((await parse(['pya'])).err).toContain('Did you mean pay?');
    });

    it('hides a number that was typed in the wrong place', async () => {
      const { err } = await parse([CARD]);
      expect(err).toContain('************2220');
      expect(err).not.toContain(CARD);
    });

    it('hides the value that stands behind the sign of an option nobody knows', async () => {
      const { err } = await parse(['pay', 'rent', '--reason', 'x', '--cod=9173']);
      expect(err).toContain("unknown option '--cod=…'");
      expect(err).not.toContain('9173');
    });

    it('help of the whole has commands, the way to examples, and exit statuses at its end', async () => {
      const { failed, out } = await parse(['--help']);
      expect(failed).toBe(0);
      expect(out).toMatch(/Commands:\n {2}pay .*Pay something/);
      expect(out).toContain('"paydrop <command> --help" shows examples.');
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

  /** A group with one command below it. */
  function nested(calls: Call[]): CliCommand[] {
    const [pay] = table(calls);
    const inner: CliCommand = {
      ...pay!,
      alias: 'Pay',
      groups: [{ title: 'Required parameters:', options: [['--total <amount>', 'how much']] }],
      hidden: [['--secret <text>', 'never listed']],
      notes: ['A note.'],
    };
    return [{ name: 'bank', about: 'The bank', commands: [inner], examples: ['bank pay rent --reason due'] }];
  }

  describe('makeProgram: commands below a command', () => {
    it('run with their options, those of groups and hidden ones too, under either spelling', async () => {
      const words = ['rent', '--reason', 'due', '--total', '-5.00', '--secret', 'x', '--dir', '/a'];
      for (const name of ['pay', 'Pay']) {
        const { calls, statuses } = await parse(['bank', name, ...words], nested);
        const options = { reason: 'due', times: '1', total: '-5.00', secret: 'x' };
        expect(calls).toEqual([{ arguments: ['rent'], options, dir: '/a', features: FEATURES }]);
        expect(statuses).toEqual([3]);
      }
    });

    it('are listed in the help of the command above, which runs nothing itself', async () => {
      const { out } = await parse(['bank', '--help'], nested);
      expect(out).toMatch(/^Usage: paydrop bank <command> \[options\]\n[^]*Commands:\n {2}pay <what> +Pay something\n/);
      expect(out).not.toMatch(/\|Pay|help \[command\]/);
      const { failed, err, calls } = await parse(['bank'], nested);
      expect({ failed, calls }).toEqual({ failed: 1, calls: [] });
      expect(err).toContain('Usage: paydrop bank');
    });

    it('have help with titles and notes, and without what is hidden', async () => {
      const { out } = await parse(['bank', 'pay', '--help'], nested);
      expect(out).toMatch(/^Usage: paydrop bank pay <what> --reason <text> \[options\]\n/);
      expect(out).toMatch(/Required parameters:\n {2}--total <amount> +how much\n\nOptions:\n/);
      expect(out).toMatch(/\nA note\.\n\nExamples:\n/);
      expect(out).not.toContain('--secret');
    });

    it('suggest what was meant', async () => {
      expect((await parse(['bank', 'pya'], nested)).err).toContain('Did you mean pay?');
      expect((await parse(['bank', 'pay', 'rent', '--reason', 'x', '--totl', '1'], nested)).err).toContain('--total?');
    });
  });

  it('describeExitCodes has a line for every exit status, short enough for a terminal', () => {
    const [title, ...lines] = describeExitCodes().split('\n');
    expect(title).toBe('Exit status:');
    expect(lines.map((line) => Number(line.trim().split(' ')[0]))).toEqual(Object.values(EXIT));
    for (const line of lines) expect(line).toMatch(/^ {2}\d {2}\S.{10,74}$/);
  });

  describe('explainError', () => {
    it.each([
      [new CommanderError(0, 'commander.help', '(outputHelp)'), 0, ''],
      [new CommanderError(1, 'commander.unknownOption', 'said by commander'), 1, ''],
      [new PipelineError('USAGE', 'run'), 1, 'Cannot run: the command was not understood. Run it with --help.\n'],
      [
        new PipelineError('NOT_FOUND', 'find a file "x"', 'none', { next: 'Look.' }),
        1,
        'Cannot find a file "x": none. Look.\n',
      ],
      [new PipelineError('TIMED_OUT', 'wait', 'late', { next: 'Wait.' }), 5, 'Cannot wait: late. Wait.\n'],
      [new TypeError('x is not a function'), 5, 'An unexpected error occurred: x is not a function\n'],
      [Object.assign(new Error('no'), { code: 'EACCES' }), 5, expect.stringMatching(/lacks a permission: no\. Run it/)],
      ['thrown text', 5, 'An unexpected error occurred: thrown text\n'],
    ])('%s ends with %i and one line', async (error, status, line) => {
      expect(await takeDown(() => explainError(error))).toEqual({ result: status, out: '', err: line });
    });

    it('hides a number that an unforeseen error quotes', async () => {
      const { err } = await takeDown(() => explainError(new Error(`invalid input "${CARD}"`)));
      expect(err).toContain('2220');
      expect(err).not.toContain(CARD);
    });
  });
});

/** Returns what bash suggests for the last word. */
async function suggestions(...words: string[]): Promise<string[]> {
  const { status, out } = await runHere(['completion', 'bash']);
  expect(status).toBe(0);
  const ask = 'COMP_WORDS=(paydrop "$@"); COMP_CWORD=$#; _paydrop; printf "%s\\n" "${COMPREPLY[@]}"';
  const script = `${out}\n${ask}`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

describe('completion bash', () => {
  it.each([
    [['val'], ['validate']],
    [
      ['key', ''],
      ['list', 'rotate', 'retire'],
    ],
    [['key', 'list', '--j'], ['--json']],
    [['--dir', 'key', 'val'], ['validate']],
    [['validate', '--op'], ['--operation']],
    [['call', 'getBatch'], ['getBatchProcessResultFile']],
    [['validate', 'mon'], []],
  ])('%j', async (words, suggested) => {
    expect((await suggestions(...words)).filter((word) => suggested.length > 0 || word !== '')).toEqual(suggested);
  });

  it('knows every command', async () => {
    expect(await suggestions('')).toEqual(COMMANDS.map(({ name }) => name));
  });
});

describe('completion', () => {
  const places = placesOf([
    {
      name: 'pay',
      about: "Pay: it's due",
      examples: [],
      options: [
        ['-t, --times <n>', 'how often'],
        ['--json', 'print JSON'],
      ],
      hidden: [['--secret <text>', 'x']],
      run: async () => 0,
    },
    {
      name: 'bank',
      about: 'The bank',
      examples: [],
      commands: [{ name: 'list', about: 'b', examples: [], run: async () => 0 }],
    },
  ]);

  it('lists places with their options, and no hidden ones', () => {
    expect(places.map(({ at }) => at)).toEqual(['', 'pay', 'bank', 'bank list']);
    const [, pay] = places;
    expect(pay!.options.map(({ word }) => word)).toEqual(['--times', '--json', '--dir', '--help']);
    expect(pay!.options.map(({ takesValue }) => takesValue)).toEqual([true, false, true, false]);
  });

  it('quotes descriptions for zsh and fish', () => {
    expect(zshScript(places)).toContain(String.raw`commands=('pay:Pay\: it'\''s due' 'bank:The bank')`);
    expect(fishScript(places)).toContain(String.raw`-f -a pay -d 'Pay: it\'s due'`);
    expect(fishScript(places)).toContain(String.raw`-n '__paydrop_at \'pay\'' -l times -r -d 'how often'`);
  });

  it('has no other shell', async () => {
    expect(await runHere(['completion', 'tcsh'])).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('Choose from bash, zsh, fish.'),
    });
  });
});
