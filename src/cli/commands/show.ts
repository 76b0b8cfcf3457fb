import { EXIT } from '../../../schemas/errors.ts';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../kernel/zone-time.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../../ledger/queries/read-file.ts';
import { findFile, readAudit } from '../../ledger/queries/search.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { textTable } from '../table.ts';
import { mendOf } from './status.ts';

export const show: CliCommand = {
  name: 'show <file>',
  about: 'All about one payment file: id, the first letters of it, or its name',
  options: [JSON_OPTION],
  async run(call) {
    const [words = ''] = call.arguments;
    return withLedger(call, async (ledger, settings) => {
      const { wrapped_key: _key, ...file } = await findFile(ledger, words);
      const [batches, outcomes, outputs, audit] = await Promise.all([
        readBatches(ledger, file.file_id),
        readOutcomeTotals(ledger, file.file_no),
        readOutputs(ledger, file.file_id),
        readAudit(ledger, file.file_id),
      ]);
      const timeZone = settings.accounts.get(file.account)?.timeZone ?? 'UTC';
      const when = (at: Date) => formatInZone(at, timeZone);
      const totals = Object.entries(outcomes) as [Outcome, { rows: number; cents: number }][];
      print(
        call,
        { file, batches: batches.map(({ token: _token, ...batch }) => batch), outcomes, outputs, audit },
        () =>
          [
            `${file.name}\nfile ${file.file_id}, account ${file.account}, ${file.operation}, ${file.state} since ${when(file.state_at)}`,
            file.reason ? `${file.reason}\n${mendOf(file.reason_code)}` : '',
            textTable(
              ['Outcome', 'Rows', 'Total'],
              totals.map(([name, sum]) => [OUTCOMES[name].label, String(sum.rows), formatCents(sum.cents)]),
              [1, 2],
            ),
            textTable(
              ['Batch', 'State', 'Batch Id', 'Attempt', 'Rows', 'Total', 'Why'],
              batches.map((batch) => [
                String(batch.batch_no),
                batch.state,
                batch.batch_id ?? '',
                String(batch.attempt),
                String(batch.rows),
                formatCents(batch.cents),
                batch.reason ?? '',
              ]),
              [0, 3, 4, 5],
            ),
            textTable(
              ['Output', 'File', 'Rows'],
              outputs.map((output) => [output.kind, output.name, String(output.rows)]),
              [2],
            ),
            textTable(
              ['When', 'Who', 'Batch', 'Move', 'Why'],
              audit.map((link) => [
                when(link.at),
                link.actor,
                link.batch_no === null ? '' : String(link.batch_no),
                link.to_state ? `${link.move} -> ${link.to_state}` : link.move,
                link.reason,
              ]),
            ),
          ]
            .filter(Boolean)
            .join('\n\n'),
      );
      return EXIT.ok;
    });
  },
};
