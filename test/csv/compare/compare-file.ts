import { inspect } from 'node:util';
import fc from 'fast-check';
import { drawnChooser, flipBytes } from '../../simulation/choose.ts';
import { draws, sometimes } from '../../support/draws.ts';
import { checkByBytes, checkByReference, type Outcome, outcomeOf } from './check-by-bytes.ts';
import { chooseRules } from './choose-rules.ts';
import { writeFile } from './write-file.ts';
import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';

/** A payment file, the rules of its folder, and the pieces in which it comes. */
type StrangeFile = {
  readonly rules: CheckRules;
  readonly bytes: Buffer;
  readonly groupLines: number;
  readonly pieceBytes: number;
};

/** Draws that a row takes at most: up to eight for each quoted cell. */
const ROW = draws(128);

/** Files that are mostly sound, and as strange as senders make them. */
function strangeFiles(largestRows: number): fc.Arbitrary<StrangeFile> {
  const rowsUpTo = (maxLength: number) => fc.noBias(fc.array(ROW, { minLength: 1, maxLength, size: 'max' }));
  return fc
    .record({
      rules: draws(20),
      file: draws(40),
      rows: fc.oneof(...[3, 40, largestRows].map(rowsUpTo)),
      flips: sometimes(20, draws(40)),
      groupLines: fc.constantFrom(1, 1, 2, 30, 512),
      piece: fc.constantFrom('a 64th', 977, 65_536, 1 << 20),
    })
    .map(({ flips, groupLines, piece, ...drawn }) => {
      const rules = chooseRules(drawnChooser(drawn.rules));
      const written = writeFile(drawnChooser(drawn.file), rules, drawn.rows.map(drawnChooser));
      const bytes = flips ? flipBytes(written, drawnChooser(flips)) : written;
      const pieceBytes = typeof piece === 'number' ? piece : 1 + (bytes.length >> 6);
      const shown = () => inspect({ rules, text: bytes.toString('latin1'), groupLines, pieceBytes }, { depth: 4 });
      return { rules, bytes, groupLines, pieceBytes, [fc.toStringMethod]: shown };
    });
}

/** Totals of the files that a property has compared. */
export type Compared = { rows: number; valid: number };

/**
 * Files that are checked by bytes and by the reference, in pieces cut at different places, must yield the same. Its failure
 * may show made-up numbers unmasked.
 * @param largestRows of a file
 * @param sum counts rows
 * @param byBytes lets tests pass a check that overlooks something
 */
export function sameByBytes(largestRows: number, sum: Compared, byBytes = checkByBytes) {
  return fc.asyncProperty(strangeFiles(largestRows), async ({ rules, bytes, groupLines, pieceBytes }) => {
    const plain = outcomeOf(await checkByReference(pieces(bytes, 65_536), rules, groupLines));
    const fast = await byBytes(pieces(bytes, pieceBytes), rules, groupLines);
    sum.rows += plain.check.records;
    sum.valid += plain.check.valid.rows;
    const difference = findDifference(plain, fast);
    if (difference !== undefined) throw new Error(difference);
  });
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function findDifference(plain: Outcome, fast: Outcome): string | undefined {
  if (JSON.stringify(plain) === JSON.stringify(fast)) return undefined;
  for (const part of ['payments', 'withheld', 'faults'] as const) {
    const [one, other] = [plain[part], fast[part]].map((list) => list.map((item) => JSON.stringify(item)));
    const at = one!.findIndex((item, index) => item !== other![index]);
    if (at >= 0) return `${part}: ${one![at]} by the reference, ${other![at]} by bytes`;
    if (one!.length !== other!.length) return `${part}: ${other![one!.length]} by bytes only`;
  }
  return `${JSON.stringify(plain.check)} by the reference, ${JSON.stringify(fast.check)} by bytes`;
}
