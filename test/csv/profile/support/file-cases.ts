import { expect, it } from 'vitest';
import type { FaultCode } from '../../../../schemas/errors.ts';
import type { Profile } from '../../../../schemas/profiles.ts';
import type { ExampleName } from './example-files.ts';
import { judgeChanged, type Judged } from './read-example.ts';

/** What the file of an example becomes after a change. */
export type FileCase = {
  readonly given: string;
  readonly name: ExampleName;
  readonly change?: (text: string) => string;
  readonly profile?: Profile;
  readonly verdict: Judged['verdict'];
  readonly codes?: readonly FaultCode[];
  /** Parts of the details of the faults. */
  readonly says?: readonly string[];
  /** Payments that are sent after an approval; if unset, those of the unchanged file, and none of a refused one. */
  readonly sent?: readonly string[];
};

/** Tests each case: R refused, H held, T taken. */
export function testCases(cases: readonly FileCase[]): void {
  it.each(cases)('$given: $verdict', async ({ name, change = same, profile, verdict, codes = [], says = [], sent }) => {
    const judged = await judgeChanged(name, change, profile);
    expect(judged.verdict).toBe(verdict);
    expect(judged.codes).toEqual(expect.arrayContaining([...codes]));
    const details = judged.faults.map(({ detail }) => detail ?? '').join('\n');
    for (const words of says) expect(details).toContain(words);
    const expected = sent ?? (verdict === 'R' ? [] : (await judgeChanged(name, same)).sent);
    expect(judged.sent).toEqual(expected);
  });
}

export function same(text: string): string {
  return text;
}

/** Returns a change that replaces texts, which must be there. */
export function replaced(...changes: readonly (readonly [from: string, to: string])[]): (text: string) => string {
  return (text) =>
    changes.reduce((changed, [from, to]) => {
      expect(changed).toContain(from);
      return changed.replace(from, to);
    }, text);
}

/** Returns an invoice of the example that is like Xero, with an amount that is due and one that is paid. */
export function xeroRow(invoice: string, due: string, paid = '0.00'): string {
  const cents = (amount: string) => Math.round(Number(amount.replaceAll(/[",]/g, '')) * 100);
  const total = ((cents(due) + cents(paid)) / 100).toFixed(2);
  return `Byron Ltd,B0017,,${invoice},,15/06/2026,30/06/2026,${total},0.00,${paid},${due},GBP,Sales invoice,Awaiting Payment\n`;
}
