/** Reasons for refusing a request, with the text for the user. */
export const REFUSALS = {
  NOT_LOGGED_IN: { status: 401, says: 'Log in first. Nothing was done.' },
  NOT_ALLOWED: { status: 403, says: 'Your role does not allow this. Ask an administrator of the dashboard.' },
  STRANGE_FORM: {
    status: 403,
    says: 'Nothing was done: this did not come from a page of the dashboard, or you have logged in again since. Load the page again.',
  },
  PROOF_NEEDED: {
    status: 403,
    says: 'Your last log-in was a while ago. Confirm on the dashboard that it is you (/me/prove), then try again.',
  },
  FACTOR_NEEDED: { status: 403, says: 'Set up your second factor first (/me/second-factor).' },
  STRANGE_HOST: {
    status: 421,
    says: 'The dashboard does not serve this host name; set dashboard.url in paydrop.yaml to use it.',
  },
  BAD_REQUEST: { status: 400, says: 'The request has characters that no text has, such as NUL. Nothing was done.' },
  PLAN_CHANGED: {
    status: 409,
    says: 'The plan is out of date. Nothing was done. Check the new plan.',
  },
  TOO_MANY_TRIES: { status: 429, says: 'Too many wrong tokens came from this address. Try again in ten minutes.' },
  TOO_MANY_PAGES: { status: 429, says: 'You have too many pages open; this one does not update itself.' },
  EXPORT_RUNS: {
    status: 429,
    says: 'You have an export running, or others run too many. Try again when it has ended.',
  },
  EXPORT_TOO_LARGE: {
    status: 400,
    says: 'A workbook has at most 50,000 rows. Filter the list, or export it as CSV, which has no limit.',
  },
  NOT_FOUND: { status: 404, says: 'This page does not exist (any more).' },
} as const;

/** Thrown before or in a route when the caller is not allowed, or when nothing is there. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly code: keyof typeof REFUSALS;

  constructor(code: keyof typeof REFUSALS, says: string = REFUSALS[code].says) {
    super(says);
    this.code = code;
    this.statusCode = REFUSALS[code].status;
  }
}
