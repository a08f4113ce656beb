import type { Label } from '#contracts/route-table.ts'
import { type EmailVariables, readEmailOptions } from './email-options.ts'

/**
 * Reads which routes native cannot serve with these settings although it has handlers for them: the core serves them,
 * whatever the state of the route.
 */
export const readUnavailableRoutes = (settings: EmailVariables): ReadonlySet<Label> =>
  new Set(readEmailOptions(settings) === null ? ['packs.invitations.create'] : [])
