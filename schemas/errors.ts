import { withRows } from './features.ts';
import { type ErrorRow, held, misfit, quarantined, rejected, row, stopped, warned } from './table-rows.ts';

/** Every code that paydrop reports, once: its effect on the row or file, and what the reader should do next. */
export const ERRORS = withRows(
  {
    // A field of one row is wrong: the row is withheld.
    FIELD_REQUIRED: row('a required field is empty', 'Fill in the field.'),
    FIELD_TOO_LONG: row('the text is longer than the service accepts', 'Shorten the text to the limit of the column.'),
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
    AMOUNT_LIMIT: row(
      'the amount is larger than the service can process',
      'Check the amount; split it if it is right.',
    ),
    DATE_FORMAT: row(
      'the date is not a calendar day in the form MM/DD/YYYY',
      'Write month, day and year, such as 06/15/2026.',
    ),
    CARD_FORMAT: row('the card number is not 12 to 19 digits', 'Enter the digits only, no spaces or dashes.'),
    CARD_CHECK_DIGIT: row(
      'the card number fails its check digit',
      'Compare the number with the card; a digit is wrong.',
    ),
    CARD_BRAND: row(
      'the card number does not belong to the method of payment',
      'Correct the MOP column or the number.',
    ),
    MOP_UNKNOWN: row(
      'the service does not list this method of payment for this server',
      'Write the method of payment as the list of this account has it.',
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
      'Compare the routing number and the account number with the check.',
    ),
    ACCOUNT_TYPE: row('the account type is not known', 'Use CHECKING or SAVING.'),
    CARD_NUMBER_IN_TEXT: row(
      'a text column holds a card or account number',
      'Remove the number; only its own column may hold it.',
    ),

    // The shape of the file is wrong, so none of its rows can be trusted: the file is refused.
    TITLES_REPEATED: rejected(
      'row',
      'the row repeats the titles of the columns: two files seem to be joined',
      'Check that each payment is there once, and drop each file by itself.',
    ),
    COLUMN_COUNT: rejected(
      'row',
      'the row has the wrong number of columns',
      'Give every row the columns of one layout.',
    ),
    STRAY_QUOTE: rejected('row', 'a quote is where none is allowed', 'Remove the quote, or quote the whole field.'),
    LINE_BREAK: rejected(
      'row',
      'a quoted field continues past the end of its line',
      'Close the quote on the same line.',
    ),
    CONTROL_CHARACTER: rejected(
      'row',
      'the line holds a control character',
      'Save the file as plain text and drop it again.',
    ),
    ENCODING: rejected(
      'row',
      "the line has bytes that are not in the folder's character set",
      'Save the file as UTF-8 and drop it again.',
    ),
    LINE_TOO_LONG: rejected(
      'row',
      'the line is longer than any payment row can be',
      'Check that this is the payment file, with one payment per line.',
    ),
    SECURITY_CODE: rejected(
      'file',
      'the file seems to hold card security codes, which must not be stored',
      'Export the file again without the security code; paydrop has destroyed the dropped file.',
    ),
    HEADER_MISSING: rejected(
      'file',
      'the folder requires a header row and the first row is not one',
      'Export with the column titles in the first row.',
    ),
    HEADER_UNEXPECTED: rejected(
      'file',
      'the folder does not allow a header row and the first row is one',
      'Export without column titles.',
    ),
    NOT_CSV: rejected(
      'file',
      'the file is not CSV',
      'Save the table as CSV UTF-8 (comma delimited), or take the CSV out of its archive, and drop that. To drop Excel workbooks, set an import profile that reads them.',
    ),
    WRONG_SEPARATOR: rejected(
      'file',
      'the cells are not separated by commas',
      'Save the file as CSV (comma delimited), or set an import profile for the folder.',
    ),
    ONLY_NULS: rejected(
      'file',
      'the file begins with zero bytes (NUL): its space was reserved, and its content was not written yet',
      'Send it again under a name that ends in .part, and rename it when it is whole; or write a marker after it.',
    ),
    EMPTY: rejected('file', 'the file has no bytes', 'Export the file again; this one is empty.'),
    NO_ROWS: rejected(
      'file',
      'the file has no row that could be sent',
      'Check the export. If it has rows, correct the faults that the notice lists and drop it again.',
    ),
    FILE_TOO_LARGE: rejected(
      'file',
      'the file is larger than the folder allows',
      'Split the file, or raise maxBytes of the folder.',
    ),
    LINES_DIFFER: rejected(
      'file',
      'the lines of the file do not match the rows that were read',
      'Save the file again as plain CSV, with one payment per line.',
    ),
    LAYOUT_COUNTRY: rejected(
      'file',
      'the columns belong to another country than the account',
      'Use the columns of the country of the account.',
    ),
    LAYOUT_FOLDER: rejected(
      'file',
      'the columns do not match the layout of this folder',
      'Drop the file into the folder of its layout.',
    ),
    TITLES_DIFFER: rejected(
      'file',
      'the titles of the columns are not those of the profile',
      'Compare them; if the export was changed on purpose, make and confirm a new version of the profile.',
    ),
    TITLES_MISSING: rejected(
      'file',
      'the row with the titles of the profile is not where it should be, or stands there twice',
      'Export the report as before, with its title row.',
    ),
    ABOVE_DIFFERS: rejected(
      'file',
      'a text that the profile wants above the titles is missing',
      'Check that this is the right company and the right report.',
    ),
    CHARSET_DOUBT: rejected(
      'file',
      'the character set is not the one of the profile',
      'Save the file as before, or confirm a new version of the profile with the other character set.',
    ),
    SEPARATOR_LINE: rejected(
      'file',
      'the first line names a separator, and the profile does not allow it or has another',
      'Save the file as before, or allow the line in a new version of the profile.',
    ),
    WORKBOOK_REFUSED: rejected(
      'file',
      'the file cannot be read as the workbook of the profile',
      'Save the sheet as an Excel workbook (.xlsx) without password and macros, and drop it again.',
    ),
    ROW_MISPLACED: rejected(
      'row',
      'a row stands where the profile allows none',
      'Look at the line; export the report again if it is mixed up.',
    ),
    PGP_NO_KEY: rejected(
      'file',
      'the file is encrypted, and its account has no OpenPGP key',
      'Ask the operator to set "openpgp.key" of the account and drop the file again, or drop it unencrypted.',
    ),
    PGP_PLAIN: rejected(
      'file',
      'the folder accepts encrypted files only, and this file is not encrypted',
      'Encrypt it with the OpenPGP key of paydrop, sign it, and drop it as X.csv.pgp, X.csv.gpg or X.csv.asc.',
    ),
    PGP_WRONG_KEY: rejected(
      'file',
      'the file is encrypted for a key that the account does not have',
      'Encrypt it with the current OpenPGP key of paydrop; "paydrop doctor" shows its fingerprint.',
    ),
    PGP_MESSAGE: rejected(
      'file',
      'the file is not a complete encrypted OpenPGP message, or it was changed in transit',
      'Encrypt the file again, upload it in binary mode and drop it again.',
    ),
    PGP_UNSIGNED: rejected('file', 'the message is not signed', 'Sign and encrypt the file, and drop it again.'),
    PGP_SIGNER: rejected(
      'file',
      'the signer of the message is not a known sender of the account',
      'Sign it with the agreed key, or ask the operator to add its public key to "openpgp.senders" of the account.',
    ),
    PGP_SIGNER_EXPIRED: rejected(
      'file',
      'the key that signed the message is expired or revoked',
      'Send the extended or new public key to the operator, and sign with it.',
    ),
    PGP_SIGNATURE: rejected(
      'file',
      'the signature of the message is wrong',
      'Sign and encrypt the file again. If this happens again, ask the sender whether the file is theirs.',
    ),
    DUPLICATE_FILE: rejected(
      'file',
      'this account has already taken a file with the same bytes',
      'Check the outcome of the first file; nothing in this one is sent. Use "paydrop resubmit" for rows that were certainly not charged.',
    ),

    // An operator must decide before money moves.
    WRONG_SIGN: held(
      'row',
      'the sign of the amount contradicts the folder',
      'Check that the file is in the right folder: refunds are negative, charges positive.',
    ),
    SPREADSHEET_DAMAGE: held(
      'row',
      'a spreadsheet has changed the value',
      'Format the column as text, enter the value again and export.',
    ),
    DUPLICATE_ROW: held(
      'row',
      'the file has the same invoice, amount and payer twice',
      'Check whether both payments are intended.',
    ),
    LIKE_ROW: held(
      'row',
      'the file has a similar payment: same amount, and invoice or payer differ only in spelling',
      'Compare it with the row named. Approve the file if both payments are intended; else decline it and drop it without one of them.',
    ),
    CONTROL_TOTALS: held(
      'file',
      'the control file does not match the payment file',
      'Ask the sender which of them is right.',
    ),
    CONTROL_FILE: held(
      'file',
      'the control file cannot be read',
      'Write rows, total and sha256, each on its own line.',
    ),
    TOO_MANY_BAD_ROWS: held(
      'file',
      'more rows are invalid than the folder allows',
      'Look for a common cause, fix it and drop the file again.',
    ),
    MODIFIED_AFTER_CLAIM: held(
      'file',
      'the file was changed after it was taken',
      'Ask the sender to finish writing the file before dropping it.',
    ),
    OTHER_MERCHANT: held(
      'file',
      'the file was taken or made while its account meant another merchant, country or currency',
      'See "paydrop account list". Approve the file only if its payments belong to the account that it has now; else decline it. A file that was not read yet is declined and dropped again.',
    ),
    SENT_BEFORE: held(
      'file',
      'the send journal shows that rows of the file were sent before; the ledger had lost this',
      'Look up the rows at the service. Their batches are never sent again: approve the file to send the others, or decline it. Approval is refused if the file was cut into other batches than before.',
    ),
    ROWS_SENT_BEFORE: held(
      'file',
      'rows of the file may have been in calls that the ledger had lost',
      'Look up the rows flagged at the service. Approve the file only if each of them is to be paid again; else decline it and drop it without them.',
    ),
    ROWS_NOT_KNOWN: held(
      'file',
      'calls of this account were lost and nothing here shows their rows, so the file may hold some of them',
      'Compare the account with a report of the service: "paydrop account reconcile NAME --report FILE". Then look the rows up, and approve or decline the file.',
    ),
    POISON_FILE: held(
      'file',
      'each of 3 attempts to read the file crashed the program or its reading thread',
      'It was not read and cannot be approved. Decline it, report it with the log, and drop it again once the cause is fixed.',
    ),
    NO_FINAL_NEWLINE: held(
      'file',
      'the last line has no line end; the file may be cut off',
      'Check that the file is complete.',
    ),
    SAME_ROWS: held(
      'file',
      'this account has already taken the same rows in another form',
      'Compare it with the file named; decline it unless every payment is to be made again.',
    ),
    CHARGED_BEFORE: held(
      'row',
      'an earlier file has the same invoice, amount and payer, and that row may have been charged',
      'Look up the row named. Approve the file if the payment is intended; else decline it and drop it without the row.',
    ),
    LIKE_CHARGED: held(
      'row',
      'an earlier file has a similar payment that may have been charged: same amount, and invoice or payer differ only in spelling',
      'Compare it with the row named. Approve the file if the payment is intended; else decline it and drop it without the row.',
    ),
    COLUMNS_SWAPPED: held(
      'file',
      'the columns of invoices or customer codes seem to be swapped with others',
      'Compare the columns with the layout. Decline the file and drop it in the right order or with a header.',
    ),
    SAME_TOTALS: held(
      'file',
      'a file with the same number of rows and the same total was taken today',
      'Check that this is not the same list of payments.',
    ),
    LIMIT_ROW_AMOUNT: held('row', 'the amount is above the limit for one row', 'Check the amount with the sender.'),
    LIMIT_FILE_ROWS: held(
      'file',
      'the file has more rows than the limit',
      'Check with the sender that all are intended.',
    ),
    LIMIT_FILE_TOTAL: held('file', 'the total is above the limit for one file', 'Check the total with the sender.'),
    LIMIT_DAY_TOTAL: held(
      'file',
      "this file would exceed the account's limit for the day",
      'Approve it for today, or decline it and ask for it to be dropped on another day.',
    ),
    UNUSUAL_ROWS: held('file', 'the file has far more rows than usual', 'Check with the sender that all are intended.'),
    UNUSUAL_TOTAL: held('file', 'the total is far above the usual', 'Check the total with the sender.'),
    APPROVAL_DUE: held('file', 'refunds of this account need approval', 'Review and approve it.'),

    // A payment that the import profile cannot read: the mapping may be wrong, so the whole file waits.
    NUMBER_FORMAT: misfit('an amount is not written as the profile says'),
    SIGN_TWICE: misfit('an amount has two signs'),
    BOTH_AMOUNTS: misfit('both columns of the amount are filled, or none is'),
    WORD_UNLISTED: misfit('the profile does not list this word'),
    PART_COUNT: misfit('a cell does not have the parts that the profile says'),
    DIGIT_COUNT: misfit('a number does not have the digits that the profile says'),
    FORMAT_DIFFERS: misfit('a date or expiry is not written as the profile says'),
    CELL_EMPTY: misfit('a cell is empty that the profile wants filled'),
    SHAPE_DIFFERS: misfit('a cell does not look as the profile says'),
    HIDDEN_CHARACTER: misfit('a cell holds an invisible character, or letters of two alphabets'),
    CELL_WORD: misfit('a payment does not have a word that the profile requires, such as its currency'),
    SUM_DIFFERS: misfit('the columns of a payment do not add up'),
    DATE_OUTSIDE: held(
      'row',
      'a date is further away than the profile allows',
      'Check that day and month are not exchanged and that this is not an old export.',
    ),
    SKIPPED_PAYMENT: held(
      'row',
      'the profile leaves out a row that could be a payment',
      'Look at the line. Approve the file if it is no payment; else change the profile.',
    ),
    INVOICE_REPEATED: held(
      'row',
      'two payments have the same invoice number',
      'Check that the export lists invoices, not their items. Approve the file if both payments are intended.',
    ),
    TOTAL_MISSING: held(
      'file',
      'the total row of the profile is missing or stands there twice',
      'Check that the file is complete.',
    ),
    TOTAL_DIFFERS: held('file', 'the rows do not add up to the total row', 'Compare both with the accounting system.'),
    DATE_DOUBT: held(
      'file',
      'the dates fit better with day and month exchanged',
      'Compare one date with the accounting system. Approve the file if it is right; else decline it and change the profile.',
    ),
    EXPIRY_DOUBT: held(
      'file',
      'the expiry dates fit better with month and year exchanged',
      'Compare one card with the accounting system. Approve the file if it is right; else decline it and change the profile.',
    ),
    WORKBOOK_DOUBT: held(
      'row',
      'the workbook hides something, or has cells whose content is not certain',
      'Show all rows and columns and look at the cells named. Approve the file if it is right; else correct it and drop it again.',
    ),
    PROFILE_FIRST_FILE: held(
      'file',
      'this is one of the first files that the new version of the profile reads',
      'Compare rows and total with the accounting system, then approve it.',
    ),
    PROFILE_CHANGED: held(
      'file',
      'the profile was changed since the file was written, and both versions read it differently',
      'Compare both totals. Approve the file if the new version is right; else decline it, confirm the right one and drop it again.',
    ),
    PROFILE_RETIRED: held(
      'file',
      'the version of the profile was retired after the file was taken and before it was read',
      'Compare every row with the accounting system. Approve the file only if they agree; else decline it and drop it again when another version is confirmed.',
    ),

    // Reported; nothing else follows.
    TEXT_REPLACED: warned(
      'row',
      'commas or quotes in free text were replaced by a space',
      'No action is needed unless the text matters.',
    ),
    DATE_FAR: warned('row', 'the date is more than a year away', 'Check the date; it is sent as it stands.'),
    STATE_UNKNOWN: warned(
      'row',
      'the state is neither a US state nor a Canadian province',
      'Check the address, because the bank may compare it; it is sent as it stands.',
    ),
    ZIP_SHORT: warned(
      'row',
      'the zip code is shorter than a US zip code',
      'Check whether a leading zero was lost; it is sent as it stands.',
    ),
    LAST_LINE_OPEN: warned('file', 'the last line has no line end', 'Check that the file is complete.'),
    MIXED_LINE_ENDS: warned(
      'file',
      'the file mixes different line ends',
      'No action is needed; paydrop read all of them as line ends.',
    ),
    NAME_SEEN_BEFORE: warned(
      'file',
      'a file with this name and other content was taken before',
      'Check that this is a new file.',
    ),

    PROFILE_SKIPPED: warned(
      'file',
      'the profile left out rows',
      'Compare their number and sum with the accounting system.',
    ),

    // The drop cannot be taken as a plain file: it is quarantined unopened.
    DROP_SYMLINK: quarantined('the drop is a symbolic link', 'Drop the file itself.'),
    DROP_DIRECTORY: quarantined(
      'the drop is a subfolder, and files in subfolders are not taken',
      'Drop the files themselves, not their folder.',
    ),
    DROP_SPECIAL: quarantined('the drop is a pipe, a device or a socket', 'Drop plain files only.'),
    DROP_HARD_LINK: quarantined(
      'the drop has a second name (hard link), so another program could still change it',
      'Copy the file instead of linking it.',
    ),
    DROP_POISON: quarantined(
      'each of 3 attempts to read the drop crashed the program',
      'Report it with the log, and drop it again once the cause is fixed.',
    ),
    DROP_UNREADABLE: quarantined(
      'paydrop is not allowed to read the file',
      'Give the system user of paydrop permission to read it, and drop it again.',
    ),

    // The installation.
    USAGE: stopped('the command was not understood', 'Run it with --help.', 'operator'),
    CONFIG_MISSING: stopped('this folder has no configuration', 'Run "paydrop init" or give --dir.'),
    CONFIG_INVALID: stopped('the configuration has errors', 'Fix the settings named here and start again.'),
    RESTRICTED: stopped(
      'the service does not offer this on this server, currency or method of payment',
      'Use an account for which the service offers it.',
    ),
    FOLDER_MISSING: stopped('a folder does not exist', 'Create it or run "paydrop init".'),
    FOLDER_NOT_WRITABLE: stopped(
      'paydrop cannot write to a folder',
      'Give the system user of paydrop permission to write to it.',
    ),
    FOLDER_OTHER_DISK: stopped(
      'a drop folder and its work folder are on different file systems',
      'Set "work" of the folder to a place on the same file system.',
    ),
    DROP_LOCKED: stopped(
      'another program has the file open and locks it',
      'Close the file there; paydrop tries again with each scan.',
      'operator',
    ),
    MASTER_KEY_MISSING: stopped(
      'the master key is missing',
      'Restore its copy, or set PAYDROP_MASTER_KEY. Run "paydrop init" only if nothing was ever sealed with it.',
    ),
    MASTER_KEY_WRONG: stopped(
      'the data was sealed with another master key',
      'Add the right key to the others; nothing was changed.',
    ),
    KEY_IN_USE: stopped(
      'the master key still wraps something, or is the current one',
      'Run "paydrop key rotate" first; "paydrop key list" shows what it still wraps.',
    ),
    PGP_KEY: stopped(
      'an OpenPGP key of an account cannot be used',
      'Fix "openpgp" of the account and start again; waiting files then continue.',
    ),
    SEAL_BROKEN: stopped(
      'sealed data was changed or cut off',
      'Restore it from a backup; paydrop does not use it in this state.',
    ),
    ORIGINAL_GONE: stopped(
      'the original was destroyed on purpose',
      'Its outcomes are in the ledger and in its outputs; the original cannot be restored.',
      'operator',
    ),
    LEDGER_UNREACHABLE: stopped(
      'the ledger database does not answer',
      'Check that PostgreSQL is running and DATABASE_URL is right.',
    ),
    LEDGER_START_FAILED: stopped(
      'the embedded PostgreSQL did not start',
      'Read its log in the data folder, or set DATABASE_URL.',
    ),
    LEDGER_OTHER_POSTGRES: stopped(
      'another major version of PostgreSQL made the data of the embedded database',
      'Nothing was changed. Run "paydrop database upgrade".',
    ),
    MOVE_REFUSED: stopped(
      'the current state does not allow this',
      'See "paydrop show" for the current state.',
      'operator',
    ),
    QUEUE_UNREACHABLE: stopped(
      'the queue does not answer',
      'Check Redis or PostgreSQL; nothing is lost, the ledger rebuilds the queue.',
    ),
    OUTPUT_EXISTS: stopped(
      'an output file of that name exists with other content',
      'Move it away; paydrop does not overwrite files that it did not write.',
    ),
    OUTPUT_MISMATCH: stopped(
      'an output file read back differs from the ledger',
      'Check the disk; the file is written again.',
    ),
    CLOCK_UNSURE: stopped(
      'it is not certain that its retention time has ended',
      'See the lines Clock and Service of "paydrop doctor"; nothing is destroyed until the clocks agree.',
    ),
    DISK_FULL: stopped('the disk is full', 'Free some space; paydrop then continues automatically.'),
    BODY_MISMATCH: stopped(
      'the bytes of a batch do not match its rows',
      'Nothing was sent. Report this error with the file id.',
    ),
    GATEWAY_SETUP: stopped(
      'the payment service cannot be called with these settings',
      'Fix server, agent code or base URL of the account.',
    ),
    PROFILE_INVALID: stopped('the profile has errors', 'Fix the lines named here.', 'operator'),
    PROFILE_UNCONFIRMED: stopped(
      'the folder names a profile without a confirmed version, so its files wait',
      'Run "paydrop profile confirm", or take "profile" out of the folder.',
      'operator',
    ),
    SAMPLE_DIFFERS: stopped(
      'the sample does not have the rows and total that were given',
      'Nothing was confirmed. Compare both with the accounting system.',
      'operator',
    ),
    SAMPLE_UNFIT: stopped(
      'the profile cannot read the sample',
      'Nothing was confirmed. Change the profile or the export.',
      'operator',
    ),
    SECOND_PERSON: stopped(
      'the person who proposed this cannot also confirm it',
      'Ask another person to run "paydrop confirm".',
      'operator',
    ),
    PROPOSAL_OPEN: stopped(
      'a proposal for it is already waiting',
      'Ask another person to confirm or refuse it first; see "paydrop proposals".',
      'operator',
    ),
    PROPOSAL_ENDED: stopped('the proposal is no longer waiting', 'See "paydrop proposals".', 'operator'),
    PROPOSAL_VOID: stopped(
      'the subject of the proposal has changed since',
      'Nothing was done; check it again and make a new proposal.',
      'operator',
    ),
    RESOLUTION_REFUSED: stopped(
      'the batch in doubt cannot be resolved this way',
      'Nothing was changed; "paydrop unknown list" shows the options.',
      'operator',
    ),
    JOURNAL_AHEAD: stopped(
      'the send journal knows a call that the ledger does not',
      'The ledger is older than the journal; see "paydrop account list".',
      'operator',
    ),
    OTHER_SITE: stopped(
      'the file belongs to another site, which has its original and outputs',
      'Run the command there, or set PAYDROP_SITE if the disk is shared.',
      'operator',
    ),
    BACKUP_BROKEN: stopped('the backup was changed or cut off', 'Nothing was changed. Take another backup.'),
    BACKUP_NEWER: stopped(
      'the backup was made by a newer version of paydrop',
      'Nothing was changed. Install that version and restore it there.',
    ),
    LEDGER_NEWER: stopped(
      'a newer version of paydrop uses the ledger',
      'Nothing was changed. Install that version here as well.',
    ),
    MERCHANT_CHANGED: stopped(
      'the configuration now means another merchant, service, country or currency by it than the ledger',
      'See "paydrop account list"; a changed paydrop.yaml takes effect when paydrop is started with it.',
      'operator',
    ),
    LEDGER_NOT_OPEN: stopped(
      'the ledger may be an older copy, and not every sending host has reported yet',
      'See "paydrop sender list" for the missing host or send journal.',
    ),
    LEDGER_IN_USE: stopped(
      'a paydrop process is using the ledger',
      'Stop all paydrop processes of this ledger, on all hosts, and try again.',
    ),
    LEDGER_NOT_EMPTY: stopped(
      'the ledger already holds files',
      'Nothing was changed. Use --replace to keep it under another name and continue.',
    ),
    NOT_FOUND: stopped('nothing with that name exists', 'See "paydrop status" for existing names.', 'operator'),
    TIMED_OUT: stopped('it did not finish in time', 'Raise --timeout; the next run continues the work.', 'operator'),
    INTERNAL: stopped('an unexpected error occurred', 'Report it with the log lines around it.'),
  } as const satisfies Record<string, ErrorRow>,
  'errors',
);

