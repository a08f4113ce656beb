/**
 * A plan lacks features without an entry in `entitlements`. A number there limits how many active items the account may
 * have.
 */
interface DemoPlan {
  readonly id: string
  readonly name: string
  readonly priceId: string | null
  readonly entitlements: Readonly<Record<string, true | number>>
}

export const demoPlans = [
  { id: 'free', name: 'Free', priceId: null, entitlements: {} },
  {
    id: 'starter',
    name: 'Starter',
    priceId: 'price_sandbox_starter',
    entitlements: { 'tracks.share': 3, 'collaborators.invite': 1, 'catalog.analysis': 10 },
  },
  {
    id: 'pro',
    name: 'Pro',
    priceId: 'price_sandbox_pro',
    entitlements: { 'tracks.share': true, 'collaborators.invite': true, 'catalog.analysis': true },
  },
  {
    id: 'studio',
    name: 'Studio',
    priceId: 'price_sandbox_studio',
    entitlements: { 'tracks.share': true, 'collaborators.invite': true, 'catalog.analysis': true },
  },
] as const satisfies readonly DemoPlan[]
