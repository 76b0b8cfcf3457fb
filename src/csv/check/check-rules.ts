import type { EffectRules } from '../../rows/rows.ts';
import type { FolderConfig } from '../../../schemas/config.ts';
import type { ServiceLimits } from '../../../schemas/fields.ts';
import type { Profile } from '../../../schemas/profiles.ts';
import type { Country } from '../../../schemas/layouts.ts';
import type { FolderOperation, Server } from '../../../schemas/operations.ts';
import type { Currency } from '../../../schemas/restrictions.ts';

/** The rules that a payment file is checked against. */
export type CheckRules = {
  readonly operation: FolderOperation;
  readonly account: {
    readonly server: Server;
    readonly country: Country;
    readonly currency: Currency;
    /** Lengths that differ from our assumptions. */
    readonly serviceLimits?: ServiceLimits | undefined;
  };
  readonly folder: Readonly<
    Pick<FolderConfig, 'layout' | 'header' | 'charset' | 'finalNewline' | 'textCommas' | 'badRows'>
  > &
    EffectRules & { readonly routingCheck: boolean };
  /** The version of the import profile that reads the file; undefined for a file in a layout of its own. */
  readonly profile?: Profile | undefined;
  /** A row above this amount holds the file. If unset, any amount that the service can carry is accepted. */
  readonly largestRowCents?: number | undefined;
  /** YYYY-MM-DD in the time zone of the account; decides which cards have expired. */
  readonly today: string;
};
