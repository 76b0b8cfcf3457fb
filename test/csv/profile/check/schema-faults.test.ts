import { describe } from 'vitest';
import { finds } from '../support/changed-example.ts';

describe('keys and values', () => {
  finds('PROFILE_KEY', [
    ['bank-ach', 'number: {', 'nubmer: {', 'columns.amount.nubmer: there is no such key; did you mean number?'],
    [
      'bank-ach',
      'digits: 9, check',
      'digts: 9, check',
      'columns.accountNumber.join.1.digts: there is no such key; did you mean digits?',
    ],
    [
      'bank-ach',
      'charset: iso-8859-1',
      'charset: iso-8859-2',
      'read.charset: "iso-8859-2" is none of utf-8, utf-16, windows-1252, iso-8859-1; did you mean iso-8859-1?',
    ],
    ['bank-ach', 'titles: none', 'titles: non', 'head.titles: "non" is none of none; did you mean none?'],
    ['bank-ach', 'cells: 3', "cells: '3'", 'rows.totals.1.cells: write a number here'],
    [
      'bank-ach',
      'starts: [D]',
      'starts: [12]',
      'columns.invoice.shape.starts.1: put 12 in quotes, so that it is a text',
    ],
    ['bank-ach', 'from: 7', 'from: [7]', 'columns.invoice.from: write a text or a number here'],
    ['sage-eft', 'empty: true', 'empty: true, is: A', 'rows.skip.1.when.2: write exactly one of is, starts and empty'],
  ]);
});
