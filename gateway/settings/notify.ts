import * as z from 'zod'
import { type Rule, secretLines, secretUrl, webhookSecret } from './setting-types.ts'

export const notifySettings = {
  // For some receivers, the URL is the only credential.
  NOTIFY_URL: secretUrl.optional(),
  NOTIFY_SECRET: secretLines(webhookSecret).optional(),
  NOTIFY_FORMAT: z.enum(['json', 'slack'], { error: 'must be json or slack' }).default('json'),
}

type NotifyVariables = z.infer<z.ZodObject<typeof notifySettings>>

export const notifyRules: readonly Rule<NotifyVariables>[] = [
  {
    // Slack needs no secret, because it verifies no signature.
    holds: ({ NOTIFY_URL, NOTIFY_SECRET, NOTIFY_FORMAT }) =>
      NOTIFY_URL === undefined || NOTIFY_SECRET !== undefined || NOTIFY_FORMAT === 'slack',
    name: 'NOTIFY_SECRET',
    error: 'is missing: it is required if NOTIFY_URL is set and NOTIFY_FORMAT is json',
    dependsOn: ['NOTIFY_URL', 'NOTIFY_SECRET', 'NOTIFY_FORMAT'],
  },
]

/** URL and secrets are read on each use. */
export const readNotifyOptions = (settings: NotifyVariables) => {
  const { NOTIFY_URL } = settings
  if (NOTIFY_URL === undefined) return null
  return {
    get url() {
      return settings.NOTIFY_URL ?? NOTIFY_URL
    },
    get secrets() {
      return settings.NOTIFY_SECRET ?? []
    },
    format: settings.NOTIFY_FORMAT,
  }
}
