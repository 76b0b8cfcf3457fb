import type { Defect } from './defects.ts';

const SEND = 'schemas/ledger/send.sql';
const CAUGHT = ['test/ledger/batch/commit-send.test.ts'];

/** A condition of the gate is not asked. */
function without(name: string, about: string, condition: string, caughtBy: readonly string[] = CAUGHT): Defect {
  return { name, about, file: SEND, find: `      AND ${condition}\n`, replace: '', caughtBy };
}

/** What goes wrong in the commit that ends a call and declares the next one: each condition and each move of it. */
export const SEND_DEFECTS: readonly Defect[] = [
  without(
    'gate without the admission',
    'a batch leaves for an opening of the ledger that is over',
    'is_admitted(n.journal, n.epoch)',
  ),
  without(
    'gate without the meaning',
    'a process with another configuration sends a batch',
    'is_bound(b.account, n.bound)',
    ['test/ledger/merchant/merchant-rules.test.ts'],
  ),
  without(
    'late charge not seen by the gate',
    'a batch leaves although a payment in it was charged meanwhile',
    'b.paid_since IS NULL',
    ['test/ledger/duplicates/double-charges.soak.test.ts', ...CAUGHT],
  ),
  without(
    'gate without stops and doubts',
    'a batch leaves while its account is stopped or in doubt, or its file is not wanted',
    'may_leave(b.account, b.file_id, b.body_sha256)',
  ),
  {
    name: 'gate without the order',
    about: 'a batch leaves before one that came earlier',
    file: SEND,
    find: '\n      AND (b.file_id, b.batch_no) = (SELECT next.file_id, next.batch_no FROM next_to_send(b.account) next);',
    replace: ';',
    caughtBy: CAUGHT,
  },
  {
    name: 'gate without the wait',
    about: 'a batch that reached no service is tried again at once',
    file: SEND,
    find: 'AND (b.not_before IS NULL OR has_come(b.not_before, p_at, n."longestWaitMs"))\n',
    replace: '',
    caughtBy: CAUGHT,
  },
  {
    name: 'bytes of another batch',
    about: 'the bytes that leave are not those that the ledger has of the batch by now',
    file: SEND,
    find: '      AND b.body_sha256 = n.sha256\n',
    replace: '',
    caughtBy: CAUGHT,
  },
  {
    name: 'attempt of another try',
    about: 'a call is declared as an attempt that the batch has had',
    file: SEND,
    find: "b.state = 'ready' AND b.attempt = n.attempt\n      AND b.body",
    replace: "b.state = 'ready'\n      AND b.body",
    caughtBy: CAUGHT,
  },
  {
    name: 'call of a batch that is not ready',
    about: 'a batch that was sent is sent again',
    file: SEND,
    find: "AND b.state = 'ready' AND b.attempt = n.attempt\n",
    replace: 'AND b.attempt = n.attempt\n',
    caughtBy: CAUGHT,
  },
  {
    name: 'send beside a stop',
    about: 'a person hears that nothing more is sent, and a call is declared after that',
    file: SEND,
    find: '    PERFORM pg_advisory_xact_lock_shared(7003, 0);\n',
    replace: '',
    caughtBy: ['test/ledger/account/pause-account.test.ts'],
  },
  {
    name: 'end held up by a stop',
    about: 'an answer waits in memory while a stop is committed, and a crash puts it in doubt',
    file: SEND,
    find: 'is_locked := pg_try_advisory_xact_lock_shared(7003, 0);',
    replace: 'PERFORM pg_advisory_xact_lock_shared(7003, 0);\n    is_locked := true;',
    caughtBy: ['test/ledger/account/pause-account.test.ts'],
  },
  {
    name: 'next call without the end',
    about: 'the next batch is declared although the end of this call could not be written',
    file: SEND,
    find: "p_end->>'verdict' = 'submitted' AND 'end' = ANY (made)",
    replace: "p_end->>'verdict' = 'submitted'",
    caughtBy: CAUGHT,
  },
  {
    name: 'end of another call',
    about: 'the answer to one call is written as that to another',
    file: SEND,
    find: "b.state = 'sending' AND b.token = e.call;",
    replace: "b.state = 'sending';",
    caughtBy: ['test/ledger/batch/end-call.test.ts'],
  },
  {
    name: 'end without its attempt',
    about: 'a batch has its batch id, and its call stays open',
    file: SEND,
    find: 'UPDATE attempt a SET ended_at = p_database_now, verdict = e.verdict',
    replace: 'UPDATE attempt a SET ended_at = ended_at, verdict = verdict',
    caughtBy: ['test/ledger/batch/end-call.test.ts'],
  },
  {
    name: 'late answer not kept',
    about: 'a batch id that came after the doubt stands nowhere',
    file: SEND,
    find: "  RETURN ARRAY['late'];\n",
    replace: "  RETURN '{}';\n",
    caughtBy: ['test/ledger/batch/end-call.test.ts'],
  },
  {
    name: 'batch without a call put off twice',
    about: 'a try that reached no service counts again when it is recorded again',
    file: SEND,
    find: 'AND b.attempt = e.attempt AND b.releases = e.releases;',
    replace: 'AND b.attempt = e.attempt;',
    caughtBy: ['test/ledger/batch/end-call.test.ts'],
  },
  {
    name: 'intent without its attempt',
    about: 'nothing but the journal shows that a call was declared',
    file: SEND,
    find: '    VALUES (n."fileId", n."batchNo", n.attempt,',
    replace:
      "    SELECT 'x', 1, 1, '', '', 0, p_at, p_at, 0, n.call, n.journal WHERE false;\n  PERFORM (n.\"fileId\", n.\"batchNo\", n.attempt,",
    caughtBy: CAUGHT,
  },
  {
    name: 'commit of a call not on the disk',
    about: 'a power cut takes back the intent of a request that has left, or the batch id that the service gave',
    file: 'src/ledger/batch/commit-send.ts',
    find: '`SELECT commit_send($1,',
    replace: "`SELECT set_config('synchronous_commit', 'off', true), commit_send($1,",
    caughtBy: ['test/ledger/engine/transaction.test.ts'],
  },
  {
    name: 'answer held for a connection',
    about: 'an answer waits in memory until the next connection stands',
    file: 'workers/submit/submit.ts',
    find: 'Promise.race([stands, wait(longestMs, undefined)])',
    replace: 'stands',
    caughtBy: ['test/workers/submit/follow-up.test.ts'],
  },
  {
    name: 'old connection used',
    about: 'a request is written to a connection that the service may be closing',
    file: 'workers/submit/open-call.ts',
    find: 'const LONGEST_STAND_MS = 2_000;',
    replace: 'const LONGEST_STAND_MS = 200_000;',
    caughtBy: ['test/workers/submit/follow-up.test.ts'],
  },
  {
    name: 'closed connection used',
    about: 'a call is declared for a connection that the service has closed, and its batch waits for nothing',
    file: 'workers/submit/open-call.ts',
    find: 'return (await findFault?.()) === undefined && !hasEnded;',
    replace: 'return findFault !== undefined || !hasEnded;',
    caughtBy: ['test/workers/submit/follow-up.test.ts'],
  },
  {
    name: 'answer held for the queue',
    about: 'the answer to a call waits while the queue is slow, and a crash puts it in doubt',
    file: 'workers/submit/submit.ts',
    find: 'if (!ended.next) await rung;',
    replace: 'await rung;',
    caughtBy: ['test/workers/submit/follow-up.test.ts'],
  },
  {
    name: 'end held up by a lock',
    about: 'an answer waits for another transaction that has locked the next batch, and a crash puts it in doubt',
    file: SEND,
    find: "    is_locked := is_locked AND can_lock_call(p_next->>'fileId', (p_next->>'batchNo')::integer);\n",
    replace: '',
    caughtBy: ['test/workers/submit/follow-up.test.ts'],
  },
];
