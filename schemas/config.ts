import { isIP } from 'node:net';
import { z } from 'zod';
import { type AlarmKind, LISTED_ALARM_KINDS } from './alarms.ts';
import {
  Amount,
  CALENDAR,
  Interval,
  KeySource,
  LONGEST_TIMER_MS,
  Name,
  Patience,
  Secret,
  Wait,
  WallTime,
} from './config-parts.ts';
import { FEATURE_NAMES, withRows } from './features.ts';
import { LIMITED_FIELDS } from './fields.ts';
import { CURRENCIES } from './restrictions.ts';
import { COUNTRIES, LAYOUTS, type LayoutName, RESULT_TITLES } from './layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from './operations.ts';
import { HOME_SITE } from './jobs.ts';
import { ProfileName } from './profiles.ts';

/**
 * The configuration file `paydrop.yaml` and the environment. Each setting appears once, with its default and meaning.
 * The reference in docs/ and the file that `paydrop init` writes are made from it.
 */

/** Returns whether a text is an IPv4 or IPv6 address, with or without a prefix length, or a name that Fastify knows. */
function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  // A prefix length of 0 would make every address a proxy.
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Ending of the empty file by which a sender says that the file beside it is whole. */
export const USUAL_MARKER = '.done';

const FILE_LIMITS = {
  rowAmount: Amount.optional().describe('Largest amount of one row'),
  fileRows: z.int().positive().optional().describe('Most valid rows of one file'),
  fileTotal: Amount.optional().describe('Largest total of the valid rows of one file'),
};

const OpenPgpConfig = z
  .strictObject({
    key: KeySource.describe(
      'Our private key, armored: file:PATH, env:NAME, or command:PROGRAM ARG… that prints it; several while senders change to a new one',
    ),
    passphrase: KeySource.optional().describe('Passphrase of the private key, from the same kinds of place'),
    senders: z
      .array(z.string().regex(/^(file|env):\S/, 'write file:PATH or env:NAME'))
      .default([])
      .describe('Public keys of the senders, armored: file:PATH or env:NAME'),
    signature: z
      .enum(['required', 'optional'])
      .optional()
      .describe(
        'required: refuse a message without a valid signature of a sender; left out, required when there are senders',
      ),
  })
  .refine(
    ({ signature, senders }) => signature !== 'required' || senders.length > 0,
    'signature is required, but no senders are configured to check signatures against',
  );

/** Default address of the dashboard. */
export const USUAL_DASHBOARD = '127.0.0.1:8420';

/** The dashboard shows money and can move it, so it is never open to a network without encryption. */
export const DashboardConfig = z.strictObject({
  listen: z
    .string()
    .default(USUAL_DASHBOARD)
    .describe('host:port, or off. Anything but this host alone needs tls or trustedProxies'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Address that users type, such as https://pay.example.com, also for links in mails; left out, the address that it listens on, and no link',
    ),
  tls: z
    .strictObject({
      cert: z
        .string()
        .regex(/^file:\S/, 'write file:PATH')
        .describe('Certificate with its chain, PEM: file:PATH'),
      key: KeySource.describe('Its private key, PEM: file:PATH, env:NAME or command:PROGRAM ARG…'),
    })
    .optional()
    .describe('Answers over HTTPS with this certificate'),
  openid: z
    .strictObject({
      issuer: z.url().describe('Address of the provider, as in its discovery document'),
      clientId: z.string().min(1).describe('Name of paydrop there'),
      clientSecret: Secret.optional().describe(
        'Secret of paydrop there: env:NAME or file:PATH; left out, a public client',
      ),
      label: z.string().min(1).default('your organisation').describe('Name of the provider on the log-in button'),
    })
    .optional()
    .describe(
      'Also allows log-in by OpenID Connect. Register the address of the dashboard followed by /login/openid/callback',
    ),
  trustedProxies: z
    .array(z.string().refine(isNetwork, 'write an address or a network, such as 10.0.0.5 or 10.0.0.0/8'))
    .default([])
    .describe('Addresses or networks of the proxies in front of it that serve HTTPS, such as 10.0.0.5'),
  idleMinutes: z
    .int()
    .min(1)
    .max(720)
    .default(15)
    .describe('A user is logged out after this time without a click, in minutes'),
  longestHours: z
    .int()
    .min(1)
    .max(168)
    .default(12)
    .describe('A user must log in again after this time in any case, in hours'),
  secondFactor: z
    .enum(['off', 'optional', 'required'])
    .default('optional')
    .describe(
      'Code of an app after the password: off, for users who set it up, or for all; not asked after a log-in by OpenID Connect',
    ),
  proofMinutes: z
    .int()
    .min(1)
    .max(720)
    .default(10)
    .describe(
      'An action that moves money or cannot be undone asks for the password again this long after the last time, in minutes',
    ),
});

