interface DescribedSetting {
  readonly name: string
  readonly stated: string
}

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim())

/** Reads the settings tables. A row describes one or more settings, with one default for all or one for each. */
export const readSettingsTable = (page: string): DescribedSetting[] => {
  const [, ...tables] = page.split('| variable | meaning | default |\n')
  const rows = tables.flatMap((table) =>
    table
      .slice(0, table.search(/\n(?!\|)/))
      .split('\n')
      .slice(1),
  )
  return rows.flatMap((row) => {
    const [, variables = '', , defaults = ''] = cellsOf(row)
    const names = [...variables.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name)
    // The text after a semicolon covers special cases.
    const [usual = ''] = defaults.split(';')
    const stated = names.length > 1 ? usual.replace(/ each$/, '').split(', ') : [usual]
    return names.map((name, index) => ({ name, stated: stated[index] ?? stated[0] ?? '' }))
  })
}

/** Reads the literal default in a cell; null if the cell only says what happens without the setting. */
const literalOf = (stated: string) => {
  const [, count, unit = ''] = /^(\d+) ([KMG]iB)$/.exec(stated) ?? []
  if (count !== undefined) return String(Number(count) * (units[unit] ?? 1))
  const [, literal] = /^`([^`]+)`$/.exec(stated) ?? []
  return literal === undefined || /^[A-Z_]+$/.test(literal) ? null : literal
}

/**
 * Lists the differences between the settings table and the actual settings. In `settings`, null means that a setting
 * has no default.
 */
export const compareSettings = (
  described: readonly DescribedSetting[],
  settings: ReadonlyMap<string, string | null>,
): string[] => {
  const names = described.map(({ name }) => name)
  const missing = [...settings.keys()].filter((name) => !names.includes(name))
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return [
    ...missing.map((name) => `the table of settings in docs/settings.md does not list ${name}`),
    ...repeated.map((name) => `the table of settings in docs/settings.md lists ${name} twice`),
    ...described.flatMap(({ name, stated }) => {
      const actual = settings.get(name)
      if (actual === undefined)
        return [`the table of settings in docs/settings.md lists ${name}, which is no setting`]
      const literal = stated === 'required' ? stated : literalOf(stated)
      if (literal === actual) return []
      return [
        `docs/settings.md states the default ${literal ?? 'none'} of ${name}, which is ${actual ?? 'none'}`,
      ]
    }),
  ]
}
