import { resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { admit } from '../../ledger/admission/admit.ts';
import { declareLost, retireSender, vouchForFirst } from '../../ledger/admission/by-person.ts';
import { type AdmissionView, readAdmission, sayWaits } from '../../ledger/admission/read-admission.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readAccountStates } from '../../ledger/account/read-holds.ts';
import { openSendJournal, type SendJournal } from '../../ledger/admission/send-journal.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { operatorName, readReason, REASON_OPTION } from '../option-values.ts';
import { textTable } from '../print/table.ts';

const list: CliCommand = {
  name: 'list',
  about: 'Show whether sending is open, the sending hosts, and which is missing',
  options: [JSON_OPTION],
  examples: ['sender list', 'sender list --json'],
  run: (call) =>
    withLedger(call, async (ledger) => {
      const view = await readAdmission(ledger);
      print(call, view, () => describe(view));
      return view.isOpen ? EXIT.ok : EXIT.exception;
    }),
};

const lost: CliCommand = {
  name: 'lost',
  about: 'Open the ledger without a lost send journal; stops every account until you have compared it',
  takes: [['<sender>', 'name of the host, or the id of its send journal']],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  notes: [
    `Look for a copy of the journal first, and report it with "sender report". Without it only the service knows what
that host sent after the ledger's current state, so every account stops. Compare each account with a report of the
service that begins before that time, and resume it with "account resume".`,
  ],
  examples: ['sender lost host-b --reason "its disk burned"'],
  async run(call) {
    const reason = readReason(call, 'declare the send journal lost');
    const [words = ''] = call.arguments;
    return withLedger(call, async (ledger, settings) => {
      const accounts = (await readAccountStates(ledger, [...settings.accounts.keys()])).map((state) => state.account);
      const stopped = await declareLost(ledger, words, accounts, { actor: operatorName(), reason });
      print(call, { lost: words, stopped }, () =>
        [
          `${words} is no longer needed. The sending hosts continue as soon as they have reported.`,
          `Stopped: ${counted(stopped.length, 'account')} (${stopped.join(', ')}). Compare each with a report of the service, then: paydrop account resume NAME --reason …`,
        ].join('\n'),
      );
      return EXIT.exception;
    });
  },
};

const first: CliCommand = {
  name: 'first',
  about: 'Confirm that nothing was ever sent from this ledger, so that a host can start',
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  notes: ['Needed when files were taken before any host sent, and the database has restarted since.'],
  examples: ['sender first --reason "the sending host is set up today"'],
  async run(call) {
    const reason = readReason(call, 'begin to send');
    await withLedger(call, async (ledger) => {
      await vouchForFirst(ledger, { actor: operatorName(), reason });
      print(call, { first: true }, () => 'Recorded. Start paydrop on the sending host.');
    });
    return EXIT.ok;
  },
};

const FROM = ['--from <file>', 'its send journal, or a copy: data/journal/sends.jsonl of that host'] as const;

const report: CliCommand = {
  name: 'report',
  about: 'Report to the ledger for a host that cannot, from a copy of its send journal',
  required: [FROM],
  options: [JSON_OPTION],
  notes: [
    `The copy must date from when that host stopped. The command adds to the file: put it in place of that host's journal before
the host starts again.`,
  ],
  examples: ['sender report --from /mnt/host-b/data/journal/sends.jsonl'],
  run: (call) =>
    withJournals(call, async ({ ledger, settings, from }) => {
      const { notes } = await from.readSelf(settings.host, ledger.clock);
      const name = notes.findLast((note) => note.kind === 'fence' || note.kind === 'begin')!.name;
      const admission = await admit(ledger, from, { name, senders: settings.senders });
      const waits = 'waits' in admission ? sayWaits(admission.waits) : [];
      const stopped = admission.recalled.map(({ account, reason }) => ({ account, reason }));
      print(call, { name, stopped, waits }, () =>
        [
          `Reported for ${name}.`,
          ...stopped.map(
            ({ account, reason }) => `Account ${account} was stopped: ${reason}. See "paydrop account list".`,
          ),
          ...(waits.length > 0 ? waits : ['The ledger is open.']),
        ].join('\n'),
      );
      return stopped.length > 0 || waits.length > 0 ? EXIT.exception : EXIT.ok;
    }),
};

const retire: CliCommand = {
  name: 'retire',
  about: 'Retire a sending host; this host takes over its send journal',
  required: [FROM, REASON_OPTION],
  options: [JSON_OPTION],
  notes: ['Stop paydrop on that host first. Then remove its name from "senders" on each host, and restart them.'],
  examples: ['sender retire --from /mnt/host-b/data/journal/sends.jsonl --reason "one host is enough"'],
  async run(call) {
    const reason = readReason(call, 'retire the host');
    return withJournals(call, async ({ ledger, settings, from }) => {
      const own = await openSendJournal(settings.paths.journal, { mirror: settings.paths.mirror });
      try {
        const admission = await admit(ledger, own, { name: settings.host, senders: settings.senders });
        if ('sender' in admission) ledger.admitted.sender = admission.sender;
        const retired = await retireSender(ledger, { own, from }, { actor: operatorName(), reason });
        print(
          call,
          retired,
          () =>
            `Retired ${retired.name}; ${counted(retired.calls, 'call')} of it are now in the send journal of this host.`,
        );
        return EXIT.ok;
      } finally {
        await own.close();
      }
    });
  },
};

export const sender: CliCommand = {
  name: 'sender',
  about: 'List sending hosts and their send journals: which have reported and which are missing',
  examples: ['sender list'],
  commands: [list, report, lost, retire, first],
};

async function withJournals(
  call: Call,
  work: (parts: { ledger: Ledger; settings: Settings; from: SendJournal }) => Promise<number>,
): Promise<number> {
  return withLedger(call, async (ledger, settings) => {
    const from = await openSendJournal(resolve(call.options['from'] as string), { isThere: true });
    try {
      return await work({ ledger, settings, from });
    } finally {
      await from.close();
    }
  });
}

function describe({ isOpen, isNew, since, waits, senders }: AdmissionView): string {
  const rows = senders.map(({ name, journal, state, calls, lastCallAt }) => [
    name,
    journal.slice(0, 8),
    state,
    String(calls),
    lastCallAt?.toISOString() ?? '',
  ]);
  return [
    isOpen
      ? `The ledger is open since ${since.toISOString()}.`
      : [
          isNew ? 'Nothing is sent yet: the ledger is new.' : 'NOTHING IS SENT: the ledger may be an older copy.',
          ...waits,
        ].join('\n'),
    ...(rows.length > 0 ? ['', textTable(['Host', 'Journal', 'State', 'Calls', 'Last call'], rows, [3])] : []),
  ].join('\n');
}
