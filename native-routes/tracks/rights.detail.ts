import { detail } from '#contracts/tracks.rights.ts'
import { defineRoute } from '../define-route.ts'

export const showRights = defineRoute(detail, async (_input, { clock }) => ({
  entries: [],
  status: { isComplete: false as const, validationErrors: [], validatedAt: clock.now().toISOString() },
}))
