/** A feature without an entry is not part of a plan; a number is how many live items it allows. */
interface DemoPlan {
  readonly id: string
  readonly name: string
  /** The sandbox provider's price; null: never on sale. */
  readonly priceId: string | null
  readonly entitlements: Readonly<Record<string, true | number>>
}

/** The value of `BILLING_PLANS` for the sandbox: nothing shared, a little, and without limits. */
export const demoPlans = [
  { id: 'free', name: 'Free', priceId: null, entitlements: {} },
  {
    id: 'starter',
    name: 'Starter',
    priceId: 'price_sandbox_starter',
    entitlements: { 'tracks.share': 3, 'collaborators.invite': 1 },
  },
  {
    id: 'pro',
    name: 'Pro',
    priceId: 'price_sandbox_pro',
    entitlements: { 'tracks.share': true, 'collaborators.invite': true },
  },
  {
    id: 'studio',
    name: 'Studio',
    priceId: 'price_sandbox_studio',
    entitlements: { 'tracks.share': true, 'collaborators.invite': true },
  },
] as const satisfies readonly DemoPlan[]
