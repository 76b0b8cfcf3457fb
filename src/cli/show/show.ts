import { EXIT } from '../../../schemas/errors.ts';
import { type Step, stepText } from '../../../schemas/steps.ts';
import { type CliCommand, JSON_OPTION, print, readLedger } from '../command.ts';
import { nextSendOf } from '../../explain/describe-holds.ts';
import { type FileStory, readStory } from '../../explain/read-story.ts';
import { describeWhy, whyUntaken } from '../../explain/why/tell-why.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { saidWord } from '../../../schemas/shown.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { describeHoldReasons, remedyOf } from '../../explain/hold-reasons.ts';
import { sayArchive } from '../../ledger/retention/archived-rows.ts';
import { textTable } from '../print/table.ts';

export const show: CliCommand = {
  name: 'show',
  about: 'Show one payment file: its rows, batches, outputs and history',
  takes: [['<file>', 'its id, the first characters of the id (as in names of output files), or its name']],
  options: [JSON_OPTION],
  examples: ['show monday.csv', 'show g7fhpaqs --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    await readLedger(call, async (ledger, settings) => {
      const story = await readStory(ledger, words, settings).catch(async (error: unknown) => {
        if (!(error instanceof PipelineError) || error.code !== 'NOT_FOUND') throw error;
        const why = await whyUntaken(ledger, settings, words);
        if (!why) throw error;
        print(call, why, () => describeWhy(why));
        return undefined;
      });
      if (!story) return;
      const timeZone = settings.accounts.get(story.file.account)?.timeZone ?? 'UTC';
      const nextSendAt = nextSendOf(story, settings, ledger.clock.now());
      const steps = settings.features.flatMap(({ stepsFor }) => stepsFor?.(story.file) ?? []);
      print(call, { ...story, nextSendAt }, () => describeStory(story, timeZone, { nextSendAt, steps }));
    });
    return EXIT.ok;
  },
};

/**
 * Describes the story in words and tables, with times in the account's zone. Empty parts are left out.
 * @param more.nextSendAt when the window that it waits for opens
 * @param more.steps what a person can do with the file
 */
export function describeStory(
  story: FileStory,
  timeZone: string,
  { nextSendAt, steps = [] }: { nextSendAt?: Date | undefined; steps?: readonly Step[] } = {},
): string {
  const when = (at: Date) => formatInZone(at, timeZone);
  const parts = [
    describeFile(story, when),
    steps.map(stepText).join('\n'),
    nextSendAt ? `Next send at ${when(nextSendAt)}: the window of account ${story.file.account} opens then.` : '',
    // A single reason is already stated above.
    story.held.length > 1 ? describeHoldReasons(story.held) : '',
    outcomeTable(story),
    batchTable(story),
    outputTable(story),
    auditTable(story, when),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function describeFile({ file, rowArchive }: FileStory, when: (at: Date) => string): string {
  const facts = `file ${file.file_id}, account ${file.account}, ${file.operation}, ${saidWord(file.shown)} since ${when(file.state_at)}`;
  const blocks = file.blockedBy.map(({ says }) => `Nothing is sent: ${says}.`).join('\n');
  const why = file.reason ? [`${file.reason}.`, remedyOf(file.reason_code)].join(' ') : '';
  const archived = rowArchive ? sayArchive(rowArchive) : '';
  return [file.name, facts, blocks, why, archived].filter((line) => line !== '').join('\n');
}

function outcomeTable({ outcomes, open }: FileStory): string {
  const names = (Object.keys(OUTCOMES) as Outcome[]).filter((name) => outcomes[name]);
  const rows = names.map((name) => {
    const { rows: count, cents } = outcomes[name]!;
    return [OUTCOMES[name].label, String(count), formatCents(cents), OUTCOMES[name].means];
  });
  if (open.rows > 0) rows.push(['none yet', String(open.rows), formatCents(open.cents), '']);
  return filledTable(['Outcome', 'Rows', 'Total', 'It means'], rows, [1, 2]);
}

function batchTable({ batches }: FileStory): string {
  const rows = batches.map((batch) => [
    String(batch.batch_no),
    saidWord(batch.shown),
    batch.batch_id ?? '',
    String(batch.attempt),
    String(batch.rows),
    formatCents(batch.cents),
    batch.reason ?? '',
  ]);
  return filledTable(['Batch', 'State', 'Batch Id', 'Attempt', 'Rows', 'Total', 'Why'], rows, [0, 3, 4, 5]);
}

function outputTable({ outputs }: FileStory): string {
  const rows = outputs.map((output) => [output.kind, output.name, String(output.rows)]);
  return filledTable(['Output', 'File', 'Rows'], rows, [2]);
}

function auditTable({ audit }: FileStory, when: (at: Date) => string): string {
  const rows = audit.map((link) => [
    when(link.at),
    link.actor,
    link.batch_no === null ? '' : String(link.batch_no),
    link.to_state ? `${link.move} -> ${link.to_state}` : link.move,
    link.reason,
  ]);
  return filledTable(['When', 'Who', 'Batch', 'Move', 'Why'], rows);
}

function filledTable(titles: readonly string[], rows: readonly string[][], right?: readonly number[]): string {
  return rows.length === 0 ? '' : textTable(titles, rows, right);
}