export type ErrorCode = keyof typeof ERRORS;

type CodeOf<Scope> = { [Code in ErrorCode]: (typeof ERRORS)[Code]['scope'] extends Scope ? Code : never }[ErrorCode];

/** Codes that a row or a payment file can have; the acknowledgement lists them. */
export type FaultCode = CodeOf<'row' | 'file'>;

/** Codes that only the ledger can find, because they involve other files or need its keys. */
export const LEDGER_CODES = [
  'DUPLICATE_FILE',
  'SENT_BEFORE',
  'ROWS_SENT_BEFORE',
  'ROWS_NOT_KNOWN',
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
  'PROFILE_FIRST_FILE',
  'PROFILE_RETIRED',
] as const satisfies readonly FaultCode[];

/** Codes of a cell that the import profile cannot read. Its row is not sent. */
export const MISFIT_CODES = [
  'NUMBER_FORMAT',
  'SIGN_TWICE',
  'BOTH_AMOUNTS',
  'WORD_UNLISTED',
  'PART_COUNT',
  'DIGIT_COUNT',
  'FORMAT_DIFFERS',
  'CELL_EMPTY',
  'SHAPE_DIFFERS',
  'HIDDEN_CHARACTER',
  'CELL_WORD',
  'SUM_DIFFERS',
] as const satisfies readonly FaultCode[];

