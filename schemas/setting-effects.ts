import type { Config } from './config.ts';
import { FEATURE_NAMES, type FeatureName, withRows } from './features.ts';

/**
 * What a change of each setting does to work under way. The reference shows the table, `src/config/plan-reload.ts` takes
 * from it what a running process takes up, and `test/workers/setting-effects.soak.test.ts` tries what it says.
 */

/** How far work has come when a setting is changed. */
export const WORK_STAGES = {
  drops: { title: 'Drops', means: 'files in a drop folder that were not taken yet' },
  claimed: { title: 'Claimed', means: 'files that were taken and not checked yet' },
  held: { title: 'Held', means: 'files that wait for an approval' },
  unsent: { title: 'Unsent', means: 'batches of accepted files that were not sent yet' },
  sent: { title: 'Sent', means: 'batches that the service took, without a result yet' },
  doubtful: { title: 'In doubt', means: 'batches whose outcome is unknown' },
  delivered: { title: 'Delivered', means: 'files whose results were written' },
} as const;

export type WorkStage = keyof typeof WORK_STAGES;

/** `by`: whether running processes take up a change themselves. Stages that are left out stay as they are. */
export type SettingEffect = {
  readonly by: 'itself' | 'restart';
  /** What else there is to know. */
  readonly note?: string;
} & Readonly<Partial<Record<WorkStage, string>>>;

/** Path of a setting: `*` stands for a name, `[]` for an entry of a list. */
export type SettingPath = PathsOf<Config, ''>;

/** A new or removed account or folder, and another name of one. */
type EntryPath = 'accounts.*' | 'folders[]';

type PathsOf<Value, Path extends string> = Value extends undefined
  ? never
  : Value extends string | number | boolean
    ? Path
    : Value extends readonly (infer Item)[]
      ? Item extends object
        ? PathsOf<Item, `${Path}[]`>
        : Path
      : string extends keyof Value
        ? PathsOf<Value[keyof Value & string], `${Path}.*`>
        : { [Name in keyof Value & string]-?: PathOf<Value[Name], Name, Path> }[keyof Value & string];

/** The lengths of fields are one setting. */
type PathOf<Value, Name extends string, Path extends string> = Name extends 'lengths'
  ? `${Path}.${Name}`
  : PathsOf<Value, Path extends '' ? Name : `${Path}.${Name}`>;

const STAYS_BOUND =
  'stays bound to the merchant, country and currency that it was taken for, under a name such as main.1; it is stopped until a person moves or cancels it';

const HELD_UNREAD =
  'stays bound to the merchant, country and currency that it was taken for, and is held without being read: a person declines it, and its sender drops it again';

const ASKED_NO_MORE =
  'stays with its merchant, country and currency; nobody asks the service about it until an account means the same again';

/** Another merchant, country or currency under the same name. */
const MERCHANT: SettingEffect = {
  by: 'restart',
  drops: 'go to the new one',
  claimed: HELD_UNREAD,
  held: STAYS_BOUND,
  unsent: STAYS_BOUND,
  sent: ASKED_NO_MORE,
  doubtful: ASKED_NO_MORE,
  delivered: 'keeps its outcomes. What was sent still counts as sent for its merchant, not for another',
};

const MERCHANT_AT: SettingEffect = {
  ...MERCHANT,
  drops: 'are not taken until a user has answered whether the service moved or is another one; then they go there',
  claimed:
    'waits for that answer. If the service moved, it goes on; if it is another one, it is held without being read',
  held: 'waits for that answer. If the service moved, it goes on; if it is another one, it is stopped until a person moves or cancels it',
  unsent: 'as held files',
  sent: 'as held files: asked about at the new address once a user said that the service moved',
  doubtful: 'as sent batches',
  delivered: 'counts at the new address only if the service moved',
  note: 'Nobody is asked when one of the two says that it is a sandbox and the other does not: then it is another one.',
};

const CALLS: SettingEffect = {
  by: 'restart',
  unsent: 'is sent with the new value',
  sent: 'is asked about with the new value',
  doubtful: 'is asked about with the new value',
};

/** What is asked of the rows or of the file while it is checked. */
const CHECKED: SettingEffect = {
  by: 'itself',
  claimed: 'is checked by the new value',
  note: 'A file that was checked keeps its verdict.',
};

