import type { Profile } from '../../../schemas/profiles.ts';
import type { App } from '../../app.ts';
import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import { describeFault } from '../../kernel/errors.ts';
import type { Folder } from '../../config/config.ts';
import { maskName } from '../../kernel/mask.ts';
import type { Fault } from '../../rows/rows.ts';
import type { FileDecision } from '../../ledger/file/decide-file.ts';
import { findSameName } from '../../ledger/duplicates/find-duplicate.ts';
import { decideIntake } from '../../../workers/intake/decide-intake.ts';
import { profileOfFolder } from '../../../workers/file-profile.ts';
import { findDuplicates, type Refusal } from '../../../workers/intake/find-duplicate.ts';
import {
  type History,
  judgeByOthers,
  othersOf,
  questionsAboutOthers,
} from '../../../workers/intake/find-earlier-payments.ts';
import { ask } from '../../ledger/engine/ask.ts';
import { checkContent, rulesOfFolder, unreadCheck } from './check-content.ts';
import { faultsOfProfile, keepCopy } from './profile-faults.ts';
import { openSeenBefore, type SeenBefore } from './seen-before.ts';

/** What the intake would decide about a file now. */
export type Preview = {
  readonly check: FileCheck;
  readonly decision: FileDecision;
  /** Faults of the whole file first, then those of rows by line; cut off when there are very many. */
  readonly faults: readonly Fault[];
  /** Number of all faults. */
  readonly faultCount: number;
};

/** A larger file that paydrop wrote for another version of a profile is not read twice. Few have so many rows. */
const MOST_KEPT_BYTES = 8_388_608;

/**
 * Previews the intake of a file that is not dropped yet: reads it, compares it with the ledger and decides. Nothing is
 * written, and memory does not grow with the file.
 * @param file.mostFaults number of row faults to return
 * @param file.profile reads it in place of the profile of the folder
 */
export async function previewVerdict(
  app: App,
  folder: Folder,
  file: { name: string; source: AsyncIterable<Uint8Array>; mostFaults: number; profile?: Profile },
): Promise<Preview> {
  const { name, source, mostFaults } = file;
  const { pool } = app.ledger;
  const profile = file.profile ?? (await profileOfFolder(pool, folder))?.profile;
  const rules = { ...rulesOfFolder(app.account(folder.account), folder, app.clock.now()), profile };
  const search = await openSeenBefore(app, folder, mostFaults);
  const rowFaults: Fault[] = [];
  const copy = keepCopy(source, profile ? MOST_KEPT_BYTES : 0);
  const check = await checkContent(copy.source, rules, async (group) => {
    rowFaults.push(...group.faults.slice(0, mostFaults - rowFaults.length));
    await search.take(group);
  });
  const seen = await search.end();
  const ledger = await askLedger(app, folder, { name, check, ...seen });
  const refusal = ledger.duplicate ?? (folder.encryption === 'required' ? ({ code: 'PGP_PLAIN' } as const) : undefined);
  if (refusal) return refuse(check, refusal);
  const profileFaults =
    profile && (await faultsOfProfile(pool, folder, { profile, check, rules, open: copy.reopener() }));
  const history = ledger.others && { ...ledger.others, charged: seen.charged };
  const { decision, faults } = decideIntake(check, {
    ...rules,
    effects: { ...folder, misfits: profile?.check.misfits },
    profileFaults,
    control: null,
    claimedSha256: check.sha256,
    changed: false,
    sameName: ledger.sameName,
    sentBefore: seen.sentBefore,
    forgotten: check.verdict === 'reject' ? [] : seen.forgotten,
    history,
  });
  return tell(check, decision, {
    own: [...check.faults, ...faults],
    rows: rowFaults,
    seen: history ? seen : undefined,
    mostFaults,
  });
}

type LedgerAnswers = {
  duplicate: Refusal | undefined;
  sameName: string | undefined;
  /** Undefined for a file that is refused on its own, because nothing of it would be sent. */
  others: Omit<History, 'charged'> | undefined;
};

async function askLedger(
  app: App,
  folder: Folder,
  { name, check, rowSet, now }: { name: string; check: FileCheck } & Pick<SeenBefore, 'rowSet' | 'now'>,
): Promise<LedgerAnswers> {
  const { account, operation } = folder;
  const file = { file_id: '', account, operation, folder: folder.id, name: maskName(name), sha256: check.sha256 };
  const subject = { file, folder, check, rowSet, now };
  const compared = check.verdict === 'reject' ? [] : [subject];
  const [[duplicate], [sameName], ...answers] = await ask(
    app.ledger.pool,
    findDuplicates([{ file }]),
    findSameName([file]),
    ...questionsAboutOthers(app, compared),
  );
  const [others] = othersOf(compared, answers);
  return { duplicate, sameName: sameName?.file_id, others: others && judgeByOthers(app, subject, others) };
}

/** Returns the preview of a refused file. Its rows are left out, because the intake does not read them. */
function refuse({ bytes, sha256 }: FileCheck, refusal: Refusal): Preview {
  const { check } = unreadCheck(refusal, { bytes, sha256 });
  const { code, duplicateOf } = refusal;
  const decision = {
    verdict: 'reject',
    code,
    reason: describeFault(refusal),
    ...(duplicateOf && { duplicateOf }),
  } as const;
  return { check, decision, faults: check.faults, faultCount: 1 };
}

function tell(
  check: FileCheck,
  decision: FileDecision,
  {
    own,
    rows,
    seen,
    mostFaults,
  }: { own: readonly Fault[]; rows: readonly Fault[]; seen: SeenBefore | undefined; mostFaults: number },
): Preview {
  // Rows of forgotten calls are among the faults of the decision, as in the intake.
  const calls = new Set(seen?.forgotten.filter(({ line }) => line > 0));
  const ofCalls = [...calls].slice(0, mostFaults);
  const ofRows = [...rows, ...(seen?.chargedFaults ?? []), ...ofCalls].toSorted((one, other) => one.line - other.line);
  const counted = Object.values(check.faultCounts).reduce((sum, count) => sum + count, 0);
  const charged = (seen?.charged ?? []).reduce((sum, { rows: flagged }) => sum + flagged, 0);
  const faultCount = counted + (own.length - check.faults.length) + charged;
  return { check, decision, faults: [...own.filter((fault) => !calls.has(fault)), ...ofRows], faultCount };
}
