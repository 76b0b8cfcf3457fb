import type { FaultCode } from '../../../../schemas/errors.ts';
import { type ColumnName, columnsOf, LAYOUTS, type LayoutName } from '../../../../schemas/layouts.ts';
import { Profile, type Title } from '../../../../schemas/profiles.ts';
import { compileCells } from '../../../../src/csv/profile/cell-rules.ts';

/** A profile whose only rule of interest is that of one column; the others are constants. */
export function profileOf(column: ColumnName, rule: object): Profile {
  const layout = (Object.keys(LAYOUTS) as LayoutName[]).find((name) => columnsOf(name).includes(column))!;
  const constants = Object.fromEntries(columnsOf(layout).map((name) => [name, { value: '' }]));
  return Profile.parse({
    layout,
    read: { charset: 'utf-8', separator: 'comma' },
    head: { titles: ['any'] },
    columns: { ...constants, [column]: rule },
  });
}

type Made = { made: string; faults: { code: FaultCode; title: Title; detail?: string }[] };

/** Makes the cell of a column from the cells under some titles, and collects what is reported. */
export function makeCell(column: ColumnName, rule: object, given: { readonly [title: string]: string }): Made {
  const profile = profileOf(column, rule);
  const titles = Object.keys(given);
  const faults: Made['faults'] = [];
  const make = compileCells(profile, (title) => titles.indexOf(String(title)));
  const cells = make(Object.values(given), (code, title, detail) =>
    faults.push({ code, title, ...(detail !== undefined && { detail }) }),
  );
  return { made: cells[columnsOf(profile.layout).indexOf(column)]!, faults };
}

/** Returns the made cell, or the codes reported instead. */
export function cellOrCodes(column: ColumnName, rule: object, given: { readonly [title: string]: string }): string {
  const { made, faults } = makeCell(column, rule, given);
  return faults.length === 0 ? made : faults.map(({ code }) => code).join(' ');
}
