interface SessionSetting {
  readonly value: string
  /** An SQL condition that also accepts other values with the same effect. If absent, only `value` is accepted. */
  readonly condition?: string
}

/** Parameters that PgBouncer, in every mode and version, sets for each client that sends them. */
const trackedSettings = {
  client_encoding: { value: 'UTF8' },
  // The second part only affects how non-ISO input is read.
  DateStyle: { value: 'ISO, MDY', condition: `current_setting('DateStyle') like 'ISO, %'` },
  standard_conforming_strings: { value: 'on' },
  TimeZone: { value: 'UTC' },
} satisfies Record<string, SessionSetting>

/**
 * The settings that the code relies on when it sends and reads values. Startup parameters override whatever defaults a
 * role, database or server has.
 */
const settings: Readonly<Record<string, SessionSetting>> = {
  ...trackedSettings,
  array_nulls: { value: 'on' },
  bytea_output: { value: 'hex' },
  default_transaction_isolation: { value: 'read committed' },
  extra_float_digits: { value: '1', condition: `current_setting('extra_float_digits')::int >= 1` },
  IntervalStyle: { value: 'postgres' },
  row_security: { value: 'on' },
  // With the default, `"$user", public`, a schema with the role's name would come first.
  search_path: { value: 'public', condition: `(current_schemas(false))[1] is not distinct from 'public'` },
  transform_null_equals: { value: 'off' },
}

const valuesOf = (chosen: Readonly<Record<string, SessionSetting>>) =>
  Object.fromEntries(Object.entries(chosen).map(([name, { value }]) => [name, value]))

export const trackedStartupSettings = valuesOf(trackedSettings)

/** Startup parameters to try in turn: all settings, those that PgBouncer accepts, and one that every pooler accepts. */
export const startupSettings = [valuesOf(settings), trackedStartupSettings, { TimeZone: 'UTC' }] as const

export const areSettingsInForce = Object.entries(settings)
  .map(([name, { value, condition }]) => condition ?? `current_setting('${name}') = '${value}'`)
  .join(' and ')

/** Changing the default isolation inside a transaction would affect only the next one. */
export const isolation = 'isolation level read committed'

export const setLocalSettings = Object.entries(settings)
  .map(([name, { value }]) => `set local ${name} = '${value}'`)
  .join('; ')
