import { expect, it } from 'vitest';
import type { FaultCode } from '../../../../schemas/errors.ts';
import type { Profile, ProfileFaultCode } from '../../../../schemas/profiles.ts';
import {
  isUnfit,
  type ProfileContext,
  type ProfileFindings,
  type ProfileLine,
  readByProfile,
  readProfileLines,
} from '../../../../src/csv/profile/read-profile.ts';
import type { Fault } from '../../../../src/rows/rows.ts';
import { checkByBytes } from '../../compare/check-by-bytes.ts';
import { checkAll, type Checked, chunksOf, rulesWith } from '../../support.ts';
import { encodeLines, EXAMPLE_FILES, type ExampleName, exampleProfile } from './example-files.ts';
import { EXAMPLE_PROFILES, PLACES } from './example-profiles.ts';
import { parseProfile, type ProfileFault } from '../../../../src/csv/profile/profile-text.ts';

export type ProfileRead = {
  readonly made: string;
  readonly lines: readonly ProfileLine[];
  readonly findings: ProfileFindings;
  /** All faults, those of payments first. */
  readonly faults: readonly Fault[];
};

/** Reads a file by a profile both ways, as bytes and as lines, and requires that both agree. */
export async function readBoth(
  bytes: Uint8Array,
  profile: Profile,
  context: ProfileContext,
  pieceBytes = 65_536,
): Promise<ProfileRead> {
  const lines: ProfileLine[] = [];
  const steps = readProfileLines(chunksOf(bytes, pieceBytes), profile, context);
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) lines.push(...step.value);
  const reading = readByProfile(chunksOf(bytes, pieceBytes), profile, context);
  const pieces: Uint8Array[] = [];
  let told = 0;
  for await (const piece of reading.source) {
    pieces.push(piece);
    const known = Buffer.concat(pieces).toString().split('\n').length;
    for (; told < Math.min(known, lines.length); told += 1) {
      const { line, kind, faults } = lines[told]!;
      expect(reading.faultsOf(line)).toEqual(kind === 'payment' ? faults : []);
    }
  }
  const findings = reading.findings();
  expect(findings).toEqual(step.value);
  expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1));
  const ofPayments = lines.flatMap(({ kind, faults }) => (kind === 'payment' ? faults : []));
  return { made: Buffer.concat(pieces).toString(), lines, findings, faults: [...ofPayments, ...findings.faults] };
}

export type Judged = ProfileRead & {
  readonly check: Checked;
  readonly codes: readonly FaultCode[];
  /** R refused, H held, T taken. */
  readonly verdict: 'R' | 'H' | 'T';
  /** Invoice and amount of the payments that are sent once the file is approved. */
  readonly sent: readonly string[];
};

/** Reads a file by a profile and checks the made file, as intake does. */
export async function judge(name: ExampleName, profile: Profile, bytes: Uint8Array): Promise<Judged> {
  const { operation, account } = PLACES[name];
  const read = await readBoth(bytes, profile, { operation, today: '2026-06-15' });
  const folder = { badRows: { policy: 'withhold', maxPercent: 100 } } as const;
  // The made file has what the file would have if it were written in the layout.
  const check = await checkAll(read.made, { operation, account, folder: { ...folder, header: 'none' } });
  const rules = rulesWith({ operation, account, folder, profile });
  const own = await checkByBytes(chunksOf(bytes), rules);
  expect(await checkByBytes(chunksOf(bytes), rules, 1)).toEqual(own);
  const unfit = new Set(
    read.lines.filter(({ kind, faults }) => kind === 'payment' && isUnfit(faults)).map(({ line }) => line),
  );
  expect(own.payments).toEqual(
    check.rows.flatMap(({ payment }) => (payment && !unfit.has(payment.line) ? payment : [])),
  );
  expect(own.check.profile).toEqual(read.findings);
  const verdict = VERDICTS[own.check.verdict];
  const codes = read.faults.map(({ code }) => code);
  return { ...read, check, codes, verdict, sent: verdict === 'R' ? [] : own.payments.map(sentText) };
}

const VERDICTS = { accept: 'T', hold: 'H', reject: 'R' } as const;

function sentText({ invoice, amountCents }: { invoice: string; amountCents: number }): string {
  return `${invoice} ${(amountCents / 100).toFixed(2)}`;
}

/** Reads the file of an example after some of its text was replaced. */
export function judgeChanged(
  name: ExampleName,
  change: (text: string) => string,
  profile = exampleProfile(name),
): Promise<Judged> {
  const text = change(EXAMPLE_FILES[name].map(([sender]) => `${sender}\n`).join(''));
  return judge(name, profile, encodeLines([text], profile, ''));
}

/** Replaces a part of an example, which must be there. */
export function changed(name: ExampleName, part: string, by: string): string {
  const text: string = EXAMPLE_PROFILES[name];
  expect(text).toContain(part);
  return text.replace(part, () => by);
}

/** Returns the faults of a text, at the folder of an example if one is named. */
export function faultsOf(text: string, name?: ExampleName): readonly ProfileFault[] {
  const parsed = parseProfile(text, name && PLACES[name]);
  return 'faults' in parsed ? parsed.faults : [];
}

/** A change of an example and the fault that it makes. */
export type Change = readonly [ExampleName, part: string, by: string, message: string];

/** Tries each change at the folder of its example. */
export function finds(code: ProfileFaultCode, changes: readonly Change[]): void {
  it.each(changes)(`${code}: %s with %j changed to %j`, (name, part, by, message) => {
    expect(faultsOf(changed(name, part, by), name)).toContainEqual({ code, line: expect.any(Number), message });
  });
}
