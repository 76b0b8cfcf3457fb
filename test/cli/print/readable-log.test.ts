import { afterEach, describe, expect, it, vi } from 'vitest';
import { paintFor } from '../../../src/cli/print/paint.ts';
import { readableLog } from '../../../src/cli/print/readable-log.ts';
import { openLog } from '../../../src/kernel/log.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';

const NAMES: Record<string, string> = { f1: 'monday.csv', f2: 'tuesday.csv' };

/** Logs, and returns what a person sees, without the times. */
async function seen(
  say: (log: ReturnType<typeof openLog>) => void,
  nameOf: (fileId: string) => Promise<string | undefined> = async (fileId) => NAMES[fileId],
): Promise<string[]> {
  let text = '';
  const options = { timeZone: 'UTC', paint: (_style: unknown, plain: string) => plain, nameOf };
  const readable = readableLog({ ...options, show: (line) => void (text += line) });
  say(openLog({ destination: readable }));
  await readable.shown();
  const lines = text.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d /);
  return lines.map((line) => line.slice(9));
}

describe('readableLog', () => {
  it('names the file and its batch, and says the rest in words', async () => {
    const outcomes = { declined: { rows: 1, cents: 200 }, approved: { rows: 3, cents: 7_500 } };
    const lines = await seen((log) => {
      log.info({ fileId: 'f1', folder: 'drop/card', bytes: 12_345 }, 'file claimed');
      log.info({ fileId: 'f1', verdict: 'hold', code: 'TWICE' }, 'file checked');
      log.info({ fileId: 'f1', batchNo: 2, account: 'main', attempt: 1, verdict: 'submitted' }, 'batch submitted');
      log.info({ fileId: 'f1', batchNo: 2, outcomes }, 'batch reconciled');
      log.info({ folders: ['drop'], site: 'main', roles: [], instance: 7 }, 'paydrop is running');
      log.info('stopping');
    });
    expect(lines).toEqual([
      'monday.csv: file claimed (folder drop/card, 12,345 bytes)',
      'monday.csv: file checked (hold, code TWICE)',
      'monday.csv batch 2: batch submitted (account main)',
      'monday.csv batch 2: batch reconciled (3 approved 75.00, 1 declined 2.00)',
      'paydrop is running',
      'stopping',
    ]);
  });

  it('marks trouble by a word, because colors may be off', async () => {
    const error = new PipelineError('TIMED_OUT', 'wait', 'it was late', { next: 'Wait.' });
    const lines = await seen((log) => {
      log.warn({ fileId: 'f2' }, 'batch not submitted');
      log.error({ err: error }, 'a job failed');
      log.error({ err: new TypeError('holds data') }, 'a job failed');
    });
    expect(lines).toEqual([
      'tuesday.csv: warning: batch not submitted',
      'error: a job failed (Cannot wait: it was late. Wait.)',
      'error: a job failed (TypeError)',
    ]);
  });

  it('keeps the order while a name is looked up, and asks for it once', async () => {
    const asked: string[] = [];
    const slow = async (fileId: string) => {
      asked.push(fileId);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return NAMES[fileId];
    };
    const lines = await seen((log) => {
      for (const step of ['one', 'two']) log.info({ fileId: 'f1' }, step);
      log.info('three');
    }, slow);
    expect(lines).toEqual(['monday.csv: one', 'monday.csv: two', 'three']);
    expect(asked).toEqual(['f1']);
  });

  it('gives the id where there is no name', async () => {
    const broken = async () => Promise.reject(new Error('no ledger'));
    expect(await seen((log) => log.info({ fileId: 'f9' }, 'x'), broken)).toEqual(['f9: x']);
    expect(await seen((log) => log.info({ fileId: 'f9' }, 'x'))).toEqual(['f9: x']);
  });

  it('lets no text of the service steer the terminal', async () => {
    const [line] = await seen((log) => log.warn({ says: 'a\u001b[2Jb' }, 'said: \u001b]0;title\u0007\r\nnext'));
    expect(line).toMatch(/^warning: said: [^\p{Cc}]*next \(says a[^\p{Cc}]*b\)$/u);
  });

  it('writes times in the zone it is given', async () => {
    let text = '';
    const paint = (_style: unknown, plain: string) => plain;
    const readable = readableLog({
      timeZone: 'America/Toronto',
      paint,
      nameOf: async () => undefined,
      show: (line) => void (text += line),
    });
    readable.say(new Date('2026-06-15T12:34:56Z'), 'now');
    await readable.shown();
    expect(text).toBe('08:34:56 now\n');
  });
});

describe('paintFor', () => {
  const terminal = Object.assign(Object.create(process.stderr) as NodeJS.WriteStream, { isTTY: true });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.each([
    ['xterm-256color', undefined, undefined, true],
    ['xterm-256color', '1', undefined, false],
    ['dumb', undefined, undefined, false],
    ['dumb', undefined, '1', true],
  ])('TERM=%s NO_COLOR=%s FORCE_COLOR=%s: %s', (term, no, force, hasColor) => {
    vi.stubEnv('TERM', term);
    vi.stubEnv('COLORTERM', undefined);
    vi.stubEnv('NO_COLOR', no);
    vi.stubEnv('FORCE_COLOR', force);
    const getColorDepth = () => (process.env['NO_COLOR'] || process.env['TERM'] === 'dumb' ? 1 : 8);
    const paint = paintFor(Object.assign(terminal, { getColorDepth }));
    expect(paint('red', 'x')).toBe(hasColor ? '\u001b[31mx\u001b[39m' : 'x');
  });
});
