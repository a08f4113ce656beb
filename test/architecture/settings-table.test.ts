import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rereadSettings } from '#gateway/settings/secret-files.ts'
import { Environment, secretSettings } from '#gateway/settings/settings.ts'
import { compareSettings, readSettingsTable } from './settings-table.ts'
import { root } from './source-files.ts'

/** Formats a default as an operator would set it; null if there is none or it is an empty list. */
const formatDefault = (value: unknown): string | null => {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return null
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.values(value).join('/')
}

const settings = new Map(
  Object.entries(Environment.shape).map(([name, schema]) => {
    const { success, data } = schema.safeParse(undefined)
    return [name, success ? formatDefault(data) : 'required']
  }),
)

const requiredInProduction = [...settings]
  .flatMap(([name, value]) => (value === 'required' ? [name] : []))
  .concat('PUBLIC_BASE_URL')
  .sort()

const page = readFileSync(join(root, 'docs/settings.md'), 'utf8')

describe('the settings table in docs/settings.md', () => {
  it('lists each setting once, with its default', () => {
    expect(compareSettings(readSettingsTable(page), settings)).toEqual([])
  })

  it('lists under Required the settings that production needs to start', () => {
    const [, group = ''] = page.split('## Required\n')
    const [required = ''] = group.split('\n## ')
    const names = readSettingsTable(required).map(({ name }) => name)
    expect(names.sort()).toEqual(requiredInProduction)
  })

  it('lists every secret that can come from a file, and whether the file is read again', () => {
    const [, table = ''] = page.split('| secret | after its file has changed |\n')
    const rows = table.split('\n').slice(1, 3)
    const [reread, others] = rows.map((row) => [...row.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name))
    expect(reread?.sort()).toEqual([...rereadSettings].sort())
    expect(others?.sort()).toEqual(
      secretSettings.filter((name) => !rereadSettings.some((other) => other === name)).sort(),
    )
  })

  it.each([
    [
      'the default of one setting',
      '| `30000` |',
      '| `20000` |',
      /default 20000 of CORE_TIMEOUT_MS, .* 30000$/,
    ],
    ['the default of one of several', '`127.0.0.1`, `8787`', '`127.0.0.1`, `8080`', /default 8080 of PORT,/],
    ['a size', '50 GiB', '5 GiB', /default 5368709120 of QUOTA_PENDING_UPLOAD_BYTES,/],
    [
      'a required setting',
      '| required; `npm start`: embedded',
      '| embedded',
      /default none of DATABASE_URL, /,
    ],
    ['a missing setting', '`HOST`, `PORT`', '`HOST`', /does not list PORT$/],
    ['a misspelled name', '`LOG_LEVEL`', '`LOGLEVEL`', /lists LOGLEVEL, which is no setting$/],
    ['a repeated setting', '`LOG_ACCOUNTS`', '`HOST`', /lists HOST twice$/],
  ])('is reported if it has a wrong entry: %s', (_, correct, wrong, finding) => {
    expect(page).toContain(correct)
    const findings = compareSettings(readSettingsTable(page.replace(correct, wrong)), settings)
    expect(findings.filter((one) => finding.test(one))).toHaveLength(1)
  })
})
