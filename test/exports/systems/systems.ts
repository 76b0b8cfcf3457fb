import { BANK_SYSTEMS } from './bank-systems.ts';
import { OTHER_CARD_SYSTEMS } from './other-card-systems.ts';
import type { System } from './system.ts';
import { US_CARD_SYSTEMS } from './us-card-systems.ts';

/** Systems that are like those of their names. Real exports depend on the report that a person has built. */
export const SYSTEMS: readonly System[] = [...US_CARD_SYSTEMS, ...OTHER_CARD_SYSTEMS, ...BANK_SYSTEMS];