const OutputsConfig = z.strictObject({
  bom: z
    .enum(['auto', 'always', 'never'])
    .default('auto')
    .describe('Byte order mark before CSV files, by which Excel reads letters beyond ASCII; auto: if there are any'),
  delimiter: z
    .enum(['comma', 'semicolon', 'tab'])
    .default('comma')
    .describe('What stands between the cells of results and corrections'),
  decimal: z.enum(['point', 'comma']).default('point').describe('Decimal sign of the column Amount Charged'),
  columns: z
    .array(z.enum(RESULT_TITLES))
    .default([...RESULT_TITLES])
    .describe('Columns of results and corrections after those of the input; Outcome is always among them'),
  workbook: z.boolean().default(false).describe('Also writes each result as an Excel workbook, X.result.xlsx'),
});

/** Form of the outputs of a file: the settings of its account when the file was taken. */
export type OutputForm = z.infer<typeof OutputsConfig>;

/** Covers the 13 months in which card schemes and banks usually allow disputes. */
export const RETENTION_DAYS = 400;

export const AccountConfig = z.strictObject(
  withRows(
    {
      server: z.enum(['NA', 'UK']).describe('Server of the service'),
      country: z.enum(COUNTRIES).describe('Country of the merchant; decides the card layout'),
      currency: z.enum(CURRENCIES).describe('Currency of the account; decides the methods of payment'),
      timeZone: z
        .string()
        .default('UTC')
        .describe('Time zone in which users of this account read times, such as America/Toronto'),
      agentCode: Secret.describe('Agent code: env:NAME, file:PATH or the text itself'),
      password: Secret.describe('Password: env:NAME, file:PATH or the text itself'),
      openpgp: OpenPgpConfig.optional().describe(
        'Opens drops that are OpenPGP messages: X.csv.pgp, X.csv.gpg, X.csv.asc',
      ),
      baseUrl: z
        .url()
        .optional()
        .describe('Address of the service; left out, the one of the server. Plain http on loopback only'),
      leaseMs: Patience.default(30_000).describe(
        'Longest time from the declaration of a call to its first byte, in ms; one that takes longer is withdrawn',
      ),
      connectTimeoutMs: Patience.default(10_000).describe('Longest wait for a connection, in ms'),
      answerTimeoutMs: Patience.default(180_000).describe('Longest wait for the whole answer, in ms'),
      poll: z
        .strictObject({
          firstMs: z
            .union([z.literal('auto'), Wait])
            .default('auto')
            .describe(
              'Wait before the first request for a result, in ms. `auto`: 1 s, and once the account has ten results half of their median time, from 1 s to 60 s',
            ),
          factor: z.number().min(1).default(1.5).describe('Each further wait is longer by this factor'),
          longestMs: Wait.default(300_000).describe('Longest wait between two requests, in ms'),
          staleMs: Wait.default(86_400_000).describe(
            'A result is overdue after this time, in ms; it is then requested hourly, after 7 days daily',
          ),
        })
        .prefault({})
        .describe('When the result of a batch is requested'),
      recheck: z
        .strictObject({
          afterMs: z
            .array(Wait)
            .default([3_600_000, 86_400_000, 259_200_000, 604_800_000])
            .describe('Waits after its arrival, in ms; [] for never'),
        })
        .prefault({})
        .describe('When a result is requested again, because outcomes may change late'),
      resolveWaitMs: Wait.default(86_400_000).describe(
        'Shortest wait before a batch in doubt can be marked as not received, in ms',
      ),
      secondPerson: z
        .strictObject({
          refunds: z.boolean().default(false).describe('Every refund file needs approval by two persons'),
          overrides: z.boolean().default(false).describe('Held files need approval by two persons'),
          resolutions: z.boolean().default(false).describe('The outcome of a batch in doubt needs two persons'),
          profiles: z
            .boolean()
            .optional()
            .describe(
              'The author of an import profile cannot also confirm it; left out, only for folders of ach-refund',
            ),
        })
        .prefault({})
        .describe('What one person proposes and another must confirm'),
      retention: z
        .strictObject({
          days: z
            .int()
            .min(0)
            .max(36_500)
            .default(RETENTION_DAYS)
            .describe(
              'Days after the end of a file until its key, and with it the original, is destroyed; 0 for never',
            ),
        })
        .prefault({})
        .describe('How long originals are kept; masked results stay'),
      window: z
        .strictObject({
          from: WallTime.default('00:00').describe('Opens at'),
          to: WallTime.default('00:00').describe('Closes at; on the next day when not later than from'),
          ...CALENDAR,
        })
        .optional()
        .describe(
          'When this account may send, in its time zone; left out, always. A window belongs to the day on which it opens',
        ),
      limits: z
        .strictObject({
          ...FILE_LIMITS,
          dayTotal: Amount.optional().describe(
            'Largest total of the files accepted on one day in the zone of the account',
          ),
        })
        .prefault({})
        .describe('A file above a limit is held; amounts in units of the currency, refunds count like charges'),
      serviceLimits: z
        .strictObject({
          lengths: z
            .partialRecord(z.enum(LIMITED_FIELDS), z.int().min(1).max(1_000))
            .default({})
            .describe('Most characters or digits of a field, such as {comment: 250}; left out, as in fields.md'),
          amountDigits: z
            .int()
            .min(1)
            .max(12)
            .optional()
            .describe('Most digits of an amount before its decimal point, in calls; left out, 10'),
        })
        .prefault({})
        .describe('Limits that the specification of the service leaves open; the defaults are our assumption'),
      outputs: OutputsConfig.prefault({}).describe(
        'Form of results, corrections and notices of files taken from now on',
      ),
    },
    'accountSettings',
  ),
);

