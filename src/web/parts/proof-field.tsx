import type { ProofWanted } from '../access/step-up.ts';
import { TextField } from './form.tsx';

/** Asks for the password, or leads to the provider and back. */
export function ProofField({
  proof,
  next,
  fault,
  within,
}: {
  proof: ProofWanted;
  next: string;
  fault?: string | undefined;
  within?: string | undefined;
}) {
  if (proof.by === 'openid')
    return (
      <p>
        <a class="button" href={`/login/openid?again=1&next=${encodeURIComponent(next)}`}>
          Log in again with {proof.label}
        </a>
      </p>
    );
  return (
    <TextField
      name="password"
      within={within}
      type="password"
      label="Your password"
      hint="Asked again because your last log-in was a while ago."
      fault={fault}
      autocomplete="current-password"
      isRequired
    />
  );
}
