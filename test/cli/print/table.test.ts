import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { labelLines, textTable } from '../../../src/cli/print/table.ts';
import { packageRoot, readPackageVersion } from '../../../src/cli/package-version.ts';
import { paydropLine, quoteWord } from '../../../src/cli/print/paydrop-line.ts';
import { progressLine } from '../../../src/cli/print/progress.ts';
import { wholeNumber } from '../../../src/cli/option-values.ts';
import { openCommandLog } from '../../../src/cli/open-command-log.ts';
import { takeDown } from '../support/run-here.ts';
import { momentsIn, zoneOf } from '../../../src/cli/print/moments.ts';
import { configWith } from '../../kernel/support/config-world.ts';
import { resolveSettings } from '../../../src/config/config.ts';

describe('table', () => {
  describe('textTable', () => {
    it('is as wide as the widest cells, with numbers to the right and no spaces at line ends', () => {
      const rows = [
        ['a.csv', '5', 'ok'],
        ['a longer name.csv', '1200', ''],
      ];
      expect(textTable(['File', 'Rows', 'Why'], rows, [1]).split('\n')).toEqual([
        'File               Rows  Why',
        '-----------------  ----  ---',
        'a.csv                 5  ok',
        'a longer name.csv  1200',
      ]);
    });

    it('counts characters, not code units', () => {
      const lines = textTable(
        ['Name', 'N'],
        [
          ['😀😀😀😀', '1'],
          ['abcd', '2'],
        ],
      ).split('\n');
      expect(lines.slice(2)).toEqual(['😀😀😀😀  1', 'abcd  2']);
    });

    it('is its head alone without rows', () => {
      expect(textTable(['A', 'B'], [])).toBe('A  B\n-  -');
    });
  });

  it('labelLines puts the values in one column and leaves out the empty ones', () => {
    const rows = [
      ['code', '15'],
      ['a much longer label', ''],
      ['message', 'no'],
    ] as const;
    expect(labelLines(rows)).toBe('  code     15\n  message  no');
    expect(labelLines([])).toBe('');
  });

  describe('paydropLine', () => {
    it.each([
      ['/srv/checkout/src/main.ts', 'npm run paydrop -- --dir /a status'],
      ['/usr/local/bin/paydrop', 'paydrop --dir /a status'],
      ['/srv/app/dist/src/main.js', 'node /srv/app/dist/src/main.js --dir /a status'],
      ['/srv/my app/main.js', "node '/srv/my app/main.js' --dir /a status"],
    ])('started as %s', (script, line) => {
      expect(paydropLine(['--dir', '/a', 'status'], script)).toBe(line);
    });

    it('names a script that package.json has', () => {
      const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      };
      expect(scripts['paydrop']).toMatch(/^tsx src\/main\.ts$/);
    });
  });

  describe('quoteWord', () => {
    it.each(['plain', '/a/b-c_d.csv', 'my file.csv', "it's", '$HOME', '`id`', 'a"b', '*', '', 'ü'])(
      'gives a shell the very word %j',
      (word) => {
        expect(execFileSync('sh', ['-c', `printf %s ${quoteWord(word)}`], { encoding: 'utf8' })).toBe(word);
      },
    );

    it('leaves alone what needs no quotes', () => {
      expect(quoteWord('/a/b-c_d.csv')).toBe('/a/b-c_d.csv');
    });
  });

  const CLEAR = '\r\u001b[2K';

  function screen(isTTY: boolean, columns?: number) {
    const written: string[] = [];
    return {
      isTTY,
      written,
      write: (text: string) => written.push(text),
      ...(columns === undefined ? {} : { columns }),
    };
  }

  describe('progressLine', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['performance'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it('writes over itself on a terminal, and can be cleared once', () => {
      const tty = screen(true);
      const progress = progressLine(tty);
      progress.show('1 row');
      vi.advanceTimersByTime(200);
      progress.show('2 rows');
      progress.clear();
      progress.clear();
      expect(tty.written).toEqual([`${CLEAR}1 row`, `${CLEAR}2 rows`, CLEAR]);
    });

    it('changes ten times a second at most', () => {
      const tty = screen(true);
      const progress = progressLine(tty);
      progress.show('first');
      vi.advanceTimersByTime(99);
      progress.show('too soon');
      vi.advanceTimersByTime(1);
      progress.show('second');
      expect(tty.written).toEqual([`${CLEAR}first`, `${CLEAR}second`]);
    });

    it('never wraps into a second line', () => {
      const tty = screen(true, 10);
      progressLine(tty).show('x'.repeat(50));
      expect(tty.written).toEqual([CLEAR + 'x'.repeat(9)]);
    });

    it('takes 80 columns where the terminal does not know', () => {
      const tty = screen(true, 0);
      progressLine(tty).show('x'.repeat(100));
      expect(tty.written).toEqual([CLEAR + 'x'.repeat(79)]);
    });

    it('says nothing on a pipe', () => {
      const pipe = screen(false);
      const progress = progressLine(pipe);
      progress.show('1 row');
      progress.clear();
      expect(pipe.written).toEqual([]);
    });
  });

  describe('wholeNumber', () => {
    it.each([
      ['0', 0],
      ['65535', 65_535],
      ['007', 7],
    ])('reads %s', (text, value) => {
      expect(wholeNumber('--port', text, 65_535)).toBe(value);
    });

    it.each(['', 'x', '-1', '1.5', '1e3', ' 1', '65536', '99999999999999999', true as const, undefined])(
      'refuses %j and names the option',
      (text) => {
        expect(() => wholeNumber('--port', text, 65_535)).toThrow(
          expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('Cannot use --port "') }),
        );
      },
    );

    it('says the range where there is one', () => {
      expect(() => wholeNumber('--port', 'x', 65_535)).toThrow('it is not a whole number from 0 to 65535');
      expect(() => wholeNumber('--port', 'x')).toThrow('it is not a whole number. ');
    });
  });

  it('packageRoot is the folder of package.json and of the samples', () => {
    expect(existsSync(join(packageRoot(), 'package.json'))).toBe(true);
    expect(existsSync(join(packageRoot(), 'samples', 'paydrop.yaml'))).toBe(true);
  });

  it('readPackageVersion is a version', () => {
    expect(readPackageVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });

  describe('openCommandLog', () => {
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    it.each([
      ['', 'info'],
      ['debug', 'debug'],
      ['silent', 'silent'],
    ])('PAYDROP_LOG_LEVEL=%j: %s', (value, level) => {
      vi.stubEnv('PAYDROP_LOG_LEVEL', value);
      expect(openCommandLog().level).toBe(level);
    });

    it('lets the command say what is usual', () => {
      vi.stubEnv('PAYDROP_LOG_LEVEL', '');
      expect(openCommandLog('warn').level).toBe('warn');
    });

    it('clears the progress line before each line', async () => {
      vi.stubEnv('PAYDROP_LOG_LEVEL', 'info');
      const order: string[] = [];
      const { err } = await takeDown(() => {
        const log = openCommandLog('warn', { show: () => {}, clear: () => order.push('clear') });
        log.info('one');
        log.debug('not said');
      });
      expect(order).toEqual(['clear']);
      expect(JSON.parse(err)).toMatchObject({ msg: 'one' });
    });

    it('names a level that does not exist', () => {
      vi.stubEnv('PAYDROP_LOG_LEVEL', 'loud');
      expect(() => openCommandLog()).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
      expect(() => openCommandLog()).toThrow(/"loud".*Set PAYDROP_LOG_LEVEL to debug, info/);
    });
  });
});

describe('moments', () => {
  it.each([
    [['America/Toronto', 'America/Toronto'], 'America/Toronto'],
    [['America/Toronto', 'UTC'], 'UTC'],
    [['America/Toronto', 'Europe/London'], 'UTC'],
  ])('zoneOf accounts in %j is %s', (zones, zone) => {
    const config = configWith({});
    const accounts = zones.map((timeZone, index) => [
      index === 0 ? 'main' : 'other',
      { ...config.accounts['main']!, timeZone },
    ]);
    expect(zoneOf(resolveSettings({ ...config, accounts: Object.fromEntries(accounts) }, '/srv', {}))).toBe(zone);
  });

  it('momentsIn writes the time of the zone, and the way from now', () => {
    const when = momentsIn('America/Toronto', new Date('2026-06-15T12:00:00Z'));
    expect(when(new Date('2026-06-15T11:57:00Z'))).toBe('2026-06-15 07:57:00 -04:00 (3 min ago)');
    expect(when(new Date('2026-06-15T14:30:00Z'))).toBe('2026-06-15 10:30:00 -04:00 (in 2 h)');
  });
});
