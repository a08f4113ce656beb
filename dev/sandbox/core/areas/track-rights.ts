import type { RegisterRoutes } from '../create-app.ts'

/** The deprecated rights resource is always empty. The split sheet replaces it. */
export const trackRights: RegisterRoutes = (app) => {
  app.get('/v1/tracks/:trackId/rights', async () => ({
    entries: [],
    status: { isComplete: false, validationErrors: [], validatedAt: new Date() },
  }))
}
