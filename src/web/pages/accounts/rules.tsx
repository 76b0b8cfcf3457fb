import type { Account, Folder } from '../../../config/config.ts';
import { counted } from '../../../kernel/counted.ts';
import { type Limits, limitsOf } from '../../../config/limits.ts';
import { Facts, Section, Table } from '../../parts/blocks.tsx';
import { Count, Money } from '../../parts/words.tsx';
import { WEEKDAYS, type WindowConfig } from '../../../../schemas/config.ts';

/** Shows the configuration of an account and its folders. */
export function Rules({ account, folders }: { account: Account; folders: readonly Folder[] }) {
  const { currency } = account;
  const limits = limitsOf(account);
  return (
    <>
      <Section title="Rules">
        <Facts
          facts={[
            ['Service', `${account.server} server, ${account.country}, ${currency}`],
            ['Sends', describeWindow(account.window, account.timeZone)],
            ['Largest row', moneyOf(limits.rowCents, currency)],
            ['Most rows of a file', limits.fileRows === undefined ? 'no limit' : <Count of={limits.fileRows} />],
            ['Largest file', moneyOf(limits.fileCents, currency)],
            ['Most on one day', moneyOf(limits.dayCents, currency)],
            ['Two persons for', takesTwo(account)],
            ['Originals are kept', account.retention.days === 0 ? 'for ever' : counted(account.retention.days, 'day')],
          ]}
        />
      </Section>
      <Section title="Folders">
        <Table
          label="Folders of the account"
          rows={folders}
          empty="No folder of the configuration belongs to this account, so nothing of it can be dropped."
          columns={[
            { title: 'Folder', cell: ({ id }) => id },
            { title: 'Takes', cell: ({ operation }) => operation },
            { title: 'When', cell: ({ schedule }) => (schedule ? `by schedule ${schedule}` : 'as soon as complete') },
            { title: 'Expected', cell: ({ expect }) => (expect ? `by ${expect.by}, ${expect.days.join(' ')}` : '') },
            { title: 'Tighter limits', cell: (folder) => <OwnLimits limits={ownLimits(folder)} currency={currency} /> },
          ]}
        />
      </Section>
    </>
  );
}

function moneyOf(cents: number | undefined, currency: string) {
  return cents === undefined ? 'no limit' : <Money cents={cents} currency={currency} />;
}

function takesTwo({ secondPerson: { refunds, overrides, resolutions } }: Account): string {
  const rules = [
    refunds ? 'every refund file' : '',
    overrides ? 'letting a held file go' : '',
    resolutions ? 'saying what became of a batch in doubt' : '',
  ].filter((rule) => rule !== '');
  return rules.length === 0 ? 'nothing' : rules.join(', ');
}

function ownLimits(folder: Folder): Limits {
  return limitsOf({ limits: {} }, folder);
}

function OwnLimits({ limits: { rowCents, fileRows, fileCents }, currency }: { limits: Limits; currency: string }) {
  return (
    <>
      {rowCents !== undefined && (
        <div>
          row <Money cents={rowCents} currency={currency} />
        </div>
      )}
      {fileRows !== undefined && (
        <div>
          <Count of={fileRows} noun="row" />
        </div>
      )}
      {fileCents !== undefined && (
        <div>
          file <Money cents={fileCents} currency={currency} />
        </div>
      )}
    </>
  );
}

/** Describes when an account may send: `09:00 to 17:00, mon tue wed thu fri, in America/Toronto, not on 2026-12-25`. */
export function describeWindow(window: WindowConfig | undefined, timeZone: string): string {
  if (!window) return 'at any time';
  const { from, to, days, holidays } = window;
  const hours = from === to ? 'the whole day' : `${from} to ${to}`;
  const onDays = days.length === WEEKDAYS.length ? 'every day' : days.join(' ');
  const notOn = holidays.length === 0 ? '' : `, not on ${holidays.join(', ')}`;
  return `${hours}, ${onDays}, in ${timeZone}${notOn}`;
}
