import { withRows } from '../../schemas/features.ts';

/** What happens at a crash point; around a commit, `moves` are those of the transaction. */
export type Strike = (name: CrashPointName, moves: readonly { readonly move: string }[]) => void;

const NO_MOVES: readonly { readonly move: string }[] = [];
let strike: Strike | undefined;

/**
 * Marks a moment when a process crash must do no harm. It does nothing: no setting, file or environment variable can
 * arm it by mistake. Only a module loaded into the process before the program can, as the tests do.
 */
export function crashPoint(name: CrashPointName, moves = NO_MOVES): void {
  strike?.(name, moves);
}

/** For tests only (test/chaos/support/arm-crash-points.ts). */
export function armCrashPoints(wanted: Strike | undefined): void {
  strike = wanted;
}

/**
 * The moments when tests may crash a process, from the first scan of a drop to the last rename (README of test/chaos).
 * Each appears in the code exactly once, as `crashPoint('…')`. The text says what is done by then and what is not. In
 * production nothing happens there.
 */
export const CRASH_POINTS = withRows(
  {
    'watch.drop-settled': 'a drop has settled, nothing of it was touched',
    'claim.folder-made': 'the work folder is there and empty',
    'notes.draft-written': 'the notes of the claim are on the disk under their temporary name',
    'claim.notes-written': 'the notes are whole, the drop still lies in its folder',
    'claim.renamed': 'the drop was moved, the folders are not synced',
    'claim.durable': 'the drop was moved for good, its control file was not',
    'claim.sidecar-taken': 'the control file came along, the marker still lies there',
    'claim.marker-removed': 'the marker is gone, nothing is sealed',
    'seal.draft-written': 'the sealed copy is whole under its temporary name',
    'seal.named': 'the sealed copy has its name and its temporary name',
    'claim.sealed': 'the sealed copy is there, the ledger knows nothing and its key is in memory only',
    'claim.asked': 'the ledger has the file and its intake was asked for',
    'queue.rung': 'a stage was rung for, the caller does not know yet',
    'intake.begun': 'the file was read from the ledger, none of its rows were',
    'intake.rows-copied': 'rows of the file are in an open transaction',
    'intake.batch-cut': 'a batch is in an open transaction',
    'release.file-removed': 'one of the plain files of a claim was removed',
    'intake.plain-released': 'the file is decided and its plain bytes are gone, nobody was told',
    'intake.account-woken': 'the batches were asked for, the acknowledgement was not',
    'submit.body-opened': 'the batch is prepared and its bytes are in memory',
    'submit.connected': 'the connection stands, the intent is not declared',
    'journal.written': 'the line stands in the journal and may not be on the disk',
    'journal.synced': 'the intent is on the disk in ledger and journal',
    'submit.before-first-byte': 'everything is declared and nothing was written',
    'submit.request-written': 'the whole request was handed to the network',
    'submit.answer-begun': 'the head of the answer is here',
    'submit.answered': 'the whole answer is in memory and was not read',
    'submit.classified': 'the answer is understood and was not recorded',
    'submit.recorded': 'the verdict is in the ledger, nothing was asked for',
    'submit.poll-asked': 'the result was asked for, the next batch was not',
    'start.journal-compared': 'the journal was compared, the batches of dead workers were not taken back',
    'sweep.batches-recovered': 'the batches of dead workers were taken back, the claims were not looked at',
    'sweep.claims-adopted': 'the claims were taken up, stale files were not removed',
    'poll.answered': 'the result is in memory',
    'poll.asked-again': 'the next question has its time',
    'poll.result-sealed': 'the result is sealed in memory',
    'poll.matched': 'every row has its outcome in memory',
    'poll.outcomes-copied': 'outcomes are in an open transaction',
    'poll.deliver-asked': 'the outputs were rung for, the batches are not given back',
    'output.draft-written': 'an output is whole under its temporary name',
    'output.published': 'an output has its name, its folder is not synced',
    'output.read-back': 'an output was read back, the ledger does not know it',
    'output.recorded': 'outputs are in the ledger and their files are completed, corrections were not begun',
    'deliver.rows-written':
      'every output but the summaries was written and read back, none has its name, totals were not compared',
    'deliver.totals-held': 'the control totals hold, no summary is written',
    'deliver.summaries-written': 'every output is out, the file is not completed',
    'reprocess.item-chosen': 'nothing of the item of a run was done',
    'reprocess.file-dropped': 'a new file has its name, the run does not know yet',
    'upgrade.copied': 'the ledger is in a backup, the earlier PostgreSQL runs, the new database was not made',
    'upgrade.restored': 'the new database holds the ledger and runs, it was not compared',
    'upgrade.ready': 'the new database is whole and stopped, the earlier one has its place',
    'upgrade.barred': 'no server starts from the earlier data any more, its last one still runs read-only',
    'upgrade.moved-aside': 'the earlier database was moved aside, no database is in its place',
    'upgrade.switched': 'the new database is in its place, the earlier one aside cannot be started yet',
    'commit.before': 'the statements of a move are done, its commit is not',
    'commit.after': 'a move is committed, the caller does not know yet',
  } as const,
  'crashPoints',
);
export type CrashPointName = keyof typeof CRASH_POINTS;