const ACCOUNT_CHECKED: SettingEffect = { ...CHECKED, by: 'restart' };

const DROPS: SettingEffect = { by: 'itself', drops: 'are taken by the new value' };

const FIXED_AT_CLAIM: SettingEffect = {
  by: 'restart',
  drops: 'are taken with the new value',
  note: 'It is kept with each file when the file is taken.',
};

const WINDOW: SettingEffect = {
  by: 'restart',
  unsent: 'is sent, or waits, by the new value; each call asks again',
  note: 'A call in progress goes on to its end. The window says nothing about results.',
};

const POLLED: SettingEffect = {
  by: 'restart',
  sent: 'is asked about at the time that was set before; from then on by the new value',
};

const NO_WORK: SettingEffect = { by: 'restart' };

const ALARMS: SettingEffect = {
  by: 'itself',
  note: 'Messages that wait for a target which left are dropped.',
};

const RUNS: SettingEffect = {
  by: 'restart',
  drops: 'are taken by the new value. A date that has its run gets no other',
};

const REPORTED: SettingEffect = { by: 'itself', note: 'It decides what is reported, not what is taken.' };

const USERS: SettingEffect = {
  by: 'restart',
  note: 'It concerns users who log in from now on, and those who are logged in.',
};

const SPEED: SettingEffect = { by: 'restart', note: 'It changes how soon and how much at once, nothing else.' };

const LEFT_OUT: SettingEffect = {
  by: 'restart',
  note: 'What a feature that is left out has written stays in the ledger, and is there when it comes back.',
};