/** Codes that only a file read with an import profile can have. */
export const PROFILE_CODES = [
  ...MISFIT_CODES,
  'TITLES_DIFFER',
  'TITLES_MISSING',
  'ABOVE_DIFFERS',
  'CHARSET_DOUBT',
  'SEPARATOR_LINE',
  'WORKBOOK_REFUSED',
  'WORKBOOK_DOUBT',
  'ROW_MISPLACED',
  'DATE_OUTSIDE',
  'SKIPPED_PAYMENT',
  'INVOICE_REPEATED',
  'TOTAL_MISSING',
  'TOTAL_DIFFERS',
  'DATE_DOUBT',
  'EXPIRY_DOUBT',
  'PROFILE_FIRST_FILE',
  'PROFILE_CHANGED',
  'PROFILE_RETIRED',
  'PROFILE_SKIPPED',
] as const satisfies readonly FaultCode[];

/** Returns what a code means. A ledger keeps its codes when a release takes one out of the table. */
export function saidCode(code: string): string {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].means : code;
}

/** Codes of drops that are quarantined unopened. */
export type QuarantineCode = CodeOf<'drop'>;

/** Exit status of the command line. */
export const EXIT = { ok: 0, usage: 1, invalid: 2, held: 3, unknownOpen: 4, exception: 5 } as const;
