import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileRow, readOutputs } from '../../../src/ledger/queries/read-file.ts';
import { writeText } from '../../../workers/deliver/write-text.ts';
import { openStepWorld, type StepWorld } from '../support/step-world.ts';
import { takeInCharges } from '../support/take-in.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 1 });
});
afterAll(() => world.close());

describe('writeText', () => {
  it('writes the text as it is, far more than the stream holds at a time, and counts no rows', async () => {
    const file = await readFileRow(world.app.ledger, await takeInCharges(world.app, world.freshAccount(), 1));
    const text = `${'a line of the summary\n'.repeat(20_000)}the end\n`;
    await writeText(world.app, file, 'summary-txt', text);
    const [name] = await readdir(world.settings.paths.out);
    expect(await readFile(join(world.settings.paths.out, name!), 'utf8')).toBe(text);
    expect(await readOutputs(world.app.ledger, file.file_id)).toMatchObject([{ kind: 'summary-txt', rows: 0 }]);
  });
});
