import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concludeDemo, linesToTry, showResults } from '../../../src/cli/demo/demo.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
  await world.drop('card', 'empty.csv', '');
  await world.drop('card', 'monday.csv', lines([cardRow(1)]));
  await world.finish();
});
afterAll(() => world.close());

describe('showResults', () => {
  it('has the table of files, and the output files of one that was sent', async () => {
    const text = await showResults(world.app);
    expect(text).toMatch(/^File +Account/);
    expect(text).toMatch(/^empty\.csv .*rejected .*nothing sent: .* \(EMPTY\)/m);
    expect(text).toMatch(/^monday\.csv .*completed .*1 approved/m);
    expect(text).toContain(`5 output files are in ${world.settings.paths.out}. Those of monday.csv:`);
    expect(text.match(/^ {2}.*monday__.*\.(ack|result|summary)\.(csv|json|txt)$/gm)).toHaveLength(4);
  });
});

describe('concludeDemo', () => {
  it('says that all agree, with status 0', () => {
    expect(concludeDemo([])).toEqual({
      text: expect.stringMatching(/agree, row by row and to the cent\.$/),
      status: 0,
    });
  });

  it('names every difference, with status 5', () => {
    expect(concludeDemo(['C-1: 1 here', 'C-2: 0 there'])).toEqual({
      text: 'The three do NOT agree:\nC-1: 1 here\nC-2: 0 there',
      status: 5,
    });
  });
});

describe('linesToTry', () => {
  it('has a line to paste for each example', () => {
    const commands = linesToTry('/tmp/a b')
      .split('\n')
      .filter((line) => line.startsWith('  '));
    expect(commands).toHaveLength(3);
    for (const line of commands)
      expect(line).toMatch(/ --dir '\/tmp\/a b' (status|show card\.csv|find --invoice C-1002)$/);
  });
});
