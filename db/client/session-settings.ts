interface SessionSetting {
  readonly value: string
  /** SQL condition for another value with the same effect. By default, only `value` counts. */
  readonly condition?: string
}

/** Parameters that PgBouncer sets for each client, in every mode and version, if the driver states them. */
const trackedSettings = {
  client_encoding: { value: 'UTF8' },
  // The second part is the order of input that is not ISO.
  DateStyle: { value: 'ISO, MDY', condition: `current_setting('DateStyle') like 'ISO, %'` },
  standard_conforming_strings: { value: 'on' },
  TimeZone: { value: 'UTC' },
} satisfies Record<string, SessionSetting>

/**
 * What the code relies on when it sends and reads values. A role, database or server may have other defaults, which
 * startup parameters override.
 */
const settings: Readonly<Record<string, SessionSetting>> = {
  ...trackedSettings,
  array_nulls: { value: 'on' },
  bytea_output: { value: 'hex' },
  default_transaction_isolation: { value: 'read committed' },
  extra_float_digits: { value: '1', condition: `current_setting('extra_float_digits')::int >= 1` },
  IntervalStyle: { value: 'postgres' },
  row_security: { value: 'on' },
  // The default, "$user", public, starts with a different schema if one is named like the role.
  search_path: { value: 'public', condition: `(current_schemas(false))[1] is not distinct from 'public'` },
  transform_null_equals: { value: 'off' },
}

const valuesOf = (chosen: Readonly<Record<string, SessionSetting>>) =>
  Object.fromEntries(Object.entries(chosen).map(([name, { value }]) => [name, value]))

/** Settings that PgBouncer accepts as startup parameters. */
export const trackedStartupSettings = valuesOf(trackedSettings)

/** Startup parameters to try in turn: all settings, those PgBouncer accepts, and one that every pooler does. */
export const startupSettings = [valuesOf(settings), trackedStartupSettings, { TimeZone: 'UTC' }] as const

/** SQL condition: whether the session has all of these settings. */
export const areSettingsInForce = Object.entries(settings)
  .map(([name, { value, condition }]) => condition ?? `current_setting('${name}') = '${value}'`)
  .join(' and ')

/**
 * How a transaction begins, independent of its session's settings. The default isolation would apply only to the next
 * transaction.
 */
export const isolation = 'isolation level read committed'

/** Statements that make these settings for one transaction. */
export const setLocalSettings = Object.entries(settings)
  .map(([name, { value }]) => `set local ${name} = '${value}'`)
  .join('; ')
