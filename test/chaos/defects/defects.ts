import { ACTION_DEFECTS } from './action-defects.ts';
import { DOUBT_DEFECTS } from './doubt-defects.ts';
import { MASK_DEFECTS } from './mask-defects.ts';
import { MERCHANT_DEFECTS } from './merchant-defects.ts';
import { RULE_DEFECTS } from './rule-defects.ts';
import { SEND_DEFECTS } from './send-defects.ts';
import { SET_DEFECTS } from './set-defects.ts';
import { STAGE_DEFECTS } from './stage-defects.ts';
import { ALIVE_DEFECTS } from './alive-defects.ts';
import { ADMISSION_DEFECTS, EDGE_DEFECTS, SETTING_DEFECTS } from './edge-defects.ts';
import { LEDGER_DEFECTS } from './ledger-defects.ts';
import { FUNCTION_DEFECTS } from './function-defects.ts';

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
    name: 'account not stopped on unknown',
    about: 'the next batch goes out although nobody knows what became of the last',
    file: 'schemas/ledger/gate.sql',
    find: "other.state IN ('unknown', 'refused')",
    replace: "other.state IN ('refused')",
    caughtBy: ['test/ledger/batch/commit-send.test.ts'],
  },
  {
    name: 'two calls of an account at once',
    about: 'the index that lets one call of an account through is not unique',
    file: 'schemas/ledger/send.sql',
    find: 'CREATE UNIQUE INDEX one_call_in_flight',
    replace: 'CREATE INDEX one_call_in_flight',
    caughtBy: ['test/ledger/batch/commit-send.test.ts'],
  },
  {
    name: 'sent without the intent',
    about: 'the request is written though the intent could not be made durable',
    file: 'src/gateway/create-gateway.ts',
    find: 'if (!(await isIntentDurable(call, standing))) {',
    replace: 'await isIntentDurable(call, standing);\n  if (Date.now() === 0) {',
    caughtBy: ['test/gateway/submit-batch.test.ts'],
  },
  {
    name: 'journal written after the send',
    about: 'an older ledger forgets the last call',
    file: 'workers/submit/open-call.ts',
    find: '    await writeJournal(app, call, body);\n',
    replace: '    setTimeout(() => void writeJournal(app, call, body), 2_000);\n',
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
    find: "  await (does(roles, 'submit') ? admitHere(app) : compareJournal(app));\n",
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
    caughtBy: ['test/ledger/batch/end-call.test.ts'],
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
    file: 'src/ledger/batch/recover-batches.ts',
    find: "await moveBatch(tx, 'doubt', keyOf",
    replace: "await moveBatch(tx, 'unsent', keyOf",
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
    name: 'stages not woken',
    about: 'what the queue has lost is never done',
    file: 'workers/main.ts',
    find: '          onSwept();\n',
    replace: '',
    caughtBy: ['test/workers/main.test.ts'],
  },
  {
    name: 'plain bytes removed before the commit',
    about: 'a file dies with the process: its bytes are gone and the ledger does not know it',
    file: 'workers/watch/take-claim.ts',
    find: '    const isNew = await claimFiles(\n',
    replace:
      "    for (const [claim] of some) await (await import('../../src/files/claims/release-claim.ts')).releaseClaim(claim.workDir);\n    const isNew = await claimFiles(\n",
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
    file: 'workers/submit/read-bodies.ts',
    find: '  if (isSame) return {',
    replace: '  if (isSame || body) return {',
    caughtBy: ['test/workers/submit/read-bodies.test.ts'],
  },
  {
    name: 'the same file taken twice',
    about: 'a file that was sent already is sent once more',
    file: 'src/ledger/duplicates/find-duplicate.ts',
    find: ') file WHERE file_id <> asked.file_id ORDER BY file_no LIMIT 1',
    replace: ') file WHERE file_id <> asked.file_id AND false ORDER BY file_no LIMIT 1',
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
  ...SEND_DEFECTS,
  {
    name: 'late charge not compared',
    about: 'a declined row that the recheck finds approved is sent again with a file that waited',
    file: 'src/ledger/row/change-outcomes.ts',
    find: 'lines, source: by.source',
    replace: 'lines: lines.slice(lines.length), source: by.source',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'late resolution not compared',
    about: 'what a resolution shows to be charged is sent again with a file that waited',
    file: 'src/ledger/doubt/resolution-actions.ts',
    find: 'await learnCharged(tx, { account, fileNo, fileId, lines,',
    replace: 'await learnCharged(tx, { account, fileNo, fileId, lines: lines.slice(lines.length),',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'late batch id not compared',
    about: 'rows of a batch that the service turns out to have are sent again with a file that waited',
    file: 'src/ledger/doubt/resolution-actions.ts',
    find: '  await learnBatch(tx, key, { actor: because.actor, source: `the service has it',
    replace: '  if (tx === undefined) await learnBatch(tx, key, { actor: because.actor, source: `the service has it',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'forgotten call not compared',
    about: 'rows of a cancelled batch that was sent after all are sent again with a file that waited',
    file: 'src/ledger/doubt/recall-batch.ts',
    find: '  await learnBatch(tx, { fileId, batchNo }',
    replace: '  if (tx === undefined) await learnBatch(tx, { fileId, batchNo }',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'late charge let through by the database',
    about: 'the database sends a batch of which a payment was charged meanwhile',
    file: 'schemas/ledger/send.sql',
    find: 'NEW.paid_since IS NOT NULL)',
    replace: 'NEW.paid_since IS NOT NULL AND NEW.paid_since IS NULL)',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'a late charge stops its account',
    about: 'one batch that waits for a person keeps all others of its account',
    file: 'schemas/ledger/gate.sql',
    find: '      AND ready.paid_since IS NULL\n',
    replace: '',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'late charge beside an intake',
    about: 'a file that is decided at the moment of a correction is not compared with it',
    file: 'src/ledger/duplicates/double-charges.ts',
    find: '  await lockDecisions(tx, learned.account);\n',
    replace: '',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'payments without an invoice not compared',
    about: 'a late charge of a row without an invoice is sent again',
    file: 'src/ledger/duplicates/find-pairs.ts',
    find: 'if (bare.length > 0)',
    replace: 'if (bare.length < 0)',
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'late charge after the send is silent',
    about: 'a payment that was made twice is not listed',
    file: 'src/ledger/duplicates/read-double-charges.ts',
    find: "${side}_b.state IN ('sending', 'unknown',",
    replace: "${side}_b.state IN ('unknown',",
    caughtBy: ['test/ledger/duplicates/double-charges.soak.test.ts'],
  },
  {
    name: 'approval does not ask again',
    about: 'a held file is approved and sent although its payments were charged meanwhile',
    file: 'src/ledger/file/release-held.ts',
    find: '  await askAtApproval(tx, fileId, because.actor);\n',
    replace: '  if (tx === undefined) await askAtApproval(tx, fileId, because.actor);\n',
    caughtBy: ['test/ledger/duplicates/ask-again.test.ts'],
  },
  {
    name: 'payments made twice not looked for',
    about: 'two payments of one day that are one stay unseen, such as those that a person approved',
    file: 'workers/schedule/close-day.ts',
    find: 'await findApprovedTwice(app.ledger, account.name, period.from, period.until)',
    replace: 'await findApprovedTwice(app.ledger, account.name, period.until, period.until)',
    caughtBy: ['test/workers/schedule/close-day.test.ts'],
  },
  {
    name: 'one person releases alone',
    about: 'where overrides take two persons, one sends what may have been charged already',
    file: 'src/actions/double-actions.ts',
    find: 'return takesTwoToApprove(settings.accounts.get(batch.account), file.operation);',
    replace: 'return takesTwoToApprove(settings.accounts.get(batch.account), file.operation) && batch.batch_no < 0;',
    caughtBy: ['test/actions/double-actions.test.ts'],
  },
  ...ADMISSION_DEFECTS,
  ...LEDGER_DEFECTS,
  ...ACTION_DEFECTS,
  ...FUNCTION_DEFECTS,
  ...DOUBT_DEFECTS,
  ...MASK_DEFECTS,
  ...RULE_DEFECTS,
  ...ALIVE_DEFECTS,
  ...SETTING_DEFECTS,
  ...MERCHANT_DEFECTS,
  ...STAGE_DEFECTS,
  ...SET_DEFECTS,
];