export const AccountName = Name;

/** Names the host, or the hosts that share a disk, on which folders are. */
export const SiteName = Name;

export const FolderConfig = z.strictObject(
  withRows(
    {
      path: z.string().describe('Drop folder, relative to the configuration file'),
      site: SiteName.default(HOME_SITE).describe(
        'Site of the folder: only processes of this site (PAYDROP_SITE) take its files and write its outputs',
      ),
      account: z.string().describe('Account that pays or is paid'),
      operation: z
        .enum(Object.keys(FOLDER_OPERATIONS) as [FolderOperation, ...FolderOperation[]])
        .describe('What the files of this folder are'),
      layout: z
        .enum(Object.keys(LAYOUTS) as [LayoutName, ...LayoutName[]])
        .optional()
        .describe('The only layout accepted; left out, the number of columns decides'),
      profile: ProfileName.optional().describe(
        'Import profile that reads the files of this folder; it also says header, charset and layout, which are then left out',
      ),
      work: z
        .string()
        .optional()
        .describe('Where claimed files are worked on, on the same file system; default data/work'),
      complete: z
        .discriminatedUnion('by', [
          z.strictObject({
            by: z.literal('quiet'),
            quietMs: Wait.default(10_000).describe(
              'Unchanged for, in ms; an empty X.csv.done, written after X.csv, ends the wait',
            ),
            probes: z.int().min(1).default(3).describe('Seen unchanged at least this often'),
            movedInMs: z
              .int()
              .min(1_000)
              .max(LONGEST_TIMER_MS)
              .optional()
              .describe(
                'Shorter wait, in ms, for a file that looks moved in: not empty, the same at two looks that far apart, and its status (owner, mode, name) changed at least 1 s after its content, as `mv` and `cp -p` leave it; left out, none. Risk: an uploader that changes owner, mode or name in the middle, or a stalled upload with preserved time stamps, looks the same. Bytes that arrive after the claim are noticed and hold the file, but half a file could be read; a marker or control file is the safe way. Not for files on an SFTP server',
              ),
          }),
          z.strictObject({
            by: z.literal('marker'),
            suffix: z
              .string()
              .default(USUAL_MARKER)
              .describe('X.csv is taken when X.csv plus this suffix exists and is not older than X.csv'),
          }),
          z.strictObject({
            by: z
              .literal('control')
              .describe('X.csv is taken when its control file X.csv.ctl exists and is not older than X.csv'),
          }),
        ])
        .prefault({ by: 'quiet' })
        .describe('When a drop counts as complete'),
      encryption: z
        .enum(['required', 'optional'])
        .default('optional')
        .describe('required: refuse a drop that is not an OpenPGP message'),
      header: z
        .enum(['none', 'required', 'auto'])
        .default('auto')
        .describe('Whether the first row holds column titles'),
      charset: z
        .enum(['utf-8', 'windows-1252', 'iso-8859-1'])
        .default('utf-8')
        .describe('Character set of files without a byte order mark'),
      finalNewline: z
        .enum(['warn', 'hold'])
        .default('warn')
        .describe('What happens when the last line has no line end'),
      textCommas: z
        .enum(['replace', 'reject'])
        .default('replace')
        .describe('Commas and quotes in free text: replaced by a space, or the row is invalid'),
      badRows: z
        .strictObject({
          policy: z
            .enum(['withhold', 'reject-file'])
            .default('withhold')
            .describe('Withhold invalid rows and send the rest, or refuse the file'),
          maxPercent: z
            .number()
            .min(0)
            .max(100)
            .default(10)
            .describe('Above this share of invalid rows the file is held'),
        })
        .prefault({})
        .describe('What happens with invalid rows'),
      duplicateRows: z
        .enum(['hold', 'reject', 'warn'])
        .default('hold')
        .describe(
          'Same invoice, amount and payer twice in one file; if they differ only in spelling, `reject` also holds the file',
        ),
      sameTotals: z
        .enum(['hold', 'warn', 'off'])
        .default('warn')
        .describe('Same number of rows and same total as another file of the account and operation on the same day'),
      chargedBefore: z
        .enum(['hold', 'warn', 'off'])
        .default('hold')
        .describe(
          'Same invoice, amount and payer as a row of an earlier file that may have been charged, also in another spelling',
        ),
      duplicateDays: z.int().min(1).max(3_660).default(35).describe('How many days back chargedBefore looks'),
      schedule: z
        .string()
        .optional()
        .describe('Files are taken only when this schedule runs; left out, as soon as they are complete'),
      expect: z
        .strictObject({ by: WallTime.describe('Latest time, in the time zone of the account'), ...CALENDAR })
        .optional()
        .describe('Days on which this folder must receive at least one file; otherwise it is reported, once'),
      limits: z
        .strictObject(FILE_LIMITS)
        .prefault({})
        .describe('Same limits as those of the account, where this folder has tighter ones'),
      unusualFactor: z
        .number()
        .min(0)
        .default(3)
        .describe('A file with this many times the usual rows or total is held, from the fifth file on; 0 for never'),
      routingCheck: z
        .boolean()
        .optional()
        .describe(
          'Check the US routing number in the first nine digits of account numbers; left out, only for accounts in the US',
        ),
      maxBytes: z.int().positive().default(1_073_741_824).describe('Largest file taken, in bytes'),
      clearNumbers: z
        .boolean()
        .default(false)
        .describe('Write full numbers into the rejects and retry files, so that these can be dropped again unchanged'),
    },
    'folderSettings',
  ),
);

