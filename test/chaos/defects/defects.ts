import { ADMISSION_DEFECTS, EDGE_DEFECTS, SETTING_DEFECTS } from './edge-defects.ts';
import { LEDGER_DEFECTS } from './ledger-defects.ts';

/**
 * Deliberate mutations of our own code. Each removes one thing that keeps money safe; unless the machines notice every
 * one, they prove nothing. `find` occurs in the file exactly once.
 */
export type Defect = {
  readonly name: string;
  /** What the product would do with it. */
  readonly about: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Test files of which at least one must fail, likeliest first. */
  readonly caughtBy: readonly string[];
};

export const DEFECTS: readonly Defect[] = [
  {
    name: 'gate removed',
    about: 'a batch is taken up while its account is stopped, in doubt or busy',
    file: 'src/ledger/batch/prepare-batch.ts',
    find: 'where: { sql: GATE,',
    replace: "where: { sql: '$1::timestamptz IS NOT NULL AND is_admitted($2, $3)',",
    caughtBy: ['test/ledger/batch/prepare-batch.test.ts'],
  },
  {
    name: 'token not checked',
    about: 'a worker sends a batch that was taken away from it',
    file: 'src/ledger/batch/send-batch.ts',
    find: 'token = $1 AND lease_until',
    replace: '$1::text IS NOT NULL AND lease_until',
    caughtBy: ['test/ledger/batch/send-batch.test.ts'],
  },
  {
    name: 'lease ignored',
    about: 'a process that slept goes on to send',
    file: 'src/ledger/batch/send-batch.ts',
    find: 'AND lease_until > clock_timestamp() ',
    replace: '',
    caughtBy: ['test/ledger/batch/send-batch.test.ts'],
  },
  {
    name: 'account not stopped on unknown',
    about: 'the next batch goes out although nobody knows what became of the last',
    file: 'schemas/ledger/gate.sql',
    find: "other.state IN ('unknown', 'refused')",
    replace: "other.state IN ('refused')",
    caughtBy: ['test/ledger/batch/prepare-batch.test.ts'],
  },
  {
    name: 'two calls of an account at once',
    about: 'the index that lets one call of an account through is not unique',
    file: 'schemas/ledger/send.sql',
    find: 'CREATE UNIQUE INDEX one_call_in_flight',
    replace: 'CREATE INDEX one_call_in_flight',
    caughtBy: ['test/ledger/batch/prepare-batch.test.ts'],
  },
  {
    name: 'sent without the intent',
    about: 'the request is written though the intent could not be made durable',
    file: 'src/gateway/create-gateway.ts',
    find: 'if (!(await isIntentDurable(call, account.address.href, request.body.length))) {',
    replace: 'await isIntentDurable(call, account.address.href, request.body.length);\n  if (Date.now() === 0) {',
    caughtBy: ['test/gateway/submit-batch.test.ts'],
  },
  {
    name: 'journal written after the send',
    about: 'an older ledger forgets the last call',
    file: 'workers/submit/submit.ts',
    find: '    await writeJournal(app, batch);\n',
    replace: '    setTimeout(() => void writeJournal(app, batch), 2_000);\n',
    caughtBy: ['test/workers/submit/submit-once.test.ts', 'test/workers/submit/submit.test.ts'],
  },
  {
    name: 'journal not synced',
    about: 'a power cut takes the last lines of the journal',
    file: 'src/ledger/admission/send-journal.ts',
    find: '      await file.datasync();\n',
    replace: '',
    caughtBy: ['test/chaos/journal-sync.test.ts'],
  },
  {
    name: 'journal not compared at start',
    about: 'after an older ledger was put back, what it forgot is sent again',
    file: 'workers/main.ts',
    find: "  await (roles.has('submit') ? admitHere(app) : compareJournal(app));\n",
    replace: '',
    caughtBy: ['test/workers/main.test.ts'],
  },
  {
    name: 'a broken call counts as not sent',
    about: 'a batch whose answer was lost is sent again',
    file: 'src/gateway/classify-submit.ts',
    find: "if (outcome.kind === 'broken') return unknown(outcome.why, outcome, scrub);",
    replace: "if (outcome.kind === 'broken') return { kind: 'not_sent', why: outcome.why };",
    caughtBy: ['test/gateway/classify-submit.test.ts'],
  },
  {
    name: 'not sent counts as unknown',
    about: 'safety is bought by calling everything unknown: a person must look at each closed port',
    file: 'src/gateway/create-gateway.ts',
    find: "if (opened.kind === 'not_open') return { kind: 'not_sent', why: opened.why };",
    replace:
      "if (opened.kind === 'not_open') return { kind: 'unknown', why: opened.why, evidence: { bytesWritten: 0, bytesRead: 0 } };",
    caughtBy: ['test/gateway/submit-batch.test.ts'],
  },
  {
    name: 'retry on reset',
    about: 'a call whose connection was reset is made again by the client',
    file: 'src/gateway/create-gateway.ts',
    find: "  crashPoint('submit.answered');\n",
    replace:
      "  if (outcome.kind === 'broken') return submitBatch(account, { ...call, beforeFirstByte: async () => true });\n",
    caughtBy: ['test/gateway/submit-batch-unknown.test.ts'],
  },
  {
    name: 'second send after a 5xx',
    about: 'a server that failed after it took the batch gets it again',
    file: 'src/gateway/create-gateway.ts',
    find: "  crashPoint('submit.answered');\n",
    replace:
      "  if (outcome.kind === 'answered' && outcome.httpStatus >= 500) return submitBatch(account, { ...call, beforeFirstByte: async () => true });\n",
    caughtBy: ['test/gateway/submit-batch-unknown.test.ts'],
  },
  {
    name: 'redirect followed',
    about: 'a batch is posted a second time to where a 307 points',
    file: 'src/gateway/create-gateway.ts',
    find: "  crashPoint('submit.answered');\n",
    replace:
      "  if (outcome.kind === 'answered' && outcome.httpStatus === 307) return submitBatch(account, { ...call, beforeFirstByte: async () => true });\n",
    caughtBy: ['test/gateway/submit-batch-unknown.test.ts'],
  },
  {
    name: 'charges repeated by the client',
    about: 'a single charge whose answer was lost is made again',
    file: 'src/gateway/exchange.ts',
    find: "wireRow(call.operation).effect === 'read' ? READ_ATTEMPTS : 1",
    replace: 'READ_ATTEMPTS',
    caughtBy: ['test/gateway/call-operation.test.ts'],
  },
  {
    name: 'position-only matching',
    about: 'outcomes go to whatever row stands in that place',
    file: 'src/reconcile/match-results.ts',
    find: 'sent.length === results.length && sent.every((row, index) => isSameRow(row, read(results[index]!)))',
    replace: 'sent.length === results.length',
    caughtBy: ['test/reconcile/match-results.test.ts'],
  },
  {
    name: 'identity-only matching',
    about: 'rows that cannot be told apart are matched by guessing',
    file: 'src/reconcile/match-results.ts',
    find: '  if (resultOf.size !== sent.length) return undefined;\n',
    replace:
      '  for (const [index, row] of sent.entries()) if (!resultOf.has(row)) resultOf.set(row, results[index]!);\n',
    caughtBy: ['test/reconcile/match-results.test.ts'],
  },
  {
    name: 'unlisted texts count as declined',
    about: 'a row that may have been charged goes into the file that is sent again',
    file: 'src/reconcile/read-outcome.ts',
    find: "  return outcome('unknown');\n",
    replace: "  return outcome('declined');\n",
    caughtBy: ['test/reconcile/read-outcome.test.ts'],
  },
  {
    name: 'stalled jobs run again',
    about: 'the queue runs the job of a killed worker a second time',
    file: 'src/queue/queue-options.ts',
    find: 'maxStalledCount: 0,',
    replace: 'maxStalledCount: 1,',
    caughtBy: ['test/queue/queue-options.test.ts'],
  },
  {
    name: 'jobs tried twice',
    about: 'the queue tries a failed job again without asking the ledger',
    file: 'src/queue/queue-options.ts',
    find: 'attempts: 1,',
    replace: 'attempts: 2,',
    caughtBy: ['test/queue/queue-options.test.ts'],
  },
  {
    name: 'repeated batch id accepted',
    about: 'the id of an earlier batch passes for the id of this one, and its result for ours',
    file: 'schemas/ledger/send.sql',
    find: 'CREATE UNIQUE INDEX one_batch_per_batch_id',
    replace: 'CREATE INDEX one_batch_per_batch_id',
    caughtBy: ['test/ledger/batch/end-attempt.test.ts'],
  },
  {
    name: "another operation's answer accepted",
    about: 'whatever answer comes is read as the answer to this call',
    file: 'src/gateway/soap/read-answer.ts',
    find: 'onlyElementOf(onlyElementOf(body, `${name}Response`), `${name}Result`)',
    replace: 'Object.values(Object.values(body as object)[0] as object)[0] as unknown',
    caughtBy: ['test/gateway/soap/read-answer.test.ts', 'test/gateway/classify-submit.test.ts'],
  },
  {
    name: 'sending taken back by the sweep',
    about: 'a batch whose worker died in the middle of the call is sent again',
    file: 'src/ledger/batch/end-attempt.ts',
    find: "await moveBatch(tx, 'doubt', key",
    replace: "await moveBatch(tx, 'unsent', key",
    caughtBy: ['test/ledger/batch/recover-batches.test.ts'],
  },
  {
    name: 'claims not adopted',
    about: 'a file whose claim was cut short is never looked at again',
    file: 'workers/upkeep/sweep.ts',
    find: '  if (atSite) await adoptClaims(app);\n',
    replace: '',
    caughtBy: ['test/workers/upkeep/shred.test.ts'],
  },
  {
    name: 'queue not refilled',
    about: 'what the queue has lost is never done',
    file: 'workers/upkeep/sweep.ts',
    find: '  await refillQueue(app, atStart);\n',
    replace: '',
    caughtBy: ['test/workers/upkeep/refill-queue.test.ts'],
  },
  {
    name: 'plain bytes removed before the commit',
    about: 'a file dies with the process: its bytes are gone and the ledger does not know it',
    file: 'workers/watch/take-claim.ts',
    find: '  const isNew = await claimFile(app.ledger, {\n',
    replace:
      "  await (await import('../../src/files/claims/release-claim.ts')).releaseClaim(claim.workDir);\n  const isNew = await claimFile(app.ledger, {\n",
    caughtBy: [
      'test/workers/watch/take-claim.test.ts',
      'test/workers/intake/intake.test.ts',
      'test/workers/watch/watch.test.ts',
    ],
  },
  {
    name: 'outputs written in place',
    about: 'a reader finds half of an output, and an older one is replaced',
    file: 'src/files/outputs/publish-drafts.ts',
    find: '    linkSync(temporary, path);\n',
    replace: "    await (await import('node:fs/promises')).copyFile(temporary, path);\n",
    caughtBy: ['test/files/outputs/write-output.test.ts'],
  },
  {
    name: 'outcomes not conserved',
    about: 'a row without an outcome passes for never sent',
    file: 'src/ledger/batch/receive-result.ts',
    find: '!isWhole || rows[place]?.rows !== batch.rows || rows[place].cents !== batch.cents,',
    replace: '(!isWhole || rows[place]?.rows !== batch.rows) && rows[place] === undefined,',
    caughtBy: ['test/ledger/batch/receive-result.test.ts'],
  },
  {
    name: 'body not compared with its rows',
    about: 'bytes are sent that are not the rows of the ledger',
    file: 'workers/submit/read-body.ts',
    find: '  if (isSame) return { body, rowSet: file.row_set };\n',
    replace: '  if (isSame || body) return { body, rowSet: file.row_set };\n',
    caughtBy: ['test/workers/submit/read-body.test.ts'],
  },
  {
    name: 'body opened ahead of another batch',
    about: 'bytes are sent that are not those of the batch that was taken up',
    file: 'workers/submit/read-body.ts',
    find: 'key.batchNo === batch.batch_no && sha256 === batch.body_sha256',
    replace: 'key.batchNo >= 0',
    caughtBy: ['test/workers/submit/read-body.test.ts'],
  },
  {
    name: 'the same file taken twice',
    about: 'a file that was sent already is sent once more',
    file: 'src/ledger/duplicates/find-duplicate.ts',
    find: 'coalesce(content_sha256, sha256) = $4) AND file_id <> $3\n',
    replace: 'coalesce(content_sha256, sha256) = $4) AND file_id <> $3 AND false\n',
    caughtBy: ['test/ledger/duplicates/find-duplicate.test.ts'],
  },
  {
    name: 'numbers shown in one output',
    about: 'whole card numbers stand in the result file',
    file: 'src/reconcile/outputs/mask-row.ts',
    find: '(index === at ? maskNumber(cell.trim()) : maskCell(cell, index))',
    replace: '(index === at ? cell.trim() : maskCell(cell, index))',
    caughtBy: ['test/reconcile/outputs/mask-row.test.ts'],
  },
  {
    name: 'numbers shown in plain rows',
    about: 'whole card numbers stand in the result file, of the rows that are copied as they are',
    file: 'workers/deliver/copy-plain-row.ts',
    find: 'const hidden = clear ? 0 : digits - shownDigits(digits);',
    replace: 'const hidden = clear ? 0 : Math.min(0, shownDigits(digits));',
    caughtBy: ['test/workers/deliver/copy-plain-row.test.ts', 'test/workers/deliver/write-rows.test.ts'],
  },
  ...EDGE_DEFECTS,
  ...ADMISSION_DEFECTS,
  ...LEDGER_DEFECTS,
  ...SETTING_DEFECTS,
];
