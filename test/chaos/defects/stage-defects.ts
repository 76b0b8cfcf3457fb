import type { Defect } from './defects.ts';

const STAGES = ['test/workers/stage.test.ts'];
const NOTES = ['test/ledger/stage/note-delivery.test.ts'];

/** Defects of how stages take what is due. They cost time or double work, and no money. */
export const STAGE_DEFECTS: readonly Defect[] = [
  {
    name: 'taken twice',
    about: 'two processes work on one thing',
    file: 'schemas/ledger/stage.sql',
    find: 'SELECT p_until IS NULL OR (',
    replace: 'SELECT p_until IS NOT NULL AND (',
    caughtBy: STAGES,
  },
  {
    name: 'failed work tried again at once',
    about: 'a thing that fails keeps a process busy',
    file: 'workers/stage.ts',
    find: `    ended: [...back.ended, ...rest.filter(isStopped).map(subjectOf)],
    later: [...back.later, ...rest.filter((thing) => !isStopped(thing)).map(subjectOf)],`,
    replace: '    ended: [...back.ended, ...rest.map(subjectOf)],\n    later: back.later,',
    caughtBy: STAGES,
  },
  {
    name: 'work of a dead process kept',
    about: 'what a killed process worked on is never taken again',
    file: 'workers/upkeep/sweep.ts',
    find: '  await giveBackOfDead(app.ledger);\n',
    replace: '',
    caughtBy: ['test/workers/upkeep/due-after-loss.soak.test.ts'],
  },
  {
    name: 'ring lost while a stage looks',
    about: 'a drop waits for the next sweep',
    file: 'workers/stage.ts',
    find: '    isRung = true;\n    looking ??=',
    replace: '    isRung = looking === undefined;\n    looking ??=',
    caughtBy: STAGES,
  },
  {
    name: 'stuck work not left alone',
    about: 'a thing that is due again and again keeps a process busy',
    file: 'workers/stage.ts',
    find: '(repeats.get(subject) ?? 0) < MOST_REPEATS',
    replace: '(repeats.get(subject) ?? 0) >= 0',
    caughtBy: STAGES,
  },
  {
    name: 'end of a batch not noted',
    about: 'the results of a file are never written',
    file: 'schemas/ledger/deliver.sql',
    find: "WHEN (NEW.state IN ('reconciled', 'cancelled')) EXECUTE FUNCTION note_delivery()",
    replace: "WHEN (NEW.state IN ('cancelled')) EXECUTE FUNCTION note_delivery()",
    caughtBy: NOTES,
  },
  {
    name: 'changed outcome not noted',
    about: 'the correction of a file is never written',
    file: 'schemas/ledger/deliver.sql',
    find: "  WHEN 'row_change' THEN INSERT INTO delivery (file_no) SELECT DISTINCT c.file_no FROM changed c;\n",
    replace: "  WHEN 'row_change' THEN NULL;\n",
    caughtBy: NOTES,
  },
  {
    name: 'note taken away that is still due',
    about: 'an output that became due while others were recorded is never written',
    file: 'schemas/ledger/deliver.sql',
    find: '\n      AND NOT lacks_output(f.file_no, f.file_id, f.state)',
    replace: '',
    caughtBy: NOTES,
  },
  {
    name: 'rechecks found among all batches',
    about: 'each look for results reads every batch that is to be fetched again some day',
    file: 'schemas/ledger/stage.sql',
    find: 'WHERE batch.next_recheck_at > t.after AND batch.next_recheck_at <= t.until OFFSET 0',
    replace: 'WHERE has_come(batch.next_recheck_at, p_at, p_longest_recheck_ms) OFFSET 0',
    caughtBy: ['test/ledger/stage/find-due.test.ts'],
  },
];
