interface DemoAccount {
  readonly id: string
  readonly email: string
  readonly displayName: string
  readonly planId: string
  readonly billing: { readonly customerId: string; readonly subscriptionId: string } | null
}

/** The sandbox's accounts. `npm run token` issues a token for each of them without a sign-up. */
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
