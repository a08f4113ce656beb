import { describeEffectiveValue } from './describe-value.ts'
import type { Variables } from './read-environment.ts'
import { settingTypes } from './settings.ts'

const isKnown = (name: string): name is keyof typeof settingTypes => name in settingTypes

/** Describes the settings that are in effect, for the log of a start. Secrets are `set`, and of a URL only the origin. */
export const describeSettings = (settings: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      isKnown(name) && value !== undefined ? [[name, describeEffectiveValue(settingTypes[name], value)]] : [],
    ),
  )

/** What to do about each setting that the previous release had: it has no effect, but does not prevent the start. */
const removedSettings = {
  AI_MAX_MESSAGES: 'remove it; the model reads the last 20 messages of a thread',
  PROCESSES:
    'remove it; to use several CPU cores, run several gateways behind the load balancer, each with its own PORT and ADMIN_PORT: see "Several gateways" in docs/deployment.md',
  RATE_LIMIT_IDEMPOTENCY_KEYS:
    'remove it; an account may have 3,600 responses an hour stored for its idempotency keys',
}

/** The removed settings that are set. */
export const listRemovedSettings = (environment: Variables) =>
  Object.entries(removedSettings)
    .filter(([setting]) => environment[setting])
    .map(([setting, advice]) => ({ setting, advice }))
