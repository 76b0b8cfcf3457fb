import { ERRORS, type FaultCode, PROFILE_CODES } from '../../../schemas/errors.ts';
import type { CheckedGroup } from '../../csv/check/check-payment-file.ts';
import { piecesOf, type PreviewRow, previewSample } from '../../csv/suggest/preview.ts';
import { checkContent, rulesOfFolder } from '../../explain/validate/check-content.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Fault } from '../../rows/rows.ts';
import type { Listing } from '../action.ts';
import type { ReadSample } from './compare-sample.ts';

/** A sample may be old, and whether a card has expired says nothing about the profile. */
export const readSample: ReadSample = async (profile, bytes, { folder, account }) => {
  const rules = { ...rulesOfFolder(account, folder, systemClock.now()), profile };
  const faults: Fault[] = [];
  const amounts: number[] = [];
  const take = (group: CheckedGroup) => {
    faults.push(...group.faults.filter(isUnfit).slice(0, MOST_SAID - Math.min(faults.length, MOST_SAID)));
    amounts.push(...group.packed.cents.subarray(0, group.packed.count));
    for (const { amountCents } of group.withheld) if (amountCents !== null) amounts.push(amountCents);
  };
  const check = await checkContent(piecesOf(bytes), rules, take);
  const found = [...check.faults.filter(isUnfit), ...faults].slice(0, MOST_SAID);
  if (found.length > 0) return { fits: false, says: found.map(sayFault) };
  const { records: rows, declaredCents: cents } = check;
  const { rows: examples } = await previewSample(bytes, profile, rules, MOST_SHOWN);
  return { fits: true, rows, cents, amounts, skipped: check.profile?.skipped ?? [], listing: listRows(examples) };
};

const MOST_SHOWN = 6;

function listRows(rows: readonly PreviewRow[]): Listing {
  return {
    label: 'Your cells, and what is sent',
    titles: ['Line', 'Your column', 'Your cell', 'Is sent as'],
    rows: rows.flatMap(({ line, cells }) =>
      cells.map(({ title, cell, sent }) => {
        const says = sent.map((one) => `${one.title} ${one.value}`).join(', ');
        return [String(line), title, cell, says === '' ? 'not sent' : says];
      }),
    ),
  };
}

const MOST_SAID = 20;

/** What the sample shows about the profile, and what would refuse every file like it. */
const UNFIT: ReadonlySet<FaultCode> = new Set<FaultCode>([...PROFILE_CODES, 'SPREADSHEET_DAMAGE']);
const ALLOWED: ReadonlySet<FaultCode> = new Set<FaultCode>(['DATE_OUTSIDE', 'PROFILE_SKIPPED']);

function isUnfit({ code }: Fault): boolean {
  return ERRORS[code].effect === 'reject' || (UNFIT.has(code) && !ALLOWED.has(code));
}

function sayFault({ code, line, detail }: Fault): string {
  return `${line > 0 ? `Line ${line}: ` : ''}${ERRORS[code].means}${detail ? `: ${detail}` : ''} (${code})`;
}
