import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startOfDay } from '../../calendar/zone-time.ts';
import { type AuditLink, listAudit, readAuditHead } from '../../ledger/overview/list-audit.ts';
import { findFile, verifyAudit } from '../../ledger/file/search.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { textTable } from '../print/table.ts';
import { wholeNumber } from '../option-values.ts';

const verify: CliCommand = {
  name: 'verify',
  about: 'Check that no link of the audit trail was changed, removed or forged',
  options: [JSON_OPTION],
  notes: [
    `Prints the last hash of the chain. Keep it elsewhere: an attacker with full database
access could write a new chain, but not one with this hash. Exit status 5 when the chain is broken.`,
  ],
  examples: ['audit verify', 'audit verify --json'],
  run: (call) =>
    withLedger(call, async (ledger) => {
      const brokenAt = await verifyAudit(ledger);
      const head = await readAuditHead(ledger);
      print(
        call,
        { whole: brokenAt === undefined, brokenAt: brokenAt ?? null, links: head.seq, hash: head.hash },
        () =>
          brokenAt === undefined
            ? `The audit trail is complete: ${head.seq} links, the last hash is ${head.hash}.`
            : `The audit trail is broken at link ${brokenAt}: that link was changed, or one before it is missing. Compare with a backup.`,
      );
      return brokenAt === undefined ? EXIT.ok : EXIT.exception;
    }),
};

const show: CliCommand = {
  name: 'show',
  about: 'Who did what, when and why',
  options: [
    ['--since <time>', 'a day, such as 2026-06-15, or a moment, such as 2026-06-15T09:30:00-04:00; days are in UTC'],
    ['--actor <who>', 'beginning of the actor, such as operator: or operator:ada'],
    ['--file <file>', 'its id, the first characters of the id, or its name'],
    ['--limit <number>', 'number of newest entries', '1000'],
    JSON_OPTION,
  ],
  examples: ['audit show --actor operator: --since 2026-06-15', 'audit show --file monday.csv --json'],
  async run(call) {
    const limit = wholeNumber('--limit', call.options['limit']);
    const since = readSince(call);
    const { actor, file: words } = call.options;
    await withLedger(call, async (ledger) => {
      const file = words === undefined ? undefined : await findFile(ledger, String(words));
      const links = await listAudit(ledger, {
        limit,
        ...(since && { since }),
        ...(actor !== undefined && { actor: String(actor) }),
        ...(file && { fileId: file.file_id }),
      });
      print(call, links, () => (links.length === 0 ? 'No link matches.' : linkTable(links)));
    });
    return EXIT.ok;
  },
};

export const audit: CliCommand = {
  name: 'audit',
  about: 'Show or verify the audit trail',
  commands: [verify, show],
  examples: ['audit verify', 'audit show --actor operator:'],
};

function readSince(call: Call): Date | undefined {
  const { since } = call.options;
  if (since === undefined) return undefined;
  const text = String(since);
  const at = startOfDay(text, 'UTC') ?? (/^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text) : new Date(Number.NaN));
  if (!Number.isNaN(at.getTime())) return at;
  const next = 'Write a day such as 2026-06-15, or a moment such as 2026-06-15T09:30:00-04:00.';
  throw new PipelineError('USAGE', `use --since "${text}"`, 'it is not a time', { next });
}

function linkTable(links: readonly AuditLink[]): string {
  const rows = links.map((link) => [
    String(link.seq),
    link.at.toISOString(),
    link.actor,
    link.file_id === null ? '' : `${link.file_id}${link.batch_no === null ? '' : `/${link.batch_no}`}`,
    link.to_state ? `${link.move} -> ${link.to_state}` : link.move,
    link.reason,
  ]);
  return textTable(['Link', 'When', 'Who', 'What', 'Move', 'Why'], rows, [0]);
}
