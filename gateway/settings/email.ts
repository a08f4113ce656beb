import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { readEmail } from '#contracts/shared/email.ts'
import { apiKey, httpUrl, type Rule } from './setting-types.ts'

const sender = /^(?:[^<>"\p{Cc}]{1,100} <([^<> ]+)>|([^<> ]+))$/u

const isSender = (text: string) => {
  const [, named, bare] = sender.exec(text) ?? []
  return readEmail(named ?? bare) !== null
}

const emailSender = z
  .string()
  .refine(isSender, { error: 'must be an e-mail address, such as Crossfade <invitations@example.com>' })

export const emailSettings = {
  EMAIL_API_KEY: apiKey.optional(),
  EMAIL_API_BASE: httpUrl.optional(),
  EMAIL_FROM: emailSender.optional(),
}

export type EmailVariables = z.infer<z.ZodObject<typeof emailSettings>>

export const emailRules: readonly Rule<EmailVariables>[] = [
  {
    holds: ({ EMAIL_API_KEY, EMAIL_FROM }) => EMAIL_API_KEY !== undefined || EMAIL_FROM === undefined,
    name: 'EMAIL_API_KEY',
    error: 'is missing: it is required if EMAIL_FROM is set',
    dependsOn: ['EMAIL_API_KEY'],
  },
  {
    holds: ({ EMAIL_API_KEY, EMAIL_FROM }) => EMAIL_FROM !== undefined || EMAIL_API_KEY === undefined,
    name: 'EMAIL_FROM',
    error: 'is missing: it is required if EMAIL_API_KEY is set',
    dependsOn: ['EMAIL_FROM'],
  },
]

/** The key is read on each use. */
export const readEmailOptions = (settings: EmailVariables) => {
  const { EMAIL_API_KEY, EMAIL_API_BASE, EMAIL_FROM } = settings
  if (EMAIL_API_KEY === undefined || EMAIL_FROM === undefined) return null
  return {
    get apiKey() {
      return settings.EMAIL_API_KEY ?? EMAIL_API_KEY
    },
    apiBase: EMAIL_API_BASE,
    from: EMAIL_FROM,
  }
}

/**
 * Lists the routes that have a handler but that native cannot serve with these settings, each with the reason. The core
 * serves them in every state.
 */
export const readUnavailableRoutes = (settings: EmailVariables): ReadonlyMap<Label, string> =>
  new Map(
    readEmailOptions(settings) === null
      ? [['packs.invitations.create', 'EMAIL_API_KEY and EMAIL_FROM are unset']]
      : [],
  )
