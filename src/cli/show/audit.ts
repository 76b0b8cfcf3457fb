import { EXIT } from '../../../schemas/errors.ts';
import { counted } from '../../kernel/counted.ts';
import { findSigner } from '../../crypto/key-ring.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startOfDay } from '../../calendar/zone-time.ts';
import { type AuditLink, listAudit } from '../../ledger/overview/list-audit.ts';
import { findFile } from '../../ledger/file/search.ts';
import { describeChain, describeRoots, type TrailReport, verifyAudit } from '../../ledger/overview/verify-audit.ts';
import { type Call, type CliCommand, JSON_OPTION, keysOf, print, readLedger } from '../command.ts';
import { textTable } from '../print/table.ts';
import { wholeNumber } from '../option-values.ts';

const verify: CliCommand = {
  name: 'verify',
  about: 'Check that no link of the audit trail was changed, removed or forged',
  options: [JSON_OPTION],
  notes: [
    `Each account has a chain of links, and the installation has one. Once a night, a root signed with the master key
names the ends of all chains. A chain cannot lose what a root names. Keep the hash of the last root elsewhere: an
attacker with full database access could remove the roots too, but not write a trail with this hash. Exit status 5
when a chain is broken or a root forged.`,
  ],
  examples: ['audit verify', 'audit verify --json'],
  run: (call) =>
    readLedger(call, async (ledger, settings) => {
      const { brokenAt, lastRoot, ...report } = await verifyAudit(ledger, signersOf(settings));
      const whole = brokenAt === undefined;
      print(call, { whole, brokenAt: brokenAt ?? null, ...report, lastRoot: lastRoot ?? null }, () =>
        describe({ brokenAt, lastRoot, ...report }).join('\n'),
      );
      return whole ? EXIT.ok : EXIT.exception;
    }),
};

/** Returns undefined without keys: the chains can be checked nevertheless. */
function signersOf(settings: Settings): ReturnType<typeof findSigner> | undefined {
  try {
    return findSigner(keysOf(settings));
  } catch {
    return undefined;
  }
}

function describe(report: TrailReport): string[] {
  const { brokenAt, breaks, links, chains, hash } = report;
  if (brokenAt === undefined)
    return [
      `The audit trail is complete: ${counted(links, 'link')} in ${counted(chains.length, 'chain')}, the hash of their ends is ${hash}.`,
      ...describeRoots(report),
    ];
  return [
    `The audit trail is broken at link ${brokenAt}. Compare with a backup.`,
    ...breaks.map(({ chain, says }) => `  ${describeChain(chain)}: ${says}`),
    ...describeRoots(report),
  ];
}

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
    await readLedger(call, async (ledger) => {
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
