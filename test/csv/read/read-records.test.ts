import { describe, expect, it } from 'vitest';
import { newFileShape, readRecords } from '../../../src/csv/read/read-records.ts';
import { chunksOf } from '../support.ts';

async function read(text: string, size = 65_536) {
  const shape = newFileShape();
  const groups = [];
  for await (const group of readRecords(chunksOf(text, size), 'utf-8', shape)) groups.push(group);
  return { shape, groups, records: groups.flat() };
}

describe('readRecords', () => {
  it('leaves out blank lines and keeps the numbers of the others', async () => {
    const { records, shape } = await read('\na,b\n  \n\t\nc,d\n\n');
    expect(records).toEqual([
      { line: 2, cells: ['a', 'b'] },
      { line: 5, cells: ['c', 'd'] },
    ]);
    expect(shape).toEqual({ physicalLines: 6, blankLines: 4, mixesLineEnds: false, isLastLineOpen: false });
  });

  it.each([
    ['a,b\n', 1, 0, false],
    ['a,b', 1, 0, true],
    ['a,b\n  ', 1, 1, false],
    ['a,b\n\u001a', 1, 1, false],
    ['a,b\n\u001a\n\n', 1, 2, false],
    ['a,b\u001a', 1, 0, true],
    ['a,b\n\u001a\u001a', 2, 0, true],
    ['a,b\n\u001a\n\u001a', 2, 1, false],
    ['\u001a', 0, 1, false],
    [',,,\n', 1, 0, false],
    ['', 0, 0, false],
  ])(
    'of %j reads %i records and %i blank lines; last line open: %s',
    async (text, count, blankLines, isLastLineOpen) => {
      const { records, shape } = await read(text);
      expect(records).toHaveLength(count);
      expect(shape).toMatchObject({ blankLines, isLastLineOpen });
    },
  );

  it('refuses a Ctrl-Z in the middle of the file', async () => {
    const { records } = await read('a,b\n\u001a\nc,d\n');
    expect(records.map((record) => record.fault?.code)).toEqual([undefined, 'CONTROL_CHARACTER', undefined]);
  });

  it('makes the same groups however the bytes are cut', async () => {
    const text = Array.from({ length: 1_500 }, (_, index) => `${index},"x, y"\r\n`).join('');
    const whole = await read(text);
    expect(whole.groups.map((group) => group.length)).toEqual([512, 512, 476]);
    expect(await read(text, 7)).toEqual(whole);
  });

  it('closes its source when the reader leaves early', async () => {
    let isClosed = false;
    async function* source() {
      try {
        while (true) yield Buffer.from('a,b\n'.repeat(1_000));
      } finally {
        isClosed = true;
      }
    }
    for await (const group of readRecords(source(), 'utf-8', newFileShape())) {
      expect(group).toHaveLength(512);
      break;
    }
    expect(isClosed).toBe(true);
  });
});
