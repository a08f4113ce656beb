import { describeEffectiveValue } from './describe-value.ts'
import { settingTypes } from './settings.ts'

const isKnown = (name: string): name is keyof typeof settingTypes => name in settingTypes

/** Describes the settings that are in effect, for the log of a start. Secrets are `set`, and of a URL only the origin. */
export const describeSettings = (settings: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      isKnown(name) && value !== undefined ? [[name, describeEffectiveValue(settingTypes[name], value)]] : [],
    ),
  )
