import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bodyPurpose } from '../../../workers/intake/cut-bodies.ts';
import { besideCore } from '../../feature.ts';
import { featureOfVaultKey } from '../../ledger/key/feature-key.ts';
import type { Settings } from '../../config/config.ts';
import { unwrapDataKey, unwrapKey } from '../../crypto/data-key.ts';
import { openFingerprinter } from '../../crypto/fingerprints/fingerprint.ts';
import { findSigner, type KeyRing } from '../../crypto/key-ring.ts';
import { openBytes } from '../../crypto/seal.ts';
import { byNumber, counted, groupedCount } from '../../kernel/counted.ts';
import { countTables, countUnevenBatches, type LedgerSum, refusesToSend } from '../../ledger/backup/scratch-ledger.ts';
import type { BackupSummary } from '../../ledger/backup/write-backup.ts';
import { listMigrations } from '../../ledger/engine/schema.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { listOriginals, listWrappedKeys, readOriginals, readSomeBodies } from '../../ledger/key/read-originals.ts';
import { verifyAudit } from '../../ledger/overview/verify-audit.ts';
import { bad, type Finding, findingOf, ok, warn } from './check.ts';

/** The ledger that a new backup was made of, and its sums at that moment. */
export type Source = { ledger: Ledger; sums: readonly LedgerSum[] };

declare module '../../feature.ts' {
  interface Feature {
    /** Checks of a restored ledger, by the name that a drill prints. */
    verifiers?(): Promise<Verifiers>;
  }
}

/** A ledger restored into a scratch database, and what it should be like. `source` is left out for an older backup. */
export type Restored = {
  scratch: Ledger;
  settings: Settings;
  keys: KeyRing;
  backup: BackupSummary;
  sums: readonly LedgerSum[];
  source?: Source | undefined;
};

export type Verifiers = Readonly<Record<string, (restored: Restored) => Promise<Finding[]>>>;

const VERIFIERS: Verifiers = {
  Tables: verifyTables,
  Sums: verifySums,
  'Audit trail': verifyTrail,
  Keys: verifyKeys,
  Originals: verifyOriginals,
  Sending: verifyClosed,
};

/** Does every check, whatever the others found. It changes nothing outside the scratch database. */
export async function verifyRestored(restored: Restored): Promise<{ name: string; findings: Finding[] }[]> {
  const examined: { name: string; findings: Finding[] }[] = [];
  const ofFeatures = await Promise.all(restored.settings.features.map(async ({ verifiers }) => verifiers?.()));
  for (const [name, look] of Object.entries(besideCore(VERIFIERS, ofFeatures)))
    examined.push({ name, findings: await look(restored).catch((error: unknown) => [findingOf(error, bad)]) });
  return examined;
}

/** Tables that no migration reshapes and no restore adds to. */
const UNCHANGING: readonly string[] = ['file', 'batch', 'attempt', 'payment_row', 'row_outcome'];

async function verifyTables({ scratch, backup: { tables, migration } }: Restored): Promise<Finding[]> {
  const isPresent = migration === listMigrations().at(-1);
  const compared = tables.filter(({ table }) => isPresent || UNCHANGING.includes(table));
  const found = await countTables(
    scratch,
    compared.map(({ table }) => table),
  );
  // The restore writes one link of its own, and with it perhaps the first of its chain.
  const more = (table: string) => (table === 'audit' ? [1] : table === 'audit_chain' ? [0, 1] : [0]);
  const others = compared.filter(({ table, rows }) => !more(table).includes((found.get(table) ?? 0) - rows));
  if (others.length === 0) return [ok(`${counted(compared.length, 'table')} hold the rows of the backup`)];
  return others.map(({ table, rows }) =>
    bad(`table ${table} holds ${counted(found.get(table) ?? 0, 'row')}, the backup ${rows}`, TAKE_ANOTHER),
  );
}

const TAKE_ANOTHER = 'Take another backup, and keep this one for the search for the cause.';

