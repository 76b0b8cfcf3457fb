import { describe, expect, it } from 'vitest';
import { isIgnoredName } from '../../src/files/ignored-name.ts';

describe('isIgnoredName', () => {
  it.each([
    '.hidden.csv',
    '..hidden.csv',
    '.a\\b.csv',
    '.sftpgo-upload.x1.monday.csv',
    'monday.csv~',
    '~$monday.xlsx',
    'monday.csv.tmp',
    'monday.csv.PART',
    'monday.partial',
    'monday.csv.FilePart',
    'monday.csv.writing',
  ])('passes over %s, which is still being written', (name) => {
    expect(isIgnoredName(name)).toBe(true);
  });

  it.each([
    '..\\evil.csv',
    '.\\monday.csv',
    'monday.csv',
    'monday',
    'part.csv',
    'tmp',
    'a~b.csv',
    '~monday.csv',
    'monday.tmp.csv',
    'monday.temp',
  ])('takes %s for a final name', (name) => {
    expect(isIgnoredName(name)).toBe(false);
  });
});