/** Within a week, a user who should not be there is noticed. */
export const NEWCOMER_DAYS = 7;

export const MailAddress = z.email();

const AlarmKinds = z
  .array(z.enum(LISTED_ALARM_KINDS as [AlarmKind, ...AlarmKind[]]))
  .min(1)
  .optional()
  .describe('Kinds of alarm to send; left out, all but file_done and rows_withheld');

export const AlarmConfig = z
  .discriminatedUnion('by', [
    z.strictObject({
      by: z.literal('mail'),
      smtpUrl: Secret.describe(
        'smtp://user:password@host:587, or smtps:// for TLS from the start: env:NAME or file:PATH',
      ),
      from: MailAddress.describe('Sender of the mails'),
      to: z.array(MailAddress).min(1).describe('Recipients'),
      kinds: AlarmKinds,
      digest: WallTime.optional().describe(
        'When a mail tells each day of the day before and of what needs attention, in the zone of the accounts, or UTC if they differ; left out, none does',
      ),
    }),
    z.strictObject({
      by: z.literal('webhook'),
      url: Secret.describe('Address to which JSON is posted: env:NAME, file:PATH or the text itself'),
      secret: Secret.describe('Key of the signature in the header paydrop-signature: env:NAME or file:PATH'),
      kinds: AlarmKinds,
    }),
  ])
  .describe('By mail, or by a POST of JSON');