async function verifySums({ scratch, sums, source }: Restored): Promise<Finding[]> {
  const findings: Finding[] = [];
  const uneven = await countUnevenBatches(scratch);
  if (uneven > 0) findings.push(bad(`batches whose rows do not add up to them: ${uneven}`, TAKE_ANOTHER));
  const [here, there] = [sums, source?.sums ?? sums].map((list) => list.map((sum) => JSON.stringify(sum)));
  const differing = [...here!.filter((sum) => !there!.includes(sum)), ...there!.filter((sum) => !here!.includes(sum))];
  if (differing.length > 0)
    findings.push(bad(`sums that differ from those of the ledger: ${differing.join(', ')}`, TAKE_ANOTHER));
  if (findings.length > 0) return findings;
  const equal = source
    ? `, and ${counted(sums.length, 'sum')} ${byNumber(sums.length, 'equals', 'equal')} the ledger's`
    : '';
  return [ok(`the rows of every batch add up to it${equal}`)];
}

async function verifyTrail({ scratch, keys }: Restored): Promise<Finding[]> {
  const { brokenAt, links, roots } = await verifyAudit(scratch, findSigner(keys));
  if (brokenAt !== undefined)
    return [bad(`the audit trail is broken at link ${brokenAt}`, 'Run "paydrop audit verify" on the ledger itself.')];
  const unchecked = Object.keys(roots.unchecked);
  const found = `${groupedCount(links, 'link')} and ${counted(roots.signed, 'signed root')} are whole`;
  if (unchecked.length === 0) return [ok(found)];
  return [warn(`${found}; for lack of master key ${unchecked.join(', ')} some roots were not checked`, KEEP_KEYS)];
}

const KEEP_KEYS = 'Keep each former master key for as long as the backups of its time.';

/** Opens every key of a file, and some bodies of batches with them. */
async function verifyKeys({ scratch, keys }: Restored): Promise<Finding[]> {
  const { rows: others } = await scratch.pool.query<{ name: string; wrapped: Buffer }>(
    'SELECT name, wrapped FROM vault_key',
  );
  for (const { name, wrapped } of others) {
    if (featureOfVaultKey(name) !== undefined) unwrapKey(keys, name, wrapped);
    else if (name === 'fingerprint') openFingerprinter(keys, wrapped);
  }
  let opened = 0;
  for await (const slice of listWrappedKeys(scratch)) {
    for (const { fileId, wrapped } of slice) unwrapDataKey(keys, fileId, wrapped);
    opened += slice.length;
  }
  const bodies = await readSomeBodies(scratch, TRIED_BODIES);
  for (const { fileId, batchNo, wrapped, sealed } of bodies)
    openBytes(unwrapDataKey(keys, fileId, wrapped), bodyPurpose(batchNo), sealed);
  return [
    ok(
      `the master key opens ${groupedCount(opened, 'key')} of files; ${counted(bodies.length, 'batch')} opened with them`,
    ),
  ];
}

const TRIED_BODIES = 100;

async function verifyOriginals({ scratch, settings, source }: Restored): Promise<Finding[]> {
  let seen = 0;
  const missing: string[] = [];
  for await (const slice of listOriginals(scratch, settings.site))
    for (const { file_id: fileId, archive } of slice) {
      seen += 1;
      if (!existsSync(join(settings.paths.archive, archive))) missing.push(fileId);
    }
  if (missing.length === 0) return [ok(`${groupedCount(seen, 'original')} of this site are in the archive`)];
  const found = `missing in the archive: ${counted(missing.length, 'original')}, the first is of file ${missing[0]}`;
  const next = 'Restore them from a copy of the archive.';
  if (!source)
    return [
      warn(found, `Those destroyed since the backup are meant to be gone. "paydrop doctor" names the others. ${next}`),
    ];
  // One may have been destroyed since the backup was made.
  const kept = (await readOriginals(source.ledger, missing)).filter(({ wrapped_key: key }) => key !== null);
  return [
    kept.length > 0
      ? bad(found, next)
      : ok(`${groupedCount(seen - missing.length, 'original')} of this site are in the archive`),
  ];
}

async function verifyClosed({ scratch }: Restored): Promise<Finding[]> {
  if (await refusesToSend(scratch)) return [ok('the scratch database refuses to be opened, and refuses every call')];
  return [bad('the scratch database could be opened for sending', 'Report this with the output of the drill.')];
}
