interface DemoAccount {
  readonly id: string
  readonly email: string
  readonly displayName: string
  readonly planId: string
  /** What the billing provider calls the account and its subscription; null: it never bought anything. */
  readonly billing: { readonly customerId: string; readonly subscriptionId: string } | null
}

/** The people of the sandbox; a token for any of them needs no sign-up. */
export const demoAccounts: readonly DemoAccount[] = [
  {
    id: 'acct_alice',
    email: 'alice@example.test',
    displayName: 'Alice Moreau',
    planId: 'pro',
    billing: { customerId: 'cus_sandbox_alice', subscriptionId: 'sub_sandbox_alice' },
  },
  {
    id: 'acct_bob',
    email: 'bob@example.test',
    displayName: 'Bob Lindqvist',
    planId: 'free',
    billing: null,
  },
  {
    id: 'acct_carol',
    email: 'carol@example.test',
    displayName: 'Carol Adeyemi',
    planId: 'pro',
    billing: { customerId: 'cus_sandbox_carol', subscriptionId: 'sub_sandbox_carol' },
  },
]
