import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { EventEmitter, once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { findConfirmed } from '../../../src/ledger/profile/read-profiles.ts';
import { retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { putConfirmed } from '../../ledger/support/put-version.ts';
import { findBeingRead } from '../../../src/ledger/file/count-readings.ts';
import { readFileState } from '../../../src/ledger/file/read-file.ts';
import { archivePath, destroySealedFile } from '../../../src/crypto/archive.ts';
import { waitUntil } from '../../gateway/support/scripted-server.ts';
import { openTestPool, startTestPostgres } from '../../support/postgres.ts';
import { openOriginal, originalPath } from '../../../workers/open-original.ts';
import { INTAKE } from '../../../workers/intake/intake.ts';
import { collectGarbage, quarantineOdd, storeClaims } from '../../../workers/watch/take-claim.ts';
import { achRow, CARD, lines } from '../../support/payment-rows.ts';
import {
  beforeStatement,
  losingAnswer,
  cutAtRing,
  cutAtStatement,
  POWER_CUT,
  stepWorld,
} from '../support/step-world.ts';
import { dueOf } from '../support/stage-steps.ts';
import { claimContent, rungBy } from '../support/story.ts';
import { SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';
import { takeClaim } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 2 });
let folder: string;
beforeAll(() => {
  folder = `drop/${world.freshAccount()}/ach-charge`;
});

let made = 0;

/** Returns new content each time, so that no file is a duplicate. */
function content(): string {
  made += 1;
  return lines([achRow(made)]);
}

function claim(bytes = content(), name = `june-${made}.csv`): Promise<Claim> {
  return claimContent(world.app, folder, name, bytes);
}

describe('takeClaim', () => {
  it('seals the bytes, writes the row and asks for the intake', async () => {
    const bytes = content();
    const claimed = await claim(bytes);
    const asks = await rungBy(() => takeClaim(world.app, claimed));
    expect(asks).toEqual(['intake']);
    const row = await world.file(claimed.fileId);
    expect(row).toMatchObject({
      state: 'claimed',
      account: 'account-1',
      folder,
      operation: 'ach-charge',
      name: `june-${made}.csv`,
      bytes: bytes.length,
      sha256: sha256Of(Buffer.from(bytes)),
      completeness: 'quiet',
      control: null,
      claimed_at: new Date(claimed.notes.claimedAt),
    });
    expect(await text(openOriginal(world.app, row))).toBe(bytes);
    expect((await readFile(originalPath(world.app, row))).includes('Byron')).toBe(false);
    expect(await readFile(claimed.path, 'utf8')).toBe(bytes);
    expect(await world.movesOf(claimed)).toEqual(['claim']);
  });

  it('may be done again: one row, one original, another ring', async () => {
    const claimed = await claim();
    await takeClaim(world.app, claimed);
    const before = await world.file(claimed.fileId);
    const sealed = await stat(originalPath(world.app, before));
    expect(await rungBy(() => takeClaim(world.app, claimed))).toEqual(['intake']);
    expect(await world.file(claimed.fileId)).toEqual(before);
    expect((await stat(originalPath(world.app, before))).ino).toBe(sealed.ino);
  });

  it('eight at once make one row, whose key opens the original', async () => {
    const bytes = content();
    const claimed = await claim(bytes);
    await Promise.all(Array.from({ length: 8 }, () => takeClaim(world.app, claimed)));
    const row = await world.file(claimed.fileId);
    expect(await text(openOriginal(world.app, row))).toBe(bytes);
    expect(await world.movesOf(claimed)).toEqual(['claim']);
  });

  it('masks a number in the name', async () => {
    const claimed = await claim(content(), `card ${CARD}.csv`);
    await takeClaim(world.app, claimed);
    expect((await world.file(claimed.fileId)).name).toBe('card ************2220.csv');
  });

  it('keeps what the control file says, or why it cannot be read', async () => {
    const drop = world.app.folder(folder)!.path;
    const controls: unknown[] = [];
    for (const [name, said] of [
      ['good.csv', 'rows=1\ntotal=25.00\n'],
      ['bad.csv', 'rows=many\n'],
    ] as const) {
      await writeFile(join(drop, `${name}.ctl`), said);
      const claimed = await claim(content(), name);
      await takeClaim(world.app, claimed);
      const row = await world.file(claimed.fileId);
      expect(row.completeness).toBe('sidecar');
      controls.push(row.control);
    }
    expect(controls).toEqual([
      { rows: 1, totalCents: 2500 },
      { fault: 'CONTROL_FILE', reason: expect.stringContaining('line 1') },
    ]);
  });

  it('leaves the claim alone when its folder is not configured any more', async () => {
    const claimed = await claim();
    const app = { ...world.app, folder: () => undefined };
    await expect(takeClaim(app, claimed)).rejects.toThrow(/no longer in the configuration\. Add the folder/);
    expect(await readFileState(world.app.ledger, claimed.fileId)).toBeUndefined();
    expect(await readdir(claimed.workDir)).toContain('original');
  });
});

describe('storeClaims', () => {
  const numbersOf = async (claims: readonly Claim[]) => {
    const rows = await world.query<{ file_id: string }>(
      'SELECT file_id FROM file WHERE file_id = ANY ($1) ORDER BY file_no',
      [claims.map(({ fileId }) => fileId)],
    );
    return rows.map(({ file_id: fileId }) => claims.findIndex((claim) => claim.fileId === fileId));
  };
  const several = async (count: number) => {
    const claims: Claim[] = [];
    for (let n = 0; n < count; n += 1) claims.push(await claim());
    return claims;
  };

  it('records many in one transaction and in their order, beside one that is known', async () => {
    const claims = (await several(6)).toReversed();
    await takeClaim(world.app, claims[2]!);
    let commits = 0;
    const app = beforeStatement(world.app, /commit_claims/, () => void (commits += 1));
    expect(new Set((await storeClaims(app, claims)).values())).toEqual(new Set(['stored']));
    expect(commits).toBe(1);
    expect(await numbersOf(claims)).toEqual([2, 0, 1, 3, 4, 5]);
    for (const { fileId } of claims) expect(await world.movesOf({ fileId })).toEqual(['claim']);
  });

  it('leaves in the work folder what cannot be sealed, or whose account nobody means, and records the others', async () => {
    const claims = await several(4);
    await rm(claims[1]!.path);
    const strange = { ...claims[3]!, account: 'account-2' };
    const { bound } = world.app.ledger;
    const app = {
      ...world.app,
      ledger: { ...world.app.ledger, bound: new Map([...bound].filter(([name]) => name !== 'account-2')) },
    };
    const stored = await storeClaims(app, [claims[0]!, claims[1]!, strange, claims[2]!]);
    expect(stored.get(claims[1]!)).toHaveProperty('error');
    expect(stored.get(strange)).toMatchObject({ error: { code: 'MERCHANT_CHANGED' } });
    expect(await numbersOf(claims)).toEqual([0, 2]);
    const ids = claims.map(({ fileId }) => fileId);
    expect(await findBeingRead(world.app.ledger, ids)).toEqual(new Set());
    expect((await storeClaims(world.app, [claims[3]!])).get(claims[3]!)).toBe('stored');
  });
});

it.each([1, 2])(
  'storeClaims keeps the originals of %i claims when the answer to their commit is lost',
  async (count) => {
    const claims: Claim[] = [];
    for (let n = 0; n < count; n += 1) claims.push(await claim());
    await storeClaims(losingAnswer(world.app), claims);
    expect(new Set((await storeClaims(world.app, claims)).values())).toEqual(new Set(['stored']));
    for (const { fileId } of claims) {
      const row = await world.file(fileId);
      expect(await text(openOriginal(world.app, row))).toContain('Byron');
    }
  },
);

describe('takeClaim, after the process died', () => {
  it.each([
    ['after sealing, before the row', /commit_claims/],
    ['before the commit', /COMMIT$/],
  ])('%s: the next try seals again with a key that is kept', async (_when, statement) => {
    const bytes = content();
    const claimed = await claim(bytes);
    const cut = cutAtStatement(world.app, statement);
    await expect(takeClaim(cut.app, claimed)).rejects.toThrow(POWER_CUT);
    expect(await readFileState(world.app.ledger, claimed.fileId)).toBeUndefined();
    expect(await readFile(claimed.path, 'utf8')).toBe(bytes);

    await takeClaim(world.app, claimed);
    const row = await world.file(claimed.fileId);
    expect(await text(openOriginal(world.app, row))).toBe(bytes);
    expect(row.archive).toMatch(new RegExp(`/${claimed.fileId}\\.[0-9a-f]{12}\\.sealed$`));
    expect(await sealedIn(claimed)).toHaveLength(2);
    await destroySealedFile(originalPath(world.app, row));
    expect(await sealedIn(claimed)).toEqual([]);
  });

  async function sealedIn({ fileId, notes }: Claim): Promise<string[]> {
    const day = dirname(archivePath(world.settings.paths.archive, fileId, new Date(notes.claimedAt)));
    return (await readdir(day).catch(() => [])).filter((name) => name.startsWith(`${fileId}.`));
  }

  it.each([
    ['the first', [0, 1]],
    ['the second', [1, 0]],
  ] as const)('two tries whose lock was lost: %s is recorded, and its original opens', async (_which, order) => {
    const bytes = content();
    const claimed = await claim(bytes);
    const server = await startTestPostgres();
    const locks = openTestPool({ ...server.connection, options: `-c search_path=${SEARCH_PATH}` });
    const apps = [world.app, { ...world.app, ledger: { ...world.app.ledger, locks } }];
    const turns = apps.map(() => new EventEmitter());
    const tries = apps.map((app, place) => {
      const turn = once(turns[place]!, 'turn').then(() => {});
      return storeClaims(
        beforeStatement(app, /commit_claims/, () => turn),
        [claimed],
      );
    });
    await waitUntil(async () => (await sealedIn(claimed)).length === 2);
    for (const place of order) {
      turns[place]!.emit('turn');
      expect((await tries[place])!.get(claimed)).toBe('stored');
    }
    await locks.end();
    await server.stop();
    const row = await world.file(claimed.fileId);
    expect(await text(openOriginal(world.app, row))).toBe(bytes);
    expect(await sealedIn(claimed)).toHaveLength(1);
    expect(await world.movesOf(claimed)).toEqual(['claim']);
  });

  it('after the row, before the ring: the intake finds it, and the next try rings', async () => {
    const claimed = await claim();
    const cut = cutAtRing(world.app, 'intake');
    await takeClaim(cut.app, claimed);
    expect(cut.wasCut()).toBe(true);
    expect(await dueOf(world.app, INTAKE)).toContainEqual({ fileId: claimed.fileId });
    expect(await rungBy(() => takeClaim(cut.app, claimed))).toEqual(['intake']);
    const rows = await world.query('SELECT 1 FROM file WHERE file_id = $1', [claimed.fileId]);
    expect(rows).toHaveLength(1);
  });
});

/** A separate function, so that only the reference keeps track of the bytes. */
function leaveBehind(): WeakRef<Buffer> {
  return new WeakRef(Buffer.alloc(10_000_000, 1));
}

describe('collectGarbage', () => {
  it('takes back what nobody holds, each time, and nothing else', async () => {
    const held = Buffer.alloc(1_000, 7);
    for (let time = 0; time < 2; time += 1) {
      const left = leaveBehind();
      // The target of a new reference lives until the end of the event-loop turn.
      await setImmediate();
      collectGarbage();
      expect(left.deref()).toBeUndefined();
    }
    expect(held[999]).toBe(7);
    expect('gc' in globalThis).toBe(false);
  });
});

describe('quarantineOdd', () => {
  it('shows no number that stands in the name, and leaves a drop alone that is gone', async () => {
    const { quarantine } = world.app.settings.paths;
    const path = join(world.root, `${CARD}.csv`);
    await mkdir(path);
    const odd = { name: `${CARD}.csv`, path: Buffer.from(path), code: 'DROP_DIRECTORY' as const };
    const counted: string[] = [];
    const end = world.app.health.tally.listen((name) => counted.push(name));
    await quarantineOdd(world.app, odd, 'drop/dues');
    const [dir] = await readdir(quarantine);
    const reason = await readFile(join(quarantine, dir!, 'reason.json'), 'utf8');
    expect(reason).toContain('************2220.csv');
    expect(reason + JSON.stringify(world.logged)).not.toContain(CARD);
    await expect(quarantineOdd(world.app, odd, 'drop/dues')).resolves.toBeUndefined();
    expect(await readdir(quarantine)).toEqual([dir]);
    end();
    expect(counted).toEqual(['paydrop_quarantined_total']);
  });
});

describe('a claim of a folder with a profile', () => {
  /** The app of a process whose configuration names the profile. */
  function withProfile(profile: string): App {
    const named: App['folder'] = (id) => {
      const found = world.app.folder(id);
      return found && { ...found, profile };
    };
    return { ...world.app, folder: named };
  }

  it('waits unsealed when the version was retired before it was recorded, and is taken with the next', async () => {
    const app = withProfile('dues');
    const { profile_no: first } = await putConfirmed(app.ledger, 'dues');
    const claimed = await claim();
    await retireVersion(app.ledger, first, { actor: 'operator:ada', reason: 'wrong column' });
    for (const _time of [1, 2])
      await expect(takeClaim(app, claimed)).rejects.toMatchObject({ code: 'PROFILE_UNCONFIRMED' });
    expect(await readFileState(app.ledger, claimed.fileId)).toBeUndefined();
    const sealed = archivePath(app.settings.paths.archive, claimed.fileId, new Date(claimed.notes.claimedAt));
    await expect(stat(sealed)).rejects.toMatchObject({ code: 'ENOENT' });
    await putConfirmed(app.ledger, 'dues');
    await takeClaim(app, claimed);
    const version = await findConfirmed(app.ledger.pool, 'dues');
    expect(await world.file(claimed.fileId)).toMatchObject({ state: 'claimed', profile_version: version!.profile_no });
  });

  it('keeps its version when it is taken again after another was confirmed', async () => {
    const app = withProfile('gifts');
    const { profile_no: first } = await putConfirmed(app.ledger, 'gifts', 'one');
    const claimed = await claim();
    await takeClaim(app, claimed);
    await putConfirmed(app.ledger, 'gifts', 'two');
    await takeClaim(app, claimed);
    expect(await world.file(claimed.fileId)).toMatchObject({ profile_version: first });
  });
});

describe('the time at which a drop was first seen', () => {
  const at = (ms: number) => new Date(ms).toISOString();

  it.each([
    ['its first sighting', { sinceMs: 1_000_000, mtimeMs: 2_000_000 }, 1_000_000],
    ['its modification, if that is earlier', { sinceMs: 2_000_000, mtimeMs: 1_000_000 }, 1_000_000],
  ])('is that of %s', async (_, times, seenMs) => {
    const claimed = await claim();
    await takeClaim(world.app, { ...claimed, notes: { ...claimed.notes, ...times } });
    const { seen_at: seenAt } = await world.file(claimed.fileId);
    expect(seenAt.toISOString()).toBe(at(seenMs));
  });
});
