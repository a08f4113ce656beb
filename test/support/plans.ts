export const testPlans = [
  { id: 'free', name: 'Free', priceId: null, entitlements: {} },
  {
    id: 'starter',
    name: 'Starter',
    priceId: 'price_starter',
    entitlements: { 'tracks.share': 2, 'collaborators.invite': 2, 'catalog.analysis': 3 },
  },
  {
    id: 'pro',
    name: 'Pro',
    priceId: 'price_pro',
    entitlements: { 'tracks.share': true, 'collaborators.invite': true, 'catalog.analysis': true },
  },
]
