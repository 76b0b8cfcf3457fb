/**
 * What `paydrop init` writes. It works with the sandbox unchanged; docs/reference/configuration.md has every setting.
 */
export const STARTER_CONFIG = `# paydrop: see docs/reference/configuration.md for every setting and its default.

accounts:
  main:
    server: NA                        # NA or UK
    country: US                       # US, CA or UK: decides the card layout
    currency: USD
    timeZone: America/New_York        # in which people of this account read times
    # The account of the sandbox. For the real service: remove baseUrl and poll, and write the secrets as
    # env:NAME or file:PATH, so that they do not stand here.
    agentCode: TEST88
    password: TEST88
    baseUrl: http://127.0.0.1:8899
    poll: { firstMs: 1000 }           # the sandbox is quick

folders:
  - path: drop/card
    account: main
    operation: card
  - path: drop/ach-charge
    account: main
    operation: ach-charge
  - path: drop/ach-refund
    account: main
    operation: ach-refund
`;
