import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { adoptById } from '../../actions/resolve/adopt-by-id.ts';
import { closeInDoubt } from '../../actions/resolve/close-in-doubt.ts';
import { declareNotReceived } from '../../actions/resolve/declare-not-received.ts';
import type { ResolutionContext } from '../../actions/resolve/resolution-context.ts';
import { disownResult } from '../../actions/resolve/disown-result.ts';
import { LARGEST_REPORT_BYTES } from '../../actions/resolve/read-report-file.ts';
import { type JournalReading, readJournal } from '../../actions/resolve/read-journal.ts';
import { PipelineError, reasonOf, systemCode } from '../../kernel/errors.ts';
import { maskName } from '../../kernel/mask.ts';
import { textTable } from '../print/table.ts';
import type { Verb } from './choose-verb.ts';
import { runProbe } from './run-probe.ts';
import { describeBatch, type Said, sayOutcome } from './say-outcome.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { nextReportWords } from '../../actions/next-report-words.ts';

/**
 * Carries out the action and describes the result. Throws PipelineError when it is refused; nothing is changed then.
 */
export async function runVerb(
  context: ResolutionContext,
  verb: Exclude<Verb, { kind: 'show' }>,
  dir: string,
): Promise<Said> {
  switch (verb.kind) {
    case 'adopt':
      return adopt(context, verb.batchId, verb.reason);
    case 'probe':
      return runProbe(context, verb.range, dir);
    case 'not-received': {
      const outcome = await declareNotReceived(context, verb);
      const attempt = `attempt ${context.batch.attempt + 1}`;
      return sayOutcome(context, verb.kind, outcome, `declared as not received; it is sent once more, as ${attempt}.`);
    }
    case 'journal': {
      const given = { name: basename(verb.path), bytes: await readReport(verb.path), reason: verb.reason };
      return sayJournal(context, await readJournal(context, given));
    }
    case 'close-in-doubt': {
      const outcome = await closeInDoubt(context, verb.reason);
      const means = 'closed in doubt. Rows that no report has explained go out as UNKNOWN and are never sent again.';
      return sayOutcome(context, verb.kind, outcome, means);
    }
    case 'disown': {
      const outcome = await disownResult(context, verb.reason);
      const means = 'its result is disowned. It is in doubt now; see "paydrop unknown list".';
      return sayOutcome(context, verb.kind, outcome, means);
    }
  }
}

async function adopt(context: ResolutionContext, batchId: string, reason: string | undefined): Promise<Said> {
  const outcome = await adoptById(context, batchId, reason);
  if (outcome.result !== 'differs') {
    const means = `every row matches; it is adopted under batch id ${batchId}, and its result is fetched.`;
    return sayOutcome(context, 'adopt', outcome, means, { batchId });
  }
  const { differences } = outcome;
  const rows = differences.map(({ position, line, sent, result }) => [
    String(position),
    line === null ? '' : String(line),
    sent,
    result,
  ]);
  const table = rows.length === 0 ? '' : `\n\n${textTable(['Row', 'Line', 'Sent', 'Came back'], rows, [0, 1])}`;
  return {
    status: EXIT.unknownOpen,
    json: { verb: 'adopt', batchId, ...outcome },
    text: `${describeBatch(context)} is not batch id ${batchId}: ${outcome.reason}. Nothing was changed.${table}`,
  };
}

/** @throws PipelineError USAGE for a file that cannot be read, or is larger than any report */
export async function readReport(path: string): Promise<Buffer> {
  const action = `read the report "${maskName(basename(path))}"`;
  try {
    const { size } = await stat(path);
    if (size <= LARGEST_REPORT_BYTES) return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new PipelineError('USAGE', action, 'there is no such file');
    throw new PipelineError('USAGE', action, systemCode(error) ?? reasonOf(error));
  }
  throw new PipelineError('USAGE', action, 'no report of the service is that large');
}

/** As many rows as an operator reads; the rest is counted. */
const SHOWN = 20;

/** Describes what a report showed, and whether another one is needed. */
export async function sayJournal(context: ResolutionContext, reading: JournalReading): Promise<Said> {
  const { outcome, counts, ambiguous, report, certain, uncertain } = reading;
  const facts = { counts, ambiguous, report, certain, uncertain };
  const told = `the report shows ${counted(counts.found, 'row')}, lacks ${counts.absent}, and ${counts.ambiguous} cannot be told.`;
  if (uncertain.length === 0 && outcome.result !== 'kept') {
    const means = `${told} Every row is certain now, and the batch ends with what the reports say.`;
    return sayOutcome(context, 'journal', outcome, means, facts);
  }
  const { file, batch } = context;
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  const lines = [
    `${describeBatch(context)}: ${told}`,
    ...(ambiguous.length === 0 ? [] : ['', ambiguousTable(ambiguous), '']),
    `${certain} of its rows ${byNumber(certain, 'is', 'are')} certain, ${uncertain.length} ${byNumber(uncertain.length, 'stays', 'stay')} in doubt. ${context.dryRun ? 'Dry run, nothing was changed.' : 'What the report says is kept.'}`,
    ...nextReportWords(reading, context.account.resolveWaitMs),
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
