import { readdir, readFile } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { phpIsInstalled, phpVerdict, runPhp } from '../foreign/support/call-with-php.ts';

/**
 * Drops files and completes them; an oracle knows the right outcome of each row. It is written in another language
 * after the documentation, so that it shares no mistake with paydrop.
 */

const ORACLE = new URL('oracle.php', import.meta.url);
const SEEDS = [1, 2, 3, ...Array.from({ length: 12 }, () => randomInt(1_000, 1_000_000))];

const verdict = phpVerdict();
it(verdict.sentence, () => {
  expect(verdict.isFine).toBe(true);
});

type MadeFile = { folder: string; name: string; content: string; rows: { fault: string | null }[] };
type Outputs = { result: string; rejects: string; summary: unknown };

async function readOutputs({ settings }: PipelineWorld, name: string): Promise<Outputs> {
  const { out } = settings.paths;
  const names = (await readdir(out)).filter((output) => output.startsWith(name.replace('.csv', '__')));
  const textOf = async (suffix: string) => {
    const found = names.find((output) => output.endsWith(suffix));
    return found === undefined ? '' : readFile(join(out, found), 'utf8');
  };
  return {
    result: await textOf('.result.csv'),
    rejects: (await textOf('.rejects.csv')) + (await textOf('.retry.csv')),
    summary: JSON.parse((await textOf('.summary.json')) || '{"outcomes":{}}') as unknown,
  };
}

async function play(seed: number): Promise<{ files: MadeFile[]; judge(change?: Change): Promise<string[]> }> {
  const { files } = (await runPhp(ORACLE, { do: 'make', seed })) as { files: MadeFile[] };
  const world = await openPipelineWorld();
  try {
    for (const { folder, name, content } of files) await world.drop(folder, name, Buffer.from(content, 'base64'));
    await world.finish();
    const outputs: Record<string, Outputs> = {};
    for (const { name } of files) outputs[name] = await readOutputs(world, name);
    const books = world.sandbox.books();
    return {
      files,
      judge: async (change = (said) => said) => {
        const said = change(structuredClone({ books: [...books], outputs }));
        return ((await runPhp(ORACLE, { do: 'judge', files, ...said })) as { complaints: string[] }).complaints;
      },
    };
  } finally {
    await world.close();
  }
}

type Said = { books: { invoice: string; amountCents: number }[]; outputs: Record<string, Outputs> };
type Change = (said: Said) => Said;

describe.runIf(phpIsInstalled())('an oracle in another language', () => {
  it.each(SEEDS)('finds nothing to complain of (seed %i)', async (seed) => {
    const { files, judge } = await play(seed);
    const rows = files.flatMap((file) => file.rows);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ fault }) => fault !== null).length).toBeGreaterThan(0);
    expect(await judge()).toEqual([]);
  });

  it('complains of what is made wrong', async () => {
    const { judge } = await play(7);
    const changes: Record<string, Change> = {
      'a row is sent twice': (said) => ({ ...said, books: [...said.books, said.books[0]!] }),
      'a row is lost': (said) => ({ ...said, books: said.books.slice(1) }),
      'a cent is gone': (said) => ({
        ...said,
        books: said.books.map((row, at) => (at === 0 ? { ...row, amountCents: row.amountCents - 1 } : row)),
      }),
      'a line of a result is gone': (said) => changeResult(said, (lines) => lines.toSpliced(3, 1)),
      'two lines of a result have changed places': (said) =>
        changeResult(said, (lines) => [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)]),
      'an outcome is another': (said) =>
        changeResult(said, (lines) => lines.map((line) => line.replace(/,(APPROVED|ACCEPTED_PENDING),/, ',DECLINED,'))),
    };
    for (const [what, change] of Object.entries(changes)) {
      expect((await judge(change)).length, what).toBeGreaterThan(0);
    }
  });
});

function changeResult(said: Said, change: (lines: string[]) => string[]): Said {
  const [name, outputs] = Object.entries(said.outputs)[0]!;
  const result = change(outputs.result.split('\r\n')).join('\r\n');
  return { ...said, outputs: { ...said.outputs, [name]: { ...outputs, result } } };
}
