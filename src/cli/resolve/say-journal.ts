import { byNumber, counted } from '../../kernel/counted.ts';
import type { Desk } from '../../actions/resolve/desk.ts';
import type { JournalReading } from '../../actions/resolve/read-journal.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { nextReportWords } from '../../actions/next-report-words.ts';
import { textTable } from '../print/table.ts';
import { describeBatch, type Said, sayOutcome } from './say-outcome.ts';

/** As many rows as an operator reads; the rest is counted. */
const SHOWN = 20;

/** Describes what a report showed, and whether another one is needed. */
export async function sayJournal(desk: Desk, reading: JournalReading): Promise<Said> {
  const { outcome, counts, ambiguous, report, certain, uncertain } = reading;
  const facts = { counts, ambiguous, report, certain, uncertain };
  const told = `the report shows ${counted(counts.found, 'row')}, lacks ${counts.absent}, and ${counts.ambiguous} cannot be told.`;
  if (uncertain.length === 0 && outcome.result !== 'kept') {
    const means = `${told} Every row is certain now, and the batch ends with what the reports say.`;
    return sayOutcome(desk, 'journal', outcome, means, facts);
  }
  const { file, batch } = desk;
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  const lines = [
    `${describeBatch(desk)}: ${told}`,
    ...(ambiguous.length === 0 ? [] : ['', ambiguousTable(ambiguous), '']),
    `${certain} of its rows ${byNumber(certain, 'is', 'are')} certain, ${uncertain.length} ${byNumber(uncertain.length, 'stays', 'stay')} in doubt. ${desk.dryRun ? 'Dry run, nothing was changed.' : 'What the report says is kept.'}`,
    ...nextReportWords(reading, desk.account.resolveWaitMs),
  ];
  return {
    status: EXIT.unknownOpen,
    json: {
      batch: batchReference(key),
      ...key,
      name: file.name,
      verb: 'journal',
      ...outcome,
      state: batch.state,
      ...facts,
    },
    text: lines.join('\n'),
  };
}

function ambiguousTable(ambiguous: JournalReading['ambiguous']): string {
  const rows = ambiguous.slice(0, SHOWN).map(({ line, why }) => [String(line), why]);
  const more = ambiguous.length - rows.length;
  return `${textTable(['Line', 'Cannot be told, because'], rows, [0])}${more > 0 ? `\nand ${more} more` : ''}`;
}
