import type { Label } from '#contracts/route-table.ts'
import { type EmailVariables, readEmailOptions } from './email-options.ts'

/**
 * Reads which routes native cannot serve with these settings although it has handlers for them, and what the settings
 * lack: the core serves them, whatever the state of the route.
 */
export const readUnavailableRoutes = (settings: EmailVariables): ReadonlyMap<Label, string> =>
  new Map(
    readEmailOptions(settings) === null
      ? [['packs.invitations.create', 'EMAIL_API_KEY and EMAIL_FROM are unset']]
      : [],
  )
