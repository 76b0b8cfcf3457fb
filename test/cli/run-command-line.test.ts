import { describe, expect, it } from 'vitest';
import { runHere } from './support/run-here.ts';

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
    expect(err).toMatch(/^Cannot read ".*paydrop\.yaml": there is no configuration here\. Run "paydrop init"/);
  });
});