export const SETTING_EFFECTS: Readonly<Record<SettingPath | EntryPath, SettingEffect>> = withRows(
  {
    'accounts.*': {
      by: 'restart',
      claimed:
        'of an account that left: is stopped, as are its held files and unsent batches, until it is there again or a person cancels them',
      sent: 'of an account that left: is not asked about until it is there again',
      doubtful: 'of an account that left: as sent batches',
      delivered: 'of an account that left: its originals are kept for the default time',
      note: 'Another name for the same merchant takes over files, stops and history. What was sent under the former name still counts.',
    },
    'accounts.*.server': MERCHANT,
    'accounts.*.country': MERCHANT,
    'accounts.*.currency': MERCHANT,
    'accounts.*.timeZone': {
      ...WINDOW,
      claimed: 'counts to the day of the new zone for the limit of a day',
      note: 'Outputs that were written keep their times.',
    },
    'accounts.*.agentCode': MERCHANT,
    'accounts.*.password': CALLS,
    'accounts.*.openpgp.key': {
      ...ACCOUNT_CHECKED,
      claimed:
        'is opened with the new key; refused if it is for a key that is gone, so keep the old one behind the new',
    },
    'accounts.*.openpgp.passphrase': ACCOUNT_CHECKED,
    'accounts.*.openpgp.senders': ACCOUNT_CHECKED,
    'accounts.*.openpgp.signature': ACCOUNT_CHECKED,
    'accounts.*.baseUrl': MERCHANT_AT,
    'accounts.*.leaseMs': CALLS,
    'accounts.*.connectTimeoutMs': CALLS,
    'accounts.*.answerTimeoutMs': CALLS,
    'accounts.*.poll.firstMs': POLLED,
    'accounts.*.poll.factor': POLLED,
    'accounts.*.poll.longestMs': POLLED,
    'accounts.*.poll.staleMs': { ...POLLED, note: 'Whether a result is overdue is judged by the new value at once.' },
    'accounts.*.recheck.afterMs': {
      by: 'restart',
      delivered:
        'its next request is made at the time that was set before; from then on by the new value. Without one, it gets none',
    },
    'accounts.*.resolveWaitMs': {
      by: 'restart',
      doubtful: 'can be marked as not received after the new time, counted from its call',
    },
    'accounts.*.secondPerson.refunds': {
      by: 'restart',
      claimed: 'a refund file is held for two persons, or no longer',
      held: 'its approval takes two persons, or one, by the new value',
      note: 'A file that was accepted is sent.',
    },
    'accounts.*.secondPerson.overrides': {
      by: 'restart',
      held: 'its approval takes two persons, or one, by the new value',
    },
    'accounts.*.secondPerson.resolutions': {
      by: 'restart',
      doubtful: 'its resolution takes two persons, or one, by the new value',
    },
    'accounts.*.secondPerson.profiles': { by: 'restart', note: 'Drafts are confirmed by the new value.' },
    'accounts.*.retention.days': {
      by: 'restart',
      delivered: 'its original is destroyed when the new time is over: with fewer days perhaps at once, and for ever',
    },
    'accounts.*.window.from': WINDOW,
    'accounts.*.window.to': WINDOW,
    'accounts.*.window.days': WINDOW,
    'accounts.*.window.holidays': WINDOW,
    'accounts.*.limits.rowAmount': ACCOUNT_CHECKED,
    'accounts.*.limits.fileRows': ACCOUNT_CHECKED,
    'accounts.*.limits.fileTotal': ACCOUNT_CHECKED,
    'accounts.*.limits.dayTotal': ACCOUNT_CHECKED,
    'accounts.*.serviceLimits.lengths': ACCOUNT_CHECKED,
    'accounts.*.serviceLimits.amountDigits': { by: 'restart', note: 'It concerns single calls, not files.' },
    'accounts.*.outputs.bom': FIXED_AT_CLAIM,
    'accounts.*.outputs.delimiter': FIXED_AT_CLAIM,
    'accounts.*.outputs.decimal': FIXED_AT_CLAIM,
    'accounts.*.outputs.columns': FIXED_AT_CLAIM,
    'accounts.*.outputs.workbook': FIXED_AT_CLAIM,
    'folders[]': {
      by: 'itself',
      drops: 'in a new folder are taken; in one that left they stay where they are',
      claimed:
        'of a folder that left: goes on in the running process; after a restart it waits until the folder is there again',
      note: 'A folder of a new or changed account, schedule or server waits for a restart with it.',
    },
    'folders[].path': {
      by: 'itself',
      drops: 'in the new folder are taken; those in the former stay there',
      claimed: 'goes on in the running process; after a restart it waits until the former folder is there again',
    },
    'folders[].site': {
      by: 'itself',
      drops: 'are taken by the processes of the new site',
      claimed: 'belongs to the former site; after a restart it waits there until the folder is there again',
      note: 'The outputs of a file are written at the site that took it.',
    },
    'folders[].account': {
      by: 'restart',
      drops: 'go to the new account',
      note: 'A file belongs to the account for which it was taken.',
    },
    'folders[].operation': {
      by: 'restart',
      drops: 'are taken for the new operation',
      note: 'A file is charged or refunded as when it was taken.',
    },
    'folders[].layout': CHECKED,
    'folders[].profile': {
      by: 'itself',
      drops: 'are taken with the confirmed version of the new profile',
      note: 'A file is read by the version with which it was taken.',
    },
    'folders[].work': {
      by: 'restart',
      claimed:
        'is moved from the former work folder into the new one by the next start. What cannot be moved, such as to another disk, is listed by `paydrop status` with what to do',
    },
    'folders[].complete.by': DROPS,
    'folders[].complete.quietMs': DROPS,
    'folders[].complete.probes': DROPS,
    'folders[].complete.movedInMs': DROPS,
    'folders[].complete.suffix': DROPS,
    'folders[].encryption': CHECKED,
    'folders[].header': CHECKED,
    'folders[].charset': {
      by: 'itself',
      drops: 'are taken with the new value',
      note: 'It is kept with each file when the file is taken.',
    },
    'folders[].finalNewline': CHECKED,
    'folders[].textCommas': CHECKED,
    'folders[].badRows.policy': CHECKED,
    'folders[].badRows.maxPercent': CHECKED,
    'folders[].duplicateRows': CHECKED,
    'folders[].sameTotals': CHECKED,
    'folders[].chargedBefore': CHECKED,
    'folders[].duplicateDays': {
      ...CHECKED,
      delivered: 'rows that are older may be moved to an archive; only payments in the ledger are found again',
    },
    'folders[].schedule': { by: 'itself', drops: 'are taken by the runs of the new schedule; without one, at once' },
    'folders[].expect.by': REPORTED,
    'folders[].expect.days': REPORTED,
    'folders[].expect.holidays': REPORTED,
    'folders[].limits.rowAmount': CHECKED,
    'folders[].limits.fileRows': CHECKED,
    'folders[].limits.fileTotal': CHECKED,
    'folders[].unusualFactor': CHECKED,
    'folders[].routingCheck': CHECKED,
    'folders[].maxBytes': CHECKED,
    'folders[].clearNumbers': {
      by: 'itself',
      claimed: 'its outputs are written by the new value',
      held: 'its outputs are written by the new value',
      unsent: 'its outputs are written by the new value',
      sent: 'its outputs are written by the new value',
      doubtful: 'its outputs are written by the new value',
      note: 'An output that was written stays; one that is built again is built by the new value.',
    },
    'schedules.*.does': RUNS,
    'schedules.*.at': RUNS,
    'schedules.*.timeZone': RUNS,
    'schedules.*.days': RUNS,
    'schedules.*.holidays': RUNS,
    'schedules.*.windowMinutes': RUNS,
    'schedules.*.account': { by: 'restart', note: 'The next day that is closed is that of the new account.' },
    'batch.maxRows': FIXED_AT_CLAIM,
    masterKey: {
      by: 'restart',
      drops: 'are sealed with the current key',
      claimed: 'opens while its key is in the ring; otherwise it waits',
      held: 'as claimed files',
      unsent: 'as claimed files; its account stops',
      sent: 'as claimed files',
      delivered: 'cannot be opened once its key is gone',
      note: '"paydrop key rotate" wraps everything again, so that a former key can be taken out.',
    },
    'paths.out': {
      by: 'restart',
      delivered:
        'its outputs stay in the former folder, where downloads and uploads no longer find them. Move them along',
      note: 'All other outputs are written into the new folder.',
    },
    'paths.quarantine': { by: 'restart', note: 'What is in the former folder is no longer listed. Move it along.' },
    'paths.data': {
      by: 'restart',
      claimed:
        'is not found, nor is anything else, unless the folder is moved along: ledger, originals, journal and key are in it',
      note: 'A start with another folder and an empty ledger is refused; an empty ledger does not know what was sent. It is noticed by `.paydrop-data.json` beside `paydrop.yaml`: keep that file, and keep the folder writable. With a database of your own, the log of the start and `paydrop doctor` say that originals are missing, and nothing is sent until the send journal is there.',
    },
    newcomerDays: { by: 'restart', note: 'Proposals that wait are confirmed by the new value.' },
    'reprocess.secondPersonAbove.payments': { by: 'restart', note: 'Runs that were begun go on.' },
    'reprocess.secondPersonAbove.money': { by: 'restart', note: 'Runs that were begun go on.' },
    rescanMs: SPEED,
    sweepMs: SPEED,
    watch: SPEED,
    'journal.mirror': {
      by: 'restart',
      unsent: 'is sent once its line is in the new copy, too',
      note: 'The former copy stays where it is and learns nothing more.',
    },
    senders: {
      by: 'restart',
      unsent:
        'when the ledger is opened the next time, waits until every host runs with the same list and has reported',
    },
    'concurrency.intake': SPEED,
    'concurrency.submit': { ...SPEED, note: 'An account has one call at a time, whatever the value.' },
    'concurrency.poll': SPEED,
    'concurrency.deliver': SPEED,
    'monitor.listen': NO_WORK,
    'dashboard.listen': NO_WORK,
    'dashboard.url': NO_WORK,
    'dashboard.tls.cert': NO_WORK,
    'dashboard.tls.key': NO_WORK,
    'dashboard.openid.issuer': NO_WORK,
    'dashboard.openid.clientId': NO_WORK,
    'dashboard.openid.clientSecret': NO_WORK,
    'dashboard.openid.label': NO_WORK,
    'dashboard.trustedProxies': NO_WORK,
    'dashboard.idleMinutes': USERS,
    'dashboard.longestHours': USERS,
    'dashboard.secondFactor': USERS,
    'dashboard.proofMinutes': USERS,
    'alarms[].by': ALARMS,
    'alarms[].smtpUrl': ALARMS,
    'alarms[].from': ALARMS,
    'alarms[].to': ALARMS,
    'alarms[].kinds': ALARMS,
    'alarms[].digest': ALARMS,
    'alarms[].url': ALARMS,
    'alarms[].secret': ALARMS,
    ...(Object.fromEntries(FEATURE_NAMES.map((name) => [`features.${name}`, LEFT_OUT])) as Readonly<
      Record<`features.${FeatureName}`, SettingEffect>
    >),
  },
  'settingEffects',
);
