import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_KINDS, type OutputKind } from '../../../schemas/lifecycle.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { writeOutputFiles } from '../../../workers/deliver/output-files.ts';
import { cutAtStatement, POWER_CUT } from '../support/failing-app.ts';
import { stepWorld } from '../support/step-world.ts';
import { movesOf } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

const world = stepWorld({ accounts: 24 });

async function freshFile(): Promise<FileRow> {
  return readFileRow(world.app.ledger, await takeInCharges(world.app, world.freshAccount(), 1));
}

/** Writes one output and returns its path. */
async function write(file: FileRow, text: string, kind: OutputKind = 'result', app = world.app): Promise<string> {
  await writeOutputFiles(app, file, async (outputs) => {
    await outputs.appendText(kind, text, 3);
    await outputs.publish([kind]);
  });
  const output = (await readOutputs(app.ledger, file.file_id)).find((noted) => noted.kind === kind)!;
  return join(app.settings.paths.out, output.name);
}

describe('writeOutputFiles', () => {
  it.each(Object.keys(OUTPUT_KINDS) as OutputKind[])(
    'names a file of kind %s after its sender and its id',
    async (kind) => {
      const file = await freshFile();
      const path = await write(file, 'text', kind);
      expect(basename(path)).toBe(`june-1__${file.file_id.slice(0, 8)}.${OUTPUT_KINDS[kind].suffix}`);
      expect(await readFile(path, 'utf8')).toBe('text');
    },
  );

  it('notes name, hash, bytes and rows, with a link in the audit trail', async () => {
    const file = await freshFile();
    const path = await write(file, 'täxt');
    expect(await readOutputs(world.app.ledger, file.file_id)).toMatchObject([
      { kind: 'result', name: basename(path), sha256: sha256Of(Buffer.from('täxt')), bytes: 5, rows: 3 },
    ]);
    expect((await movesOf(world.app, { fileId: file.file_id })).at(-1)).toBe('output');
  });

  it('may be done again with the same content, and is noted once', async () => {
    const file = await freshFile();
    expect(await write(file, 'same')).toBe(await write(file, 'same'));
    expect((await movesOf(world.app, { fileId: file.file_id })).filter((move) => move === 'output')).toHaveLength(1);
  });

  it('is noted by the next try when the process died in between', async () => {
    const file = await freshFile();
    const cut = cutAtStatement(world.app, /^INSERT INTO output/);
    await expect(write(file, 'same', 'result', cut.app)).rejects.toThrow(POWER_CUT);
    expect(await readOutputs(world.app.ledger, file.file_id)).toEqual([]);
    await write(file, 'same');
    expect(await readOutputs(world.app.ledger, file.file_id)).toHaveLength(1);
  });

  it('never touches an output that the ledger knows, whatever became of it', async () => {
    const file = await freshFile();
    const path = await write(file, 'ours');
    await writeFile(path, 'edited');
    await expect(write(file, 'ours')).rejects.toThrow('exists with other content');
    expect(await readFile(path, 'utf8')).toBe('edited');
  });

  it('sets aside what the ledger has forgotten, and deletes nothing', async () => {
    const file = await freshFile();
    const { out } = world.settings.paths;
    const name = `june-1__${file.file_id.slice(0, 8)}.result.csv`;
    await mkdir(out, { recursive: true });
    await writeFile(join(out, name), 'of a ledger that was put back');
    expect(await readFile(await write(file, 'ours'), 'utf8')).toBe('ours');
    const [aside] = (await readdir(out)).filter((other) => other.startsWith(`${name}.`));
    expect(aside).toMatch(/\.forgotten$/);
    expect(await readFile(join(out, aside!), 'utf8')).toBe('of a ledger that was put back');
    expect(await readOutputs(world.app.ledger, file.file_id)).toMatchObject([{ kind: 'result', name }]);
  });

  it('leaves nothing behind when the content cannot be made', async () => {
    const file = await freshFile();
    const broken = writeOutputFiles(world.app, file, async (outputs) => {
      await outputs.appendText('result', 'half');
      throw new Error('the original cannot be read');
    });
    await expect(broken).rejects.toThrow('the original cannot be read');
    const left = (await readdir(world.settings.paths.out)).filter((name) => name.includes(file.file_id.slice(0, 8)));
    expect(left).toEqual([]);
  });

  it('publishes several together, notes them at once, and counts the rows of each', async () => {
    const file = await freshFile();
    const seen: string[] = [];
    const result = 'a line of the result\n'.repeat(20_000);
    const before = (await movesOf(world.app, { fileId: file.file_id })).length;
    await writeOutputFiles(world.app, file, async (outputs) => {
      await outputs.appendText('rejects', 'a');
      for (let part = 0; part < 4; part += 1) await outputs.appendText('result', result, 20_000);
      await outputs.append('rejects', Buffer.from('b'), 1);
      await outputs.publish(['result', 'rejects', 'retry'], async (kind, bytes) => {
        let read = 0;
        for await (const piece of bytes) read += piece.length;
        seen.push(`${kind} ${read}`);
      });
    });
    expect(seen.toSorted()).toEqual(['rejects 2', `result ${4 * result.length}`]);
    const outputs = await readOutputs(world.app.ledger, file.file_id);
    expect(outputs.map(({ kind, rows, bytes }) => [kind, rows, bytes])).toEqual([
      ['rejects', 1, 2],
      ['result', 80_000, 4 * result.length],
    ]);
    expect((await movesOf(world.app, { fileId: file.file_id })).slice(before)).toEqual(['output', 'output']);
  });

  it('drops what was begun and not published', async () => {
    const file = await freshFile();
    await writeOutputFiles(world.app, file, async (outputs) => {
      await outputs.appendText('result', 'a');
      await outputs.appendText('retry', 'b');
      await outputs.publish(['result']);
    });
    const left = (await readdir(world.settings.paths.out)).filter((name) => name.includes(file.file_id.slice(0, 8)));
    expect(left).toEqual([`june-1__${file.file_id.slice(0, 8)}.result.csv`]);
  });
});
