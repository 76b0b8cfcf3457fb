import type { Profile } from '../../../schemas/profiles.ts';
import { type Chooser, chooser } from '../../csv/profile/support/made-payments.ts';
import { BANK_SYSTEMS } from '../systems/bank-systems.ts';
import { OTHER_CARD_SYSTEMS } from '../systems/other-card-systems.ts';
import { profileOf, type System } from '../systems/system.ts';
import { US_CARD_SYSTEMS } from '../systems/us-card-systems.ts';
import { knownRows, makeSheet, type Sheet } from './sheet.ts';
import { ACCEPTED, REFUSED } from './decided-variants.ts';
import { HELD } from './held-variants.ts';
import type { Variant } from './variant.ts';

/** Systems that are like those of their names. Real exports depend on the report that a person has built. */
export const SYSTEMS: readonly System[] = [...US_CARD_SYSTEMS, ...OTHER_CARD_SYSTEMS, ...BANK_SYSTEMS];

/** An export, its profile, and the verdict that was written down for it. */
export type Export = {
  readonly name: string;
  readonly system: System;
  readonly profile: Profile;
  readonly variant: Variant;
  readonly sheet: Sheet;
};

/** Verdicts that stood here before anything was read, and how many exports of each system have each. */
export const VARIANTS: readonly (readonly [variants: readonly Variant[], perSystem: number])[] = [
  [ACCEPTED, 4],
  [HELD, 3],
  [REFUSED, 3],
];

type ExportKind = Pick<Export, 'system' | 'variant'>;

/** The exports of all systems, ten of each, before they have rows. */
export const EXPORT_KINDS: readonly ExportKind[] = listKinds();

/** Makes one export of each kind. The same seed makes the same ones. */
export function makeExports(seed: number): Export[] {
  const choose = chooser(seed);
  return EXPORT_KINDS.map((kind) => makeExport(kind, choose));
}

function listKinds(): ExportKind[] {
  const uses = new Map<Variant, number>();
  return SYSTEMS.flatMap((system) => variantsOf(system, uses).map((variant) => ({ system, variant })));
}

/** Takes the variants that were taken least, so that all systems together have all of them. */
function variantsOf(system: System, uses: Map<Variant, number>): Variant[] {
  const usesOf = (variant: Variant) => uses.get(variant) ?? 0;
  return VARIANTS.flatMap(([variants, count]) => {
    const fitting = variants.filter(({ fits }) => fits?.(system) ?? true);
    const taken = fitting.toSorted((one, other) => usesOf(one) - usesOf(other)).slice(0, count);
    for (const variant of taken) uses.set(variant, usesOf(variant) + 1);
    return taken;
  });
}

export function makeExport({ system, variant }: ExportKind, choose: Chooser): Export {
  const rows = knownRows(system, choose);
  const sheet = makeSheet(system, variant.rows?.(rows, choose) ?? rows);
  return {
    name: `${system.name}, ${variant.name}`,
    system,
    profile: profileOf(system),
    variant,
    sheet: variant.change?.(sheet, system) ?? sheet,
  };
}
