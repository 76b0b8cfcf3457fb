import { systemCode } from '../kernel/errors.ts';
import { LARGEST_TOTAL_CENTS, parseAmount } from '../kernel/money.ts';
import { readPlainFile } from './open-plain-file.ts';

/**
 * The sender's claims about a payment file (control total H0). Missing ones are not checked. `sha256` is lower-case
 * hex.
 */
export type ControlTotals = { rows?: number; totalCents?: number; sha256?: string };

export type ControlFault = { fault: 'CONTROL_FILE'; reason: string };

/**
 * Reads a control file `X.csv.ctl`: one value a line, as `rows=3`, `rows: 3` or `rows,3`; likewise `total` as decimal
 * text and `sha256` as hex. Anything not understood is a fault, because a skipped typo would silently disable a check.
 * Reasons name the line and never quote it.
 */
export async function readSidecar(path: string | Buffer): Promise<ControlTotals | ControlFault> {
  const bytes = await readBytes(path);
  if (bytes === undefined) return fault('it is missing, larger than 4 KiB, not a plain file, or not readable');
  const text = decode(bytes);
  if (text === undefined) return fault('it is not UTF-8 text');
  return readLines(text.split(/\r\n|\r|\n/));
}

const LARGEST_BYTES = 4_096;

/** Reads the bytes. An unreadable control file is the sender's fault like any other; a failing disk is not. */
async function readBytes(path: string | Buffer): Promise<Buffer | undefined> {
  try {
    return await readPlainFile(path, LARGEST_BYTES);
  } catch (error) {
    if (REFUSALS.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

const REFUSALS = new Set(['EACCES', 'EPERM']);

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readLines(lines: string[]): ControlTotals | ControlFault {
  const totals: ControlTotals = {};
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const value = readLine(line.trim());
    if (typeof value === 'string') return fault(`line ${index + 1} ${value}`);
    if (Object.keys(value).some((key) => key in totals)) return fault(`line ${index + 1} repeats an earlier entry`);
    Object.assign(totals, value);
  }
  return Object.keys(totals).length > 0 ? totals : fault('it has no rows, total or sha256');
}

/** @returns the one value of the line, or what is wrong with it */
function readLine(line: string): ControlTotals | string {
  const [, key = '', value = ''] = /^(\w+)\s*[=:,]\s*(.*)$/.exec(line) ?? [];
  switch (key.toLowerCase()) {
    case 'rows':
      return /^\d{1,9}$/.test(value) ? { rows: Number(value) } : 'gives rows that are not a whole number';
    case 'total': {
      const totalCents = parseAmount(value, LARGEST_TOTAL_CENTS);
      return typeof totalCents === 'number' ? { totalCents } : 'gives a total that is not a decimal such as 25.00';
    }
    case 'sha256':
      return /^[0-9a-f]{64}$/i.test(value)
        ? { sha256: value.toLowerCase() }
        : 'gives a sha256 that is not 64 hex digits';
    default:
      return 'is not rows, total or sha256';
  }
}

function fault(reason: string): ControlFault {
  return { fault: 'CONTROL_FILE', reason };
}