const TIMES = {
  at: WallTime.describe('When, in the time zone of the schedule'),
  timeZone: z.string().default('UTC').describe('Zone of its times and days, such as America/Toronto'),
  ...CALENDAR,
  windowMinutes: z
    .int()
    .min(1)
    .max(1_440)
    .default(240)
    .describe('How long a missed run is still made up after its time; later it is reported'),
};

export const ScheduleConfig = z
  .discriminatedUnion('does', [
    z.strictObject({ does: z.literal('take'), ...TIMES }),
    z.strictObject({
      does: z.literal('day-close'),
      account: z.string().describe('Account whose day is closed'),
      ...TIMES,
    }),
  ])
  .describe('take: takes the files in the folders that name the schedule; day-close: writes the report of the day');

/**
 * Calls in progress of a process when the setting is left out: one for each account, within these limits. A call mostly
 * waits for the service, and meanwhile costs no connection to the database.
 */
export const USUAL_CALLS = { least: 8, most: 100 };

const CALLS_LEFT_OUT = `left out, as many as there are accounts, at least ${USUAL_CALLS.least} and at most ${USUAL_CALLS.most}`;

export const Config = z.strictObject(
  withRows(
    {
      accounts: z.record(Name, AccountConfig).describe('Merchant accounts by name'),
      folders: z.array(FolderConfig).min(1).max(1_000).describe('Drop folders'),
      schedules: z.record(Name, ScheduleConfig).default({}).describe('What happens exactly once on each of its days'),
      batch: z
        .strictObject({
          maxRows: z
            .union([z.literal('auto'), z.int().min(1).max(10_000)])
            .default('auto')
            .describe(
              'Most rows in one call, and so most rows in doubt at once; fewer where a result could confuse two of them. auto: 500, and from the 50000th row of a file on a hundredth of the rows before, at most 5000. The specification names no limit; 10000 is our assumption',
            ),
        })
        .prefault({}),
      masterKey: KeySource.optional().describe(
        'Source of the master key: file:PATH, env:NAME, or command:PROGRAM ARG… that prints it; left out, PAYDROP_MASTER_KEY or data/master.key',
      ),
      paths: z
        .strictObject({
          out: z.string().default('out').describe('Output files'),
          quarantine: z.string().default('quarantine').describe('Drops that are not plain files'),
          data: z.string().default('data').describe('Ledger, archive, work, journal and master key'),
        })
        .prefault({})
        .describe('Folders, relative to the configuration file'),
      newcomerDays: z
        .int()
        .min(0)
        .max(3_660)
        .default(NEWCOMER_DAYS)
        .describe(
          "Days during which a user and the administrator who added them or changed their role or link cannot confirm each other's proposals; 0 for never",
        ),
      reprocess: z
        .strictObject({
          secondPersonAbove: z
            .strictObject({
              payments: z.int().min(0).default(200).describe('More payments than this'),
              money: Amount.default(10_000).describe('More money than this, in units of any one currency'),
            })
            .prefault({})
            .describe('What one person proposes to reprocess at once, and another must confirm'),
        })
        .prefault({})
        .describe('Sending payments of many files again'),
      rescanMs: Interval.default(30_000).describe('Every folder is listed at least this often, in ms'),
      sweepMs: Interval.default(15_000).describe('The queue is rebuilt from the ledger this often, in ms'),
      watch: z
        .enum(['events', 'poll'])
        .default('events')
        .describe('events: react to changes at once; poll: list only (network drives)'),
      journal: z
        .strictObject({
          mirror: z
            .string()
            .min(1)
            .optional()
            .describe(
              'Folder on another disk or machine for a second copy of the send journal, in a file named after the host. Nothing is sent before its line is there too. A restored machine learns from it what it has sent since',
            ),
        })
        .prefault({}),
      senders: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe(
          'Names of all sending hosts (PAYDROP_HOST), the same on each; needed with more than one. A ledger that may be an older copy sends nothing before all of them have reported',
        ),
      concurrency: z
        .strictObject({
          intake: z.int().min(1).default(1),
          submit: z.int().min(1).optional().describe(`Calls that send; ${CALLS_LEFT_OUT}`),
          poll: z.int().min(1).optional().describe(`Calls that ask for results; ${CALLS_LEFT_OUT}`),
          deliver: z.int().min(1).default(2),
        })
        .prefault({})
        .describe('Jobs at once per process'),
      monitor: z
        .strictObject({
          listen: z
            .string()
            .describe('Address for GET /health/live, /health/ready and /metrics: 127.0.0.1:9464 for this host alone'),
        })
        .optional()
        .describe('Health and metrics over HTTP for a monitoring program; left out, nothing listens'),
      dashboard: DashboardConfig.optional().describe(
        `The dashboard in the browser; left out, it listens on ${USUAL_DASHBOARD} for this host alone`,
      ),
      alarms: z.array(AlarmConfig).default([]).describe('Who is told when something needs attention'),
      features: z
        .partialRecord(z.enum(FEATURE_NAMES), z.boolean())
        .default({})
        .describe('Features by name; false leaves one out: its settings, commands, pages and work'),
    },
    'settings',
  ),
);

