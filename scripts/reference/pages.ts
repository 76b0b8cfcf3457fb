import { renderAlarms } from './alarms.ts';
import { renderConfiguration } from './configuration.ts';
import { renderErrors } from './errors.ts';
import { renderFields } from './fields.ts';
import { renderLayouts } from './layouts.ts';
import { renderLedger } from './ledger.ts';
import { renderLifecycle } from './lifecycle.ts';
import { renderMetrics } from './metrics.ts';
import { renderOperations } from './operations.ts';
import { renderRejections } from './rejections.ts';
import { renderReports } from './reports.ts';
import { renderRestrictions } from './restrictions.ts';
import { renderSandboxRules } from './sandbox-rules.ts';
import { renderSettingEffects } from './setting-effects.ts';

/** The pages of the reference and the table behind each. */
const PAGES = {
  'alarms.md': { table: 'alarms.ts', render: renderAlarms },
  'configuration.md': { table: 'config.ts', render: renderConfiguration },
  'errors.md': { table: 'errors.ts', render: renderErrors },
  'fields.md': { table: 'fields.ts', render: renderFields },
  'layouts.md': { table: 'layouts.ts', render: renderLayouts },
  'ledger.md': { table: 'ledger', render: renderLedger, change: 'SQL file' },
  'lifecycle.md': { table: 'lifecycle.ts', render: renderLifecycle },
  'metrics.md': { table: 'metrics.ts', render: renderMetrics },
  'operations.md': { table: 'operations.ts', render: renderOperations },
  'rejections.md': { table: 'rejections.ts', render: renderRejections },
  'reports.md': { table: 'reports.ts', render: renderReports },
  'restrictions.md': { table: 'restrictions.ts', render: renderRestrictions },
  'changing-settings.md': { table: 'setting-effects.ts', render: renderSettingEffects },
  'sandbox-rules.md': { table: 'sandbox/strict-rules.ts', render: renderSandboxRules },
} as const;

export type PageName = keyof typeof PAGES;

/** Renders every page, keyed by file name. The same tables always give the same text. */
export function renderPages(): Record<PageName, string> {
  const pages = Object.entries(PAGES).map(([name, { table, render, ...of }]) => {
    const change = 'change' in of ? of.change : 'table';
    const origin = `<!-- Generated from schemas/${table} by "npm run docs". Change the ${change}, not this page. -->`;
    return [name, `${origin}\n\n${render()}\n`];
  });
  return Object.fromEntries(pages);
}
