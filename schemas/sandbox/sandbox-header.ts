/**
 * Header in every answer of the sandbox. By it paydrop knows that what it sent there was not charged, and keeps it apart
 * from what a service is sent that does not say so.
 */
export const SANDBOX_HEADER = 'X-Paydrop-Sandbox';
