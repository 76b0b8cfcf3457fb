import { EXIT } from '../../../schemas/errors.ts';
import { systemClock } from '../../kernel/clock.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import type { Finding, Level } from '../doctor/check.ts';
import { examine, type Examined } from '../doctor/examine.ts';

export const doctor: CliCommand = {
  name: 'doctor',
  about: 'Look at folders, rights, disk, clock, keys, database, queue, service and journal, and say how to fix them',
  options: [JSON_OPTION],
  notes: [
    `Each line is ok, warn (it works, and may not for long) or bad. Nothing is changed, and the service is
not called: a connection is opened and closed. Exit status 5 when something is bad.`,
  ],
  examples: ['doctor', 'doctor --json'],
  async run(call) {
    const examined = await examine({ settings: settingsOf(call), env: process.env, clock: systemClock });
    const worst = worstOf(examined);
    print(call, { worst, checks: examined }, () => describe(examined));
    return worst === 'bad' ? EXIT.exception : EXIT.ok;
  },
};

const GRAVITY: readonly Level[] = ['ok', 'warn', 'bad'];

function worstOf(examined: readonly Examined[]): Level {
  const levels = examined.flatMap(({ findings }) => findings.map(({ level }) => GRAVITY.indexOf(level)));
  return GRAVITY[Math.max(0, ...levels)]!;
}

function describe(examined: readonly Examined[]): string {
  const width = Math.max(...examined.map(({ name }) => name.length));
  const lines = examined.flatMap(({ name, findings }) => findings.flatMap((finding) => lineOf(name, width, finding)));
  return [...lines, '', SENTENCES[worstOf(examined)]].join('\n');
}

function lineOf(name: string, width: number, { level, found, mend }: Finding): string[] {
  const line = `${level.padEnd(4)}  ${name.padEnd(width)}  ${found}`;
  return mend ? [line, `${' '.repeat(width + 8)}fix: ${mend}`] : [line];
}

const SENTENCES: Readonly<Record<Level, string>> = {
  ok: 'All is well.',
  warn: 'It works. What is marked warn should be looked at.',
  bad: 'What is marked bad has to be fixed.',
};
