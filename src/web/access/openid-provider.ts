import * as client from 'openid-client';
import type { OpenIdSettings } from '../../config/config-dashboard.ts';
import type { Clock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/is-loopback.ts';

const PROVIDERS = new WeakMap<OpenIdSettings, Promise<client.Configuration>>();

/**
 * Reads the provider's configuration once; after a failure the next call tries again. Every ID token's signature is
 * checked, although it comes over TLS: a proxy between the two hosts may read and change what TLS no longer protects.
 * @throws PipelineError USAGE when the provider does not answer as it should
 */
export async function findProvider(openid: OpenIdSettings): Promise<client.Configuration> {
  const known = PROVIDERS.get(openid);
  if (known) return known;
  const issuer = new URL(openid.issuer);
  const insecure = isLoopback(issuer.hostname) ? [client.allowInsecureRequests] : [];
  const options = { execute: [client.enableNonRepudiationChecks, ...insecure], [client.customFetch]: fetchBounded };
  const asked = client.discovery(issuer, openid.clientId, openid.clientSecret, undefined, options);
  PROVIDERS.set(openid, asked);
  return asked.catch((error: unknown) => {
    PROVIDERS.delete(openid);
    throw troubleOf(error);
  });
}

/** What the browser was given when it set out, to compare with what it brings back. */
type SetOut = {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Whether the user must have logged in at the provider just now. */
  readonly isAgain: boolean;
};

/**
 * Exchanges the code that a browser brought back.
 * @param came the whole address at which it came back
 * @returns issuer and subject, which do not change with the user's name or address
 * @throws PipelineError USAGE when the provider refused, does not answer, or its answer is not genuine
 */
export async function readSubject(
  provider: client.Configuration,
  came: URL,
  { verifier, state, nonce, isAgain }: SetOut,
  clock: Clock,
): Promise<string> {
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
  const fresh = isAgain ? { maxAge: AGAIN_S } : {};
  const tokens = await client
    .authorizationCodeGrant(provider, came, { ...checks, ...fresh })
    .catch((error: unknown) => {
      throw troubleOf(error);
    });
  const { iss, sub, iat } = tokens.claims()!;
  if (Math.abs(clock.now().getTime() - iat * 1_000) > AGE_MS)
    throw notLoggedIn('its answer is not of this moment; compare the clocks of both hosts');
  return `${iss} ${sub}`;
}

/** How long ago a user may have logged in at the provider when they do so again, in seconds. */
const AGAIN_S = 120;

/** How far the time in an ID token may be from ours, in ms. */
const AGE_MS = 600_000;

/** Longest answer of a provider, in bytes after unpacking; usual ones have some thousand. */
const MOST_BYTES = 1_048_576;

/** Longest wait for a whole answer, in ms. */
const ANSWER_MS = 10_000;

/**
 * Fetches with limits of size and time: what answers under the provider's address is not under our control.
 * @throws PipelineError USAGE when there is no answer, or too much of one
 */
export async function fetchBounded(
  url: string,
  options: client.CustomFetchOptions,
  { mostBytes, answerMs } = { mostBytes: MOST_BYTES, answerMs: ANSWER_MS },
): Promise<Response> {
  const signal = AbortSignal.timeout(answerMs);
  try {
    const answer = await fetch(url, { ...options, signal } as RequestInit);
    if (answer.status >= 500) throw new Error(`status ${answer.status}`);
    const body = await readAtMost(answer, mostBytes);
    return new Response(body.length > 0 ? body : null, answer);
  } catch (error) {
    if (error instanceof PipelineError) throw error;
    throw notLoggedIn('the provider does not answer', error);
  }
}

async function readAtMost(answer: Response, mostBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    // Leaving the loop closes the connection.
    if (bytes > mostBytes) throw notLoggedIn('its answer is too long');
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** Says what went wrong at the provider. Its own texts may come from a third party; its codes come from a fixed list. */
function troubleOf(error: unknown): PipelineError {
  if (error instanceof PipelineError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof PipelineError) return cause;
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return notLoggedIn(
      /^[\w ]{1,60}$/.test(error.error) ? `the provider refused: ${error.error}` : 'it refused',
      error,
    );
  return notLoggedIn('its answer is not genuine', error);
}

export function notLoggedIn(reason: string, cause?: unknown): PipelineError {
  const next = 'Try again from the log-in page. If you came by a link, open it again.';
  return new PipelineError('USAGE', 'log in by OpenID Connect', reason, { next, cause });
}
