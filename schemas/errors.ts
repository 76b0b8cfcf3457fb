/**
 * Every code that paydrop reports, once: its effect on the row or file, and what the reader should do next.
 *
 * `scope`   where it is found: in a row, in a payment file as a whole, in the drop folder, or in the installation
 * `effect`  what follows from it:
 *           `row`    the row is invalid and withheld; the rest of the file goes on
 *           `reject` the whole file is refused with a NAK
 *           `hold`   the whole file needs approval
 *           `warn`   the acknowledgement reports it; nothing else follows
 *           `quarantine` the drop is quarantined unopened
 *           `stop`   the command or the worker step fails and says why
 * `who`     who can fix it: the sender of the file, the operator, or the administrator of the installation
 */
type ErrorRow = {
  readonly scope: 'row' | 'file' | 'drop' | 'system';
  readonly effect: 'row' | 'reject' | 'hold' | 'warn' | 'quarantine' | 'stop';
  readonly who: 'sender' | 'operator' | 'administrator';
  readonly means: string;
  readonly remedy: string;
};

export const ERRORS = {
  // A field of one row is wrong: the row is withheld.
  FIELD_REQUIRED: row('a required field is empty', 'Fill in the field.'),
  FIELD_TOO_LONG: row('the text is longer than the service takes', 'Shorten the text to the limit of the column.'),
  FIELD_COMMA: row(
    'the field holds a comma, a quote or a line end, which the service cannot take',
    'Remove the character; the service splits rows on plain commas.',
  ),
  FIELD_CHARACTER: row(
    'the field holds a character that is not allowed here',
    'Use only the characters of the column.',
  ),
  AMOUNT_FORMAT: row(
    'the amount is not a plain decimal',
    'Write digits, a point and at most two decimals, such as 25.00.',
  ),
  AMOUNT_ZERO: row('the amount is zero', 'Remove the row or give an amount.'),
  AMOUNT_LIMIT: row('the amount is larger than the service can carry', 'Check the amount; split it if it is right.'),
  DATE_FORMAT: row(
    'the date is not a day of the calendar written MM/DD/YYYY',
    'Write month, day and year, such as 06/15/2026.',
  ),
  CARD_FORMAT: row('the card number is not 12 to 19 digits', 'Enter the digits only, no spaces or dashes.'),
  CARD_CHECK_DIGIT: row('the card number fails its check digit', 'Compare the number with the card; a digit is wrong.'),
  CARD_BRAND: row('the card number does not belong to the method of payment', 'Correct the MOP column or the number.'),
  MOP_UNKNOWN: row(
    'the method of payment is not one the service lists for this server',
    'Use VISA, MC, AMX or DSC in North America; VISA, MC, AMX or MAESTR in the UK.',
  ),
  MOP_RESTRICTED: row(
    'the method of payment is not accepted in the currency of this account',
    'Use an account of a currency that takes this card.',
  ),
  EXPIRY_FORMAT: row('the expiry is not a month and year', 'Write MM/YY or MMYY, such as 09/28.'),
  EXPIRY_PAST: row('the card has expired', 'Ask the payer for the new expiry date.'),
  ACCOUNT_FORMAT: row('the account number is not 4 to 26 digits', 'Enter the digits only, no spaces or dashes.'),
  ACCOUNT_ROUTING: row(
    'the routing number cannot be right',
    'Compare the first nine digits, and what stands behind them, with the cheque.',
  ),
  ACCOUNT_TYPE: row('the account type is not known', 'Use CHECKING or SAVING.'),
  CARD_NUMBER_IN_TEXT: row(
    'a column that is not meant for it holds a card or account number',
    'Remove the number; it may stand in its own column only.',
  ),

  // The shape of the file is wrong, so none of its rows can be trusted: the file is refused.
  COLUMN_COUNT: rejected('row', 'the row has the wrong number of columns', 'Give every row the columns of one layout.'),
  STRAY_QUOTE: rejected('row', 'a quote stands where none may stand', 'Remove the quote, or quote the whole field.'),
  LINE_BREAK: rejected('row', 'a field runs over the end of its line', 'Close the quote on the same line.'),
  CONTROL_CHARACTER: rejected(
    'row',
    'the line holds a control character',
    'Save the file as plain text and drop it again.',
  ),
  ENCODING: rejected(
    'row',
    'bytes of the line are not in the character set of the folder',
    'Save the file as UTF-8 and drop it again.',
  ),
  LINE_TOO_LONG: rejected(
    'row',
    'the line is longer than any payment row can be',
    'Check that the file is the payment file, one payment a line.',
  ),
  SECURITY_CODE: rejected(
    'file',
    'the file seems to hold card security codes, which must not be stored',
    'Export the file again without the security code; what was dropped is destroyed.',
  ),
  HEADER_MISSING: rejected(
    'file',
    'the folder asks for a header row and the first row is not one',
    'Export with the column titles in the first row.',
  ),
  HEADER_UNEXPECTED: rejected(
    'file',
    'the folder takes no header row and the first row is one',
    'Export without column titles.',
  ),
  EMPTY: rejected('file', 'the file has no bytes', 'Export the file again; this one was not written.'),
  NO_ROWS: rejected(
    'file',
    'the file has no row that could be sent',
    'Check the export. If it has rows, correct what the notice says of them and drop it again.',
  ),
  FILE_TOO_LARGE: rejected(
    'file',
    'the file is larger than the folder takes',
    'Split the file, or raise maxBytes of the folder.',
  ),
  LINES_DIFFER: rejected(
    'file',
    'the lines of the file are not the rows that were read',
    'Save the file again as plain CSV, one payment a line.',
  ),
  LAYOUT_COUNTRY: rejected(
    'file',
    'the columns are those of another country than the account',
    'Use the layout of the account: 12 columns in the US and UK, 7 in Canada.',
  ),
  LAYOUT_FOLDER: rejected(
    'file',
    'the columns are not those of the layout this folder takes',
    'Drop the file into the folder of its layout.',
  ),
  PGP_NO_KEY: rejected(
    'file',
    'the file is encrypted, and its account has no OpenPGP key',
    'Have "openpgp.key" of the account set and drop the file again, or drop it unencrypted.',
  ),
  PGP_PLAIN: rejected(
    'file',
    'the folder takes encrypted files only, and this one is not',
    'Encrypt it with the OpenPGP key of paydrop, sign it, and drop it as X.csv.pgp, X.csv.gpg or X.csv.asc.',
  ),
  PGP_WRONG_KEY: rejected(
    'file',
    'the file is encrypted for another key than that of the account',
    'Encrypt it with the present OpenPGP key of paydrop; "paydrop doctor" shows its fingerprint.',
  ),
  PGP_MESSAGE: rejected(
    'file',
    'the file is no whole encrypted OpenPGP message, or was changed on its way',
    'Encrypt the file again, upload it in binary mode and drop it again.',
  ),
  PGP_UNSIGNED: rejected('file', 'the message is not signed', 'Sign it when it is encrypted, and drop it again.'),
  PGP_SIGNER: rejected(
    'file',
    'the message is signed by nobody who is known as a sender of the account',
    'Sign it with the key that was agreed on, or have its public key added to "openpgp.senders" of the account.',
  ),
  PGP_SIGNER_EXPIRED: rejected(
    'file',
    'the key that signed the message is expired or revoked',
    'Send the prolonged or the new public key to the operator, and sign with it.',
  ),
  PGP_SIGNATURE: rejected(
    'file',
    'the signature of the message is not right',
    'Sign and encrypt the file again; if this comes again, ask the sender whether the file is theirs.',
  ),
  DUPLICATE_FILE: rejected(
    'file',
    'the same bytes were taken before on this account',
    'Look at what became of the first file; nothing of this one is sent. Rows that were certainly not charged go out again by "paydrop resubmit".',
  ),

  // An operator must decide before money moves.
  WRONG_SIGN: held(
    'row',
    'the sign of the amount contradicts the folder',
    'Check that the file lies in the right folder: refunds are negative, charges positive.',
  ),
  SPREADSHEET_DAMAGE: held(
    'row',
    'a spreadsheet has changed the value',
    'Format the column as text, enter the value again and export.',
  ),
  DUPLICATE_ROW: held(
    'row',
    'the same invoice, amount and payer stand twice in the file',
    'Check whether both rows are meant.',
  ),
  LIKE_ROW: held(
    'row',
    'a payment like it stands in the same file: the amount is the same, and invoice or payer are only written in another way',
    'Compare it with the row named; decline the file and drop it without one of the two, or approve it if both are meant.',
  ),
  CONTROL_TOTALS: held(
    'file',
    'the control file does not agree with the payment file',
    'Ask the sender which of the two is right.',
  ),
  CONTROL_FILE: held('file', 'the control file cannot be read', 'Write rows, total and sha256, one a line.'),
  TOO_MANY_BAD_ROWS: held(
    'file',
    'more rows are invalid than the folder allows',
    'Look for a common cause, fix it and drop the file again.',
  ),
  MODIFIED_AFTER_CLAIM: held(
    'file',
    'the file was changed after it was taken',
    'Ask the sender to finish writing before dropping.',
  ),
  SENT_BEFORE: held(
    'file',
    'rows of the file were sent before; the ledger had forgotten it and the send journal has not',
    'Look the rows up at the service. These batches are never sent: approve the file for the others, or decline it.',
  ),
  POISON_FILE: held(
    'file',
    'each of 3 tries to read the file ended the program or the thread that read it',
    'It was not read and cannot be approved: decline it, report it with the log, and drop it again once that is fixed.',
  ),
  NO_FINAL_NEWLINE: held(
    'file',
    'the last line has no line end, as if the file had been cut',
    'Check that the file is complete.',
  ),
  SAME_ROWS: held(
    'file',
    'the same rows were taken before on this account, written in another way',
    'Compare it with the file named; decline it unless every payment is meant to be made once more.',
  ),
  CHARGED_BEFORE: held(
    'row',
    'the same invoice, amount and payer stand in an earlier file and may have been charged',
    'Look the row named up; decline the file and drop it without the row, or approve it if it is meant.',
  ),
  LIKE_CHARGED: held(
    'row',
    'a payment like it stands in an earlier file and may have been charged: the amount is the same, and invoice or payer are only written in another way',
    'Compare it with the row named; decline the file and drop it without the row, or approve it if it is meant.',
  ),
  COLUMNS_SWAPPED: held(
    'file',
    'another column seems to stand where the invoices or the customer codes belong',
    'Compare the columns with the layout; decline the file and drop it in the right order, or with a header.',
  ),
  SAME_TOTALS: held(
    'file',
    'a file of as many rows and the same total was taken today',
    'Check that this is not the same list of payments.',
  ),
  LIMIT_ROW_AMOUNT: held('row', 'the amount is above the limit for one row', 'Check the amount with the sender.'),
  LIMIT_FILE_ROWS: held('file', 'the file has more rows than the limit', 'Check with the sender that all are meant.'),
  LIMIT_FILE_TOTAL: held('file', 'the total is above the limit for one file', 'Check the total with the sender.'),
  LIMIT_DAY_TOTAL: held(
    'file',
    'with this file the day would be above the limit of the account',
    'Approve it for today, or decline it and have it dropped on another day.',
  ),
  UNUSUAL_ROWS: held('file', 'the file has far more rows than usual', 'Check with the sender that all are meant.'),
  UNUSUAL_TOTAL: held('file', 'the total is far above the usual', 'Check the total with the sender.'),
  APPROVAL_DUE: held('file', 'refunds of this account are sent only when approved', 'Look it over and approve it.'),

  // Reported; nothing else follows.
  TEXT_REPLACED: warned(
    'row',
    'commas or quotes in free text were replaced by a space',
    'Nothing, unless the text matters.',
  ),
  DATE_FAR: warned('row', 'the date is more than a year away', 'Check the date; it is sent as it stands.'),
  STATE_UNKNOWN: warned(
    'row',
    'the state is none of the United States and no province of Canada',
    'Check the address, of which the bank may compare parts; it is sent as it stands.',
  ),
  ZIP_SHORT: warned(
    'row',
    'the zip code has fewer digits than those of the United States',
    'Check whether a zero in front was lost; it is sent as it stands.',
  ),
  LAST_LINE_OPEN: warned('file', 'the last line has no line end', 'Check that the file is complete.'),
  MIXED_LINE_ENDS: warned('file', 'the file mixes several kinds of line end', 'Nothing; they were read alike.'),
  NAME_SEEN_BEFORE: warned(
    'file',
    'a file of this name with other content was taken before',
    'Check that this is a new file.',
  ),

  // The drop cannot be taken as a plain file: it is quarantined unopened.
  DROP_SYMLINK: quarantined('the drop is a symbolic link', 'Drop the file itself.'),
  DROP_DIRECTORY: quarantined('the drop is a folder', 'Drop files, not folders.'),
  DROP_SPECIAL: quarantined('the drop is a pipe, a device or a socket', 'Drop plain files only.'),
  DROP_HARD_LINK: quarantined(
    'the drop has a second name elsewhere and could be changed behind our back',
    'Copy the file instead of linking it.',
  ),
  DROP_POISON: quarantined(
    'each of 3 tries to take the drop in ended the program',
    'Report it with the log, and drop it again once that is fixed.',
  ),
  DROP_UNREADABLE: quarantined(
    'the file may not be read',
    'Give the paydrop user the right to read it and drop it again.',
  ),

  // The installation.
  USAGE: stopped('the command was not understood', 'See --help.', 'operator'),
  CONFIG_MISSING: stopped('there is no configuration here', 'Run "paydrop init" or give --dir.'),
  CONFIG_INVALID: stopped('the configuration has faults', 'Fix what is named here and start again.'),
  RESTRICTED: stopped(
    'the service does not offer this on this server, currency or method of payment',
    'Use an account that has it.',
  ),
  FOLDER_MISSING: stopped('a folder does not exist', 'Create it or run "paydrop init".'),
  FOLDER_NOT_WRITABLE: stopped('a folder cannot be written', 'Give the paydrop user the right to write it.'),
  FOLDER_OTHER_DISK: stopped(
    'a drop folder lies on another file system than its work folder',
    'Set "work" of the folder to a place on the same file system.',
  ),
  MASTER_KEY_MISSING: stopped(
    'the master key is missing',
    'Put its copy back, or set PAYDROP_MASTER_KEY. Only if nothing was ever sealed with it: run "paydrop init".',
  ),
  MASTER_KEY_WRONG: stopped(
    'the master key is not the one the data was sealed with',
    'Put the right key beside the others, where the keys come from; nothing was changed.',
  ),
  KEY_IN_USE: stopped(
    'the master key still wraps something, or is the current one',
    'Run "paydrop key rotate" first; "paydrop key list" shows what is wrapped with it.',
  ),
  PGP_KEY: stopped(
    'an OpenPGP key of an account cannot be used',
    'Fix "openpgp" of the account and start again; files that wait for it then go on.',
  ),
  SEAL_BROKEN: stopped('sealed data was changed or cut', 'Restore it from a backup; it is not used as it is.'),
  ORIGINAL_GONE: stopped(
    'the original was destroyed on purpose',
    'Its outcomes stand in the ledger and in its outputs; nothing brings the original bytes back.',
    'operator',
  ),
  LEDGER_UNREACHABLE: stopped(
    'the ledger database does not answer',
    'Check that PostgreSQL runs and DATABASE_URL is right.',
  ),
  LEDGER_START_FAILED: stopped(
    'the embedded PostgreSQL did not start',
    'Read its log in the data folder, or set DATABASE_URL.',
  ),
  MOVE_REFUSED: stopped(
    'the ledger refused a move that its state does not allow',
    'See "paydrop show" for the present state.',
    'operator',
  ),
  QUEUE_UNREACHABLE: stopped(
    'the queue does not answer',
    'Check Redis or PostgreSQL; nothing is lost, the ledger rebuilds the queue.',
  ),
  OUTPUT_EXISTS: stopped(
    'an output file of that name exists with other content',
    'Move it away; what the ledger knows is never overwritten.',
  ),
  OUTPUT_MISMATCH: stopped(
    'an output file read back differs from the ledger',
    'Check the disk; the file is written again.',
  ),
  CLOCK_UNSURE: stopped(
    'it is not certain that its time is over',
    'See "paydrop doctor", lines Clock and Service; nothing is destroyed until the clocks agree.',
  ),
  DISK_FULL: stopped('the disk is full', 'Make room; work goes on by itself.'),
  BODY_MISMATCH: stopped(
    'the bytes of a batch, read again, are not its rows',
    'Nothing was sent. Report this with the file id.',
  ),
  GATEWAY_SETUP: stopped(
    'the payment service cannot be called with these settings',
    'Fix server, agent code or base URL of the account.',
  ),
  SECOND_PERSON: stopped(
    'the person who proposes may not be the one who confirms',
    'Ask another person to run "paydrop confirm".',
    'operator',
  ),
  PROPOSAL_OPEN: stopped(
    'a proposal for it waits already',
    'See "paydrop proposals"; have it confirmed or refused first.',
    'operator',
  ),
  PROPOSAL_ENDED: stopped('the proposal does not wait any more', 'See "paydrop proposals".', 'operator'),
  PROPOSAL_VOID: stopped(
    'what the proposal was made for has changed since',
    'Nothing was done; look at it again and propose anew.',
    'operator',
  ),
  RESOLUTION_REFUSED: stopped(
    'the batch in doubt cannot be resolved this way',
    'Nothing was changed; "paydrop unknown list" says what can be done.',
    'operator',
  ),
  JOURNAL_AHEAD: stopped(
    'the send journal knows a call that the ledger does not',
    'The ledger is older than the journal; see "paydrop account list".',
    'operator',
  ),
  REMOTE_UNREACHABLE: stopped(
    'the SFTP server cannot be reached',
    'It is tried again by itself; check name, port and network of the remote.',
  ),
  REMOTE_KEY: stopped(
    'the SFTP server shows another key than the one that is pinned',
    'Ask its administrator for the fingerprint; set hostKey of the remote only when it is confirmed.',
  ),
  REMOTE_LOGIN: stopped('the SFTP server does not let us in', 'Check user, password or key of the remote.'),
  REMOTE_FAILED: stopped(
    'the SFTP server did not do what was asked',
    'It is tried again by itself; check the folder and its permissions there.',
  ),
  OTHER_SITE: stopped(
    'the file was claimed at another site, where its original and its outputs are',
    'Run the command there, or with PAYDROP_SITE set when the disk is shared.',
    'operator',
  ),
  BACKUP_BROKEN: stopped('the backup was changed or cut off', 'Nothing was changed. Take another backup.'),
  BACKUP_NEWER: stopped(
    'the backup was made by a newer version of paydrop',
    'Nothing was changed. Install that version and restore it there.',
  ),
  LEDGER_NEWER: stopped(
    'a newer version of paydrop works with the ledger',
    'Nothing was changed. Install that version here as well.',
  ),
  LEDGER_NOT_OPEN: stopped(
    'the ledger may have gone back, and not every host that sends has reported yet',
    'See "paydrop sender list" for the host or send journal that is waited for.',
  ),
  LEDGER_IN_USE: stopped(
    'a process of paydrop works with the ledger',
    'Stop every paydrop of this ledger, on all hosts, and try again.',
  ),
  LEDGER_NOT_EMPTY: stopped(
    'the ledger holds files already',
    'Nothing was changed. With --replace it is put aside under another name and kept.',
  ),
  NOT_FOUND: stopped('nothing of that name is known', 'See "paydrop status" for what there is.', 'operator'),
  TIMED_OUT: stopped('it was not done in the time given', 'Raise --timeout; work goes on at the next run.', 'operator'),
  INTERNAL: stopped('something unforeseen went wrong', 'Report this with the log lines around it.'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

type CodeOf<Scope> = { [Code in ErrorCode]: (typeof ERRORS)[Code]['scope'] extends Scope ? Code : never }[ErrorCode];

/** Codes that a row or a payment file can have; the acknowledgement lists them. */
export type FaultCode = CodeOf<'row' | 'file'>;

/** Codes that only the ledger can find, because they involve other files or need its keys. */
export const LEDGER_CODES = [
  'DUPLICATE_FILE',
  'SENT_BEFORE',
  'SAME_ROWS',
  'LIKE_ROW',
  'CHARGED_BEFORE',
  'LIKE_CHARGED',
  'COLUMNS_SWAPPED',
  'SAME_TOTALS',
  'LIMIT_DAY_TOTAL',
  'UNUSUAL_ROWS',
  'UNUSUAL_TOTAL',
  'NAME_SEEN_BEFORE',
] as const satisfies readonly FaultCode[];

/** Returns a code as text: its meaning and the code itself. Old ledgers name some that the table no longer has. */
export function saidCode(code: string): string {
  return Object.hasOwn(ERRORS, code) ? `${ERRORS[code as ErrorCode].means} (${code})` : code;
}

/** Codes of drops that are quarantined unopened. */
export type QuarantineCode = CodeOf<'drop'>;

/** Exit status of the command line. */
export const EXIT = { ok: 0, usage: 1, invalid: 2, held: 3, unknownOpen: 4, exception: 5 } as const;

function row(means: string, remedy: string) {
  return { scope: 'row', effect: 'row', who: 'sender', means, remedy } as const;
}

function rejected<Scope extends 'row' | 'file'>(scope: Scope, means: string, remedy: string) {
  return { scope, effect: 'reject', who: 'sender', means, remedy } as const;
}

function held<Scope extends 'row' | 'file'>(scope: Scope, means: string, remedy: string) {
  return { scope, effect: 'hold', who: 'operator', means, remedy } as const;
}

function warned<Scope extends 'row' | 'file'>(scope: Scope, means: string, remedy: string) {
  return { scope, effect: 'warn', who: 'sender', means, remedy } as const;
}

function quarantined(means: string, remedy: string) {
  return { scope: 'drop', effect: 'quarantine', who: 'sender', means, remedy } as const;
}

function stopped<Who extends 'operator' | 'administrator' = 'administrator'>(means: string, remedy: string, who?: Who) {
  return { scope: 'system', effect: 'stop', who: who ?? 'administrator', means, remedy } as const;
}