export type AccountConfig = z.infer<typeof AccountConfig>;
export type DashboardConfig = z.infer<typeof DashboardConfig>;
export type OpenPgpConfig = z.infer<typeof OpenPgpConfig>;
export type AlarmConfig = z.infer<typeof AlarmConfig>;
export type FolderConfig = z.infer<typeof FolderConfig>;
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;
/** Days on which something happens. */
export type CalendarConfig = Pick<ScheduleConfig, 'days' | 'holidays'>;
export type WindowConfig = NonNullable<AccountConfig['window']>;
export type Config = z.infer<typeof Config>;

/** Environment variables. Secrets named by `env:` in the configuration come in addition. */
export const ENVIRONMENT = {
  DATABASE_URL: 'PostgreSQL for the ledger; left out, an embedded one in the data folder',
  REDIS_URL: 'Redis for the queue; left out, the queue lives beside the ledger',
  PAYDROP_DIR: 'Folder of paydrop.yaml; default the current folder',
  PAYDROP_SITE: 'Site of this process, one that the folders name; default main',
  PAYDROP_HOST: 'Name of this host among "senders" of the configuration; default its system name',
  PAYDROP_ROLES: 'What "paydrop start" does here, separated by commas; default everything',
  PAYDROP_MASTER_KEY:
    'Master key, base64 of 32 bytes; several separated by commas, the current one first; default the file data/master.key',
  PAYDROP_MONITOR: 'Address for health and metrics, host:port; left out, monitor.listen of the configuration',
  PAYDROP_DASHBOARD: 'Address of the dashboard, host:port, or off; left out, dashboard.listen of the configuration',
  PAYDROP_OTLP_URL: 'Where traces are sent by OTLP over HTTP, such as http://127.0.0.1:4318; left out, there are none',
  PAYDROP_OTLP_SHARE: 'Share of the files that are traced, from 0 to 1, such as 0.1; default 1',
  PAYDROP_LOG_LEVEL: 'debug, info, warn, error or silent; default info',
} as const;
