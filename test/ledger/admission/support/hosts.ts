import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Admission, admit, type Sender } from '../../../../src/ledger/admission/admit.ts';
import { openSendJournal, type SendJournal } from '../../../../src/ledger/admission/send-journal.ts';
import { keyOf, openTestLedger, START } from '../../../support/ledger-world.ts';
import { readBackup, readKeyNeeds } from '../../../../src/ledger/backup/read-backup.ts';
import { writeBackup } from '../../../../src/ledger/backup/write-backup.ts';
import { declareNow } from '../../../support/calls.ts';

export const BOTH = ['a', 'b'];
/** As on a host that is the only sender. */
export const NOT_LISTED: string[] = [];

export type Hosts = Awaited<ReturnType<typeof openHosts>>;

/** Opens hosts before each test of a file, and closes them behind it. */
export function useHosts(): Hosts {
  const hosts = {} as Hosts;
  beforeEach(async () => {
    Object.assign(hosts, await openHosts());
  });
  afterEach(() => hosts.close());
  return hosts;
}

/** Opens a ledger that has sent nothing, and hosts whose send journals share a folder. */
export async function openHosts() {
  const world = await openTestLedger();
  const { ledger } = world;
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-admission-'));
  const journals: SendJournal[] = [];
  await world.force(
    `DELETE FROM sender; UPDATE admission SET is_open = false, epoch = 0, closing_epoch = 1, senders = '{}'`,
  );
  const pathOf = (name: string) => join(folder, name, 'sends.jsonl');
  const journalOf = async (name: string): Promise<SendJournal> => {
    const journal = await openSendJournal(pathOf(name));
    journals.push(journal);
    return journal;
  };
  const enter = async (name: string, senders = BOTH): Promise<Admission> =>
    admit(ledger, await journalOf(name), { name, senders: senders === NOT_LISTED ? undefined : senders });
  /** Imitates a restart, a promoted replica or a copied folder: only the start of the server differs. */
  const otherRun = () => world.force('UPDATE admission SET run_started = now(), born = pg_current_xact_id()');
  const enterBoth = async (): Promise<[Sender, Sender]> => {
    await enter('a');
    const b = senderOf(await enter('b'));
    return [senderOf(await enter('a')), b];
  };
  const sendFile = async (name: string, sender: Sender, fileId: string): Promise<void> => {
    ledger.admitted.sender = sender;
    const batch = (await declareNow(ledger, { fileId, batchNo: 1 }))!;
    expect(batch).toBeDefined();
    const { attempt, body_sha256: sha256, account, token: call } = batch;
    await (await journalOf(name)).append({ at: START, account, ...keyOf(batch), attempt, sha256, call });
    await world.force(`UPDATE attempt SET verdict = 'submitted', ended_at = now() WHERE call = '${call}'`);
  };
  return {
    world,
    ledger,
    folder,
    pathOf,
    journalOf,
    enter,
    otherRun,
    /** Opens the ledger once for both hosts. */
    enterBoth,
    /** Opens the ledger for both hosts. In another run of its server only `a` has reported. */
    enterOneAgain: async (): Promise<void> => {
      await enterBoth();
      await otherRun();
      await enter('a');
    },
    /** Sends a file from a host, with a journal entry and the service's answer. @returns its file id */
    send: async (name: string, sender: Sender): Promise<string> => {
      const file = await world.accepted();
      await sendFile(name, sender, file.file_id);
      return file.file_id;
    },
    sendFile,
    /** Takes the ledger back to before this file was sent. */
    goBack: async (fileId: string): Promise<void> => {
      await world.force(
        `DELETE FROM attempt WHERE file_id = '${fileId}'; UPDATE batch SET state = 'ready' WHERE file_id = '${fileId}'`,
      );
      await otherRun();
    },
    stateOf: async (fileId: string): Promise<string> =>
      (await ledger.pool.query<{ state: string }>('SELECT state FROM batch WHERE file_id = $1', [fileId])).rows[0]!
        .state,
    close: async () => {
      for (const journal of journals.splice(0)) await journal.close();
      await world.close();
      await rm(folder, { recursive: true });
    },
  };
}

export function senderOf(admission: Admission): Sender {
  if (!('sender' in admission)) throw new Error(JSON.stringify(admission));
  return admission.sender;
}

export function waitsOf(admission: Admission) {
  return 'waits' in admission ? admission.waits : [];
}

/** Makes a folder for the backups of a test file or suite, and removes it behind them. */
export function useBackupFolder() {
  let path = '';
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'paydrop-backup-'));
  });
  afterAll(() => rm(path, { recursive: true, force: true }));
  return { file: (name: string) => join(path, name) };
}

type BackupFolder = ReturnType<typeof useBackupFolder>;

/** Writes `whole`, the backup of a ledger with one file. @returns its bytes */
export async function makeBackup(folder: BackupFolder): Promise<Buffer> {
  const world = await openTestLedger();
  await world.accepted({ rowsPerBatch: 5 });
  await writeBackup(world.ledger, folder.file('whole'));
  await world.close();
  return readFile(folder.file('whole'));
}

/** Alters one byte and expects the reader to notice. */
export async function expectFound(folder: BackupFolder, whole: Buffer, at: number): Promise<void> {
  const altered = Buffer.from(whole);
  altered[at]! ^= 1;
  await writeFile(folder.file('altered'), altered);
  await expect(readBackup(folder.file('altered'), readKeyNeeds()), `byte ${at}`).rejects.toMatchObject({
    code: expect.stringMatching(/^BACKUP_(BROKEN|NEWER)$/),
  });
}
